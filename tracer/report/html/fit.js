// How large a step's numbers are: as large as its room allows, and no smaller than one can read.

const sizes = [2, 1.8, 1.6, 1.45, 1.3, 1.2, 1.1, 1, 0.93, 0.87, 0.8];
const base = 0.88, least = 11;  // of the page's font; pixels
const leastColumns = 240;  // pixels: with less beside the left factor a product's parts stand one below another

const isCut = (element) => element.scrollWidth > element.clientWidth + 1;
// Two sides that stand below one another could not be compared.
const isWrapped = (sides) => sides && sides.lastElementChild.getBoundingClientRect().left < sides.firstElementChild.getBoundingClientRect().right;
const isShort = (element) => element.scrollHeight > element.clientHeight + 1;

// Sets the grids' size. Windows on many numbers scroll in any case; where the page is one column, it may be as long as it
// likes.
export function fit(host, grids, isColumn) {
    const font = base * parseFloat(getComputedStyle(host.ownerDocument.documentElement).fontSize);
    const product = host.querySelector(".product"), boxes = [...host.querySelectorAll(".columns, .strip, .grid-scroll")];
    const sides = host.querySelector(".sides");
    const hasWindow = host.querySelector(".large");
    const set = (size) => grids.forEach((grid) => grid.resize && grid.resize(font * size));
    const isWide = () => !isCut(host) && !boxes.some((each) => !each.closest(".large") && isCut(each));
    const fits = (size) => {
        set(size);
        return isWide() && (isColumn || !(isWrapped(sides) || isShort(host) || boxes.some(isShort)));
    };
    if (product) product.classList.remove("stacked");
    const most = isColumn || hasWindow ? 1 : sizes[0], possible = sizes.filter((size) => size <= most && (size * font >= least || size === 1));
    if (!(!hasWindow && possible.find(fits)) && !possible.filter((size) => size <= 1).find((size) => (set(size), isWide()))) {
        if (product && product.querySelector(".columns").clientWidth < leastColumns) product.classList.add("stacked");
    }
    for (const grid of grids) grid.render();
    if (product) lineUp(product);
}

// What stands below the columns, also a scroll bar, must not shift the rows beside them; and no column scrolls to below the
// heads of its rows.
function lineUp(product) {
    const [left, columns] = product.children, bottom = (element) => element.getBoundingClientRect().bottom;
    left.style.marginBottom = bottom(columns) - bottom(columns.querySelector(".result-cell")) + "px";
    columns.style.scrollPaddingLeft = columns.querySelector(".row-head").offsetWidth + "px";
}
