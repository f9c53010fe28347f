// Where the arithmetic stands: beside the numbers; below them where the page's products are too wide for that and it is
// high enough. It is the same for all steps of a page, so that nothing jumps from step to step.
import {oncePerFrame} from "./dom.js";
import {productOf} from "./operand_panels.js";
import {max, min} from "./shape.js";
import {Slice} from "./slice.js";

const phone = matchMedia("(max-width: 60rem) and (min-height: 38rem)");
const column = matchMedia("(max-width: 60rem), (max-height: 26rem)");  // as in page.css

const gap = 12;          // pixels between the chosen row and the sheet
const leastSheet = 120, heading = 52;  // pixels: the number and a line, and the number alone

const none = {across: 0, down: 0};

// In cells, with the operands beside and above it.
function productSize(page, tensor) {
    const slice = new Slice(page.trace.shape(tensor), 0), product = productOf(page.trace, tensor, false, slice);
    return product ? {across: product.inner + slice.columns, down: product.inner + slice.rows} : none;
}

// Of two sides beside each other, where they first differ; their numbers have more digits than a cell's seven characters.
function sidesSize({comparison, trace, places}) {
    const step = comparison.firstStep();
    if (!step) return none;
    const {columns, rows} = new Slice(trace.shape(step.tensor), 0);
    return {across: (2 * columns * (comparison.placesOf(step, places) + 3)) / 7, down: rows};
}

export class Layout {
    constructor(page, main) {
        this.page = page;
        this.main = main;
        this.step = main.querySelector(".step");
        this.sheet = main.querySelector(".arithmetic");
        this.bar = page.host.querySelector(".bar");
        const more = oncePerFrame(() => this.tellMore());
        for (const pane of [this.step, this.sheet]) {
            pane.addEventListener("scroll", more, {passive: true});
            new ResizeObserver(more).observe(pane);
        }
        const sizes = page.comparison ? [sidesSize(page)] : page.data.steps.map(({tensor}) => productSize(page, tensor));
        this.across = sizes.reduce((most, each) => max(most, each.across), 0);
        this.down = sizes.reduce((most, each) => max(most, each.down), 0);
        addEventListener("resize", oncePerFrame(() => this.arrange()));
        new ResizeObserver(() => this.clearChosen()).observe(this.sheet);  // what a number goes back to comes later
        this.sheet.addEventListener("click", ({target}) => this.isFirst && !target.closest("button") && this.openSheet());
        this.arrange();
    }

    // One below another, on small screens and at 400 % zoom.
    get isOneColumn() { return column.matches; }

    arrange() {
        this.setBelow(false);
        if (!this.isOneColumn) this.setBelow(this.isTooWide());
    }

    // Whether a pane goes on below. A sheet is as high as the arithmetic: the rest is pulled up.
    tellMore() {
        this.sheet.style.setProperty("--worked", (this.sheet.querySelector("div.worked")?.offsetHeight ?? 999) + 24 + "px");
        for (const pane of [this.step, this.sheet]) pane.classList.toggle("goes-on", pane.scrollHeight - pane.scrollTop > pane.clientHeight + 8);
    }

    get isBelow() { return this.main.matches(".below"); }

    setBelow(isBelow) { this.main.classList.toggle("below", isBelow); }

    // Whether all columns fit beside the arithmetic, else more do above it. About: seven characters a cell, heads, captions, and
    // above them what the step is.
    isTooWide() {
        const {step, across, down} = this, rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
        if (across * (4.1 * rem + 2) + 6 * rem <= step.clientWidth) return false;
        this.setBelow(true);
        return ((down + 2) * 1.2 + 8) * rem <= step.clientHeight;
    }

    // On a phone the arithmetic of a number that was touched comes from below, above the bar.
    // At first the page stands at its top: the sheet leaves all numbers of the step in sight, or both sides, or else the chosen
    // one; where there is no room even for that, it has the number alone, until it is touched.
    openSheet(isFirst = false) {
        if (!phone.matches) return;
        const below = (selector) => innerHeight - (this.step.querySelector(selector)?.getBoundingClientRect().bottom ?? 0) - this.bar.offsetHeight - gap;
        const all = below(".sides, .own"), chosen = this.step.querySelector(".sides") ? 0 : below(".cell.chosen");
        const room = !isFirst ? innerHeight : all >= heading ? all : chosen >= leastSheet ? chosen : heading;
        this.isFirst = isFirst;
        this.sheet.style.setProperty("--room", room + "px");
        this.sheet.classList.add("sheet");
        this.sheet.scrollTop = 0;
        this.clearChosen();
    }

    // The chosen row ends a little above the sheet; higher up only as far as what it was made from is out of sight.
    clearChosen() {
        const {sheet, bar, step} = this, made = step.querySelector(".sides, .made"), cell = step.querySelector(".cell.chosen");
        if (!sheet.matches(".sheet")) return;
        document.body.style.setProperty("--bar", bar.offsetHeight + "px");
        this.keepFree(sheet.offsetHeight + bar.offsetHeight + gap);
        if (this.isFirst || !made || !cell) return;
        this.page.step.bringNumber();
        const by = cell.getBoundingClientRect().bottom - sheet.getBoundingClientRect().top + gap;
        scrollBy(0, by > 0 ? by : max(by, min(made.getBoundingClientRect().top - gap, 0)));
    }

    closeSheet() {
        if (!this.sheet.matches(".sheet")) return false;
        this.sheet.classList.remove("sheet");
        this.keepFree(0);
        return true;
    }

    // Of what is scrolled to, nothing lies below there.
    keepFree(height) {
        document.documentElement.style.scrollPaddingBottom = this.main.style.paddingBottom = height ? height + "px" : "";
    }
}
