// Between a step's words and its numbers: selectors of leading axes, the sides of a comparison, what colours mean.
import {barOf} from "./colors.js";
import {make} from "./dom.js";
import {brief, shown} from "./numbers.js";
import {max, min} from "./shape.js";
import {visible} from "./text.js";

export function controlsOf(page, tensor, slice, gradient) {
    const shape = page.trace.shape(tensor), stop = page.stopOf(tensor);
    const selectors = slice.leading.map((index, axis) => {
        const names = (stop.axes || [])[axis],
              axisName = names          ? visible(names.name)
            : shape.length === 3        ? "batch"
            : axis === shape.length - 3 ? "head"
                                        : "batch";
        const move = ({target}) => {  // what is typed may be anything
            const to = min(max(Math.round(Number(target.value)) || 0, 0), shape[axis] - 1);
            page.choose({tensor, at: slice.moved(page.state.at, axis, to), gradient});
        };
        if (shape[axis] > 200)
            return make(
                "label", {}, axisName, " ",
                make(
                    "input",
                    {type: "number", min: 0, max: shape[axis] - 1, value: index, onchange: move}));
        const options = Array.from(
            {length: shape[axis]},
            (_, i) => make(
                "option", {value: i, selected: i === index},
                names?.words?.[i] ? `${i} ${visible(names.words[i])}` : String(i)));
        return make("label", {hidden: shape[axis] < 2}, axisName, " ", make("select", {onchange: move}, options));
    });
    return make(
        "div", "controls", selectors, viewSwitch(page, stop, gradient),
        legend(page, stop, gradient));
}

function viewSwitch(page, stop, gradient) {
    if (gradient || !page.comparison?.has(stop)) return "";
    const {left, right} = page.comparison.names;
    const views =
        [["both", "side by side"], ["left", left], ["right", right], ["difference", "difference"]];
    return choiceOf("Sides", views, page.view, (view) => page.setView(view));
}

// choices: [[value, text]…]
function choiceOf(label, choices, chosen, choose) {
    return make(
        "div", {class: "switch", role: "group", "aria-label": label},
        choices.map(
            ([value, text]) => make(
                "button", {"aria-pressed": value === chosen, onclick: () => choose(value)},
                visible(text))));
}

function legend(page, stop, gradient) {
    const {numbers} = page, isDifference =
              page.view === "difference" && !gradient && page.comparison?.has(stop);
    const scale = isDifference ? numbers.differenceScale(stop) : numbers.scaleInView(stop.tensor, gradient);
    const end = (x) => shown(x, min(page.places, 2), page.data.real), isWeight = ({kind}) => kind === "weight";
    const parts = (of, bar) => (isWeight(of) ? ["0", bar, brief(of.largest, 2)] : [end(-of.largest), bar, end(of.largest)]);
    const said = new Set([String(parts(scale, gradient))]);
    // What is beside it has other colours where it is of another kind.
    const beside = (isDifference ? [] : numbers.inView).map((each) => {
        const of = numbers.scaleInView(each.tensor, each.gradient), key = String(parts(of, !!each.gradient));
        if (!of.hasColors || said.has(key)) return "";
        said.add(key);
        return make("span", "beside", each.gradient ? "∂L/∂: " : isWeight(of) ? "weights: " : "numbers: ", parts(of, barOf(of)));
    });
    if (!scale.hasColors) return beside;
    const bar = barOf(scale);
    if (!isWeight(scale))
        return [make("span", {class: "legend", title: "One scale for all numbers here; each small picture has its own."}, parts(scale, bar)), beside];
    const keys = page.trace.shape(stop.tensor).at(-1), even = numbers.hasHidden(stop.tensor) ? 0 : 1 / keys;
    const mark = make("span", "legend-mark");
    mark.style.left = 100 * scale.position(even) + "%";
    if (even && even <= scale.largest) bar.append(mark);
    return [
        make("span", "legend", parts(scale, bar)), bar.firstChild ? make("span", "quiet-note", `▴ all equal: 1/${keys}`) : "",
        choiceOf(
            "Colours", [[false, "0 to 1"], [true, "this map"]], numbers.hasOwnScale(stop.tensor), (own) => page.setOwnScale(own)),
        beside
    ];
}
