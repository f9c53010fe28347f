// Between a step's words and its numbers: selectors of leading axes, the sides of a comparison, what colours mean.
import {barOf} from "./colors.js";
import {make} from "./dom.js";
import {drawHeatMap, heatMapSize} from "./heat_map.js";
import {brief, shown} from "./numbers.js";
import {max, min} from "./shape.js";
import {visible} from "./text.js";

const headMap = {width: 40, height: 40}, mostHeads = 16;

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
        const maps = axisName === "head" && stop.kind === "weight" && !gradient && shape[axis] > 1 && shape[axis] <= mostHeads;
        return [maps ? headMaps(page, tensor, slice, axis, (to) => move({target: {value: to}})) : "",
            make("label", {hidden: shape[axis] < 2 || maps}, axisName, " ", make("select", {onchange: move}, options))];
    });
    return make(
        "div", "controls", selectors, viewSwitch(page, stop, gradient),
        legend(page, stop, gradient));
}

// All heads of an attention as small maps, of which one is chosen.
function headMaps(page, tensor, slice, axis, choose) {
    const {numbers} = page, valueAt = numbers.readerOf(tensor, false), {rows, columns, base, leading, shape} = slice;
    const {width, height} = heatMapSize(rows, columns, headMap);
    return make("div", {class: "heads", role: "group", "aria-label": "Heads"}, "head", Array.from({length: shape[axis]}, (_, head) => {
        const canvas = make("canvas", {"aria-hidden": "true"}), at = (i, j) => slice.moved(base, axis, head) + i * columns + j;
        drawHeatMap(canvas, {rows, columns, scale: numbers.scaleOf(tensor, false), valueAt: (i, j) => valueAt(at(i, j)),
            isHidden: (i, j) => numbers.isHidden({tensor, at: at(i, j)})}, width, height);
        return make("button", {"aria-pressed": head === leading[axis], "aria-label": `head ${head}`, onclick: () => choose(head)}, canvas, String(head));
    }));
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
