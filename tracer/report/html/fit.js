// How large a step's numbers are: as large as its room allows, and no smaller than one can read.

import {isTouched} from "./dom.js";
import {max, min} from "./shape.js";

const sizes = [2, 1.8, 1.6, 1.45, 1.3, 1.2, 1.1, 1, 0.93, 0.87, 0.8];  // of the usual one
const larger = [3.4, 3, 2.7, 2.5, 2.25], smaller = [0.73, 0.67, 0.6];  // in a lecture
const usual = 0.88;        // of the page's font
const least = 11;          // pixels
const leastColumns = 240;  // pixels: with less beside the left factor a product's parts stand one below another

const isCut = (element) => element.scrollWidth > element.clientWidth + 1;
const isShort = (element) => element.scrollHeight > element.clientHeight + 1;

// Two sides that stand below one another could not be compared.
function isWrapped(sides) {
    const [first, last] = [sides.firstElementChild, sides.lastElementChild].map((each) => each.getBoundingClientRect());
    return last.left < first.right;
}

const fontOf = (host) => usual * parseFloat(getComputedStyle(host.ownerDocument.documentElement).fontSize);

// Narrow cells show more columns on a phone. Rows for a finger are as high as their share of half the screen, where that is more than their numbers need.
function resize(host, grids, size, isColumn, isNarrow) {
    const font = size * fontOf(host), tight = host.closest(".below, .lecture *") ? 1.65 : 1.9, all = grids.filter(({model}) => model);
    const finger = isColumn && isTouched() ? min(40, (0.45 * innerHeight) / all.reduce((sum, {model}) => sum + model.rows + 1, 0)) : 0;
    for (const grid of all) grid.resize(grid.isSmall ? max(font * 0.85, least) : font, max(tight, finger / font), isNarrow);
}

// The largest size at which all columns are seen, and where it can be all rows: {size, pixels, isWhole}, null for none. Windows on
// many numbers scroll in any case; where the page is one column, it may be as long as it likes.
export function sizeThatFits(host, grids, isColumn, isLecture) {
    const font = fontOf(host), [product, sides, large] = [".product", ".sides", ".large"].map((each) => host.querySelector(each));
    const boxes = [...host.querySelectorAll(".columns, .strip, .grid-scroll")].filter((each) => !each.closest(".large"));
    for (const edge of host.querySelectorAll(".edge")) edge.hidden = true;
    if (product) product.classList.remove("stacked");
    const isWide = (size, isNarrow = false) => {
        resize(host, grids, size, isColumn, isNarrow === true);
        return !isCut(host) && !boxes.some(isCut);
    };
    const isWhole = (size) => isWide(size) && (isColumn || !((sides && isWrapped(sides)) || isShort(host) || boxes.some(isShort)));
    const possible = isLecture ? [...larger, ...sizes, ...smaller] : sizes.filter((size) => size * font >= least || size === 1);
    const atMostUsual = possible.filter((size) => size <= 1);
    const whole = !large && (isColumn ? atMostUsual : possible).find(isWhole), size = whole || atMostUsual.find((each) => isWide(each));
    if (size) return {size, pixels: size * font, isWhole: !!whole};
    const smallest = atMostUsual.at(-1);
    return isColumn && isWide(smallest, true) ? {size: smallest, pixels: smallest * font, isNarrow: true} : null;
}

// Sets the grids' size; without one the smallest, at which columns are hidden.
export function settle(host, grids, found, isColumn) {
    const product = host.querySelector(".product"), smallest = sizes.filter((size) => size * fontOf(host) >= least).at(-1) || 1;
    resize(host, grids, found ? found.size : smallest, isColumn, found ? found.isNarrow : isColumn);
    if (!found && product?.querySelector(".columns").clientWidth < leastColumns) product.classList.add("stacked");
    for (const grid of grids) if (grid.snap) grid.snap();
    for (const grid of grids) grid.render();
    if (product) lineUp(product);
}

// What stands below the columns, also a scroll bar, must not shift the rows beside them; and no column scrolls to below the
// heads of its rows.
function lineUp(product) {
    const [left, columns] = product.children, bottom = (element) => element.getBoundingClientRect().bottom;
    left.style.marginBottom = product.matches(".stacked") ? "" : bottom(columns) - bottom(columns.querySelector(".result-cell")) + "px";
    columns.style.scrollPaddingLeft = columns.querySelector(".row-head").offsetWidth + "px";
}
