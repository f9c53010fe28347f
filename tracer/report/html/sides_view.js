// Numbers beside others of the same step: the two sides of a comparison, and gradients by finite differences.
import {make, name} from "./dom.js";
import {prose} from "./formula_view.js";
import {placeOf} from "./shape.js";
import {visible} from "./text.js";

// The two sides of a comparison, and their differences.
export function sidesOf(step, stop, slice) {
    const {page} = step, {comparison, view, trace} = page, {tensor} = stop;
    const left = (e) => trace.value(tensor, e.at), right = (e) => comparison.rightValue(stop, e.at), panels = [];
    const isApart = (e) => comparison.differsAt(stop, e.at);
    const marksOf = (e) => [...page.lights.marksOf(e), ...(isApart(e) ? ["differs"] : [])];
    const places = comparison.placesOf(stop, page.places);
    const add = (title, more) => panels.push(make(
        "figure", "side", make("figcaption", {}, name(visible(title))),
        step.numbers(tensor, slice, false, {title, marksOf, trace, places, ...more})));
    const beside = (number) => (e) => (isApart(e) ? number(e) : null);
    if (view !== "right" && view !== "difference")
        add(comparison.names.left, {side: "left", otherOf: beside(right)});
    if (view === "right" || view === "both")
        add(comparison.names.right, {side: "right", numberOf: right, otherOf: beside(left)});
    if (view === "difference")
        add(`${comparison.names.right} − ${comparison.names.left}`, {
            numberOf: (e) => comparison.difference(stop, e.at),
            isDifference: true,
            kind: "number",
            places: page.places,
            scale: page.numbers.differenceScale(stop)
        });
    const first = comparison.firstDifference(stop);
    const link = (at) => make(
        "button",
        {class: "factor", onclick: () => page.choose({tensor, at, gradient: false})},
        `[${placeOf(trace.shape(tensor), at).join(",")}]`);
    const note = first < 0 ? ["The two sides agree."] : [
        "The first number that differs: ", link(first),
        ". The largest difference: ", link(comparison.largestDifference(stop)), ". "
    ];
    const isFirst = comparison.firstStep() === stop ? "This is the first step that differs." : "";
    return [make("div", "sides", panels), make("p", "remark", note, isFirst), ...(first < 0 ? [] : reasonsOf(stop))];
}

// Why the sides differ here, a line for each choice in which they do.
export function reasonsOf(stop) {
    return (stop.reason ? stop.reason.split("\n") : []).map(
        (line) => make("p", "remark reason", prose(line)));
}

export function differencesOf(step, stop, slice) {
    const {page} = step, numbers = page.trace.stored(stop, "difference");
    const panel = step.numbers(
        stop.tensor, slice, true,
        {title: "by finite differences", quiet: true, numberOf: (e) => numbers[e.at]});
    // No grid, but it may scroll: the keys must reach it.
    const scroll = panel.matches(".grid-scroll") ? panel : panel.querySelector(".grid-scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "group");
    scroll.setAttribute("aria-label", "The same by finite differences");
    return make(
        "figure", "side", make("figcaption", {}, "The same by finite differences"), panel);
}
