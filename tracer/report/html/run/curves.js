// Curves of a run by step, as SVG: one chart a quantity, all with the same steps across.
import {make, svg} from "../dom.js";
import {brief} from "../numbers.js";
import {abs, floor, max, min} from "../shape.js";

const frame = {width: 440, height: 230, left: 76, right: 16, top: 10, bottom: 30};

// Numbers at which an axis is labelled: 1, 2 or 5 times a power of ten.
export function ticks(low, high, most) {
    if (!(high > low)) return [low];
    const rough = (high - low) / most, power = 10 ** floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const all = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); ++i) all.push(i * step);
    return all;
}

// [low, high] of the finite numbers, a little apart when they are equal.
export function extent(numbers) {
    const finite = numbers.filter((x) => Number.isFinite(x));
    if (finite.length === 0) return null;
    const low = finite.reduce((a, b) => min(a, b)), high = finite.reduce((a, b) => max(a, b));
    return low < high ? [low, high] : [low - (abs(low) || 1) / 2, high + (abs(high) || 1) / 2];
}

// The chart of one quantity. curves: [{name, points: [[step, value], …], isSparse}]; choose(step) is called for a press. Where
// little was measured stand points: a line would say what lies between.
export class CurveChart {
    constructor(title, curves, steps, choose) {
        this.curves = curves;
        this.steps = steps;
        const all = curves.flatMap(({points}) => points.map(([, y]) => y));
        this.range = extent(all) && extent([...all, 0]);  // all are sizes: their axes begin at 0
        this.picture = svg("svg", {viewBox: `0 0 ${frame.width} ${frame.height}`, class: "chart", role: "img", "aria-label": `${title} by step`});
        this.cursor = svg("line", {class: "cursor", y1: frame.top, y2: frame.height - frame.bottom});
        this.readings = curves.map(() => make("span", "reading"));
        this.element = make("figure", "curve", make("figcaption", {}, title, this.legend()), this.picture);
        if (this.range) this.draw();
        this.picture.addEventListener("pointerdown", (event) => choose(this.stepAt(event)));
        this.picture.addEventListener("pointermove", (event) => event.buttons === 1 && choose(this.stepAt(event)));
    }

    // The names of the curves, each with its number.
    legend() {
        const isOne = this.curves.length < 2;
        return make("span", {class: isOne ? "own" : "legend-line"}, this.curves.map(({name, isSparse}, n) =>
            make("span", {class: `legend-entry symbol-${n}`}, isOne ? "" : isSparse ? `● ${name} ` : `─ ${name} `, this.readings[n])));
    }

    x(step) {
        const [first, last] = this.steps;
        return frame.left + ((step - first) / max(last - first, 1)) * (frame.width - frame.left - frame.right);
    }

    y(value) {
        const [low, high] = this.range;
        return frame.height - frame.bottom - ((value - low) / (high - low)) * (frame.height - frame.top - frame.bottom);
    }

    stepAt(event) {
        const box = this.picture.getBoundingClientRect(), [first, last] = this.steps;
        const share = (((event.clientX - box.left) / box.width) * frame.width - frame.left) / (frame.width - frame.left - frame.right);
        return first + share * (last - first);
    }

    draw() {
        const text = (x, y, words, anchor) => {
            const label = svg("text", {x, y, "text-anchor": anchor, class: "tick"});
            label.textContent = words;
            return label;
        };
        for (const y of ticks(this.range[0], this.range[1], 5))
            this.picture.append(svg("line", {class: "rule", x1: frame.left, x2: frame.width - frame.right, y1: this.y(y), y2: this.y(y)}),
                text(frame.left - 6, this.y(y) + 4, brief(y, 5), "end"));
        for (const x of ticks(this.steps[0], this.steps[1], 5))
            if (Number.isInteger(x) && this.x(x) < frame.width - 90) this.picture.append(text(this.x(x), frame.height - 8, String(x), "middle"));
        this.picture.append(text(frame.width - frame.right, frame.height - 8, "step", "end"));
        this.curves.forEach(({points, isSparse}, n) => this.picture.append(...(isSparse ? this.dots : this.path).call(this, points, `symbol-${n}`)));
        this.picture.append(this.cursor);
    }

    // A point that is not finite interrupts the line.
    path(points, color) {
        let d = "", isOpen = false;
        for (const [step, value] of points) {
            if (Number.isFinite(value)) d += `${isOpen ? "L" : "M"}${this.x(step).toFixed(1)} ${this.y(value).toFixed(1)}`;
            isOpen = Number.isFinite(value);
        }
        return [svg("path", {d: d || "M0 0", class: `line-path ${color}`})];
    }

    dots(points, color) {
        return points.filter(([, value]) => Number.isFinite(value)).map(([step, value]) =>
            svg("circle", {cx: this.x(step).toFixed(1), cy: this.y(value).toFixed(1), r: 4, class: `dot ${color}`}));
    }

    // The cursor at a step, and each curve's last number up to it.
    show(step) {
        if (!this.range) return this.readings[0].replaceChildren("no finite number");
        this.cursor.setAttribute("x1", this.x(step));
        this.cursor.setAttribute("x2", this.x(step));
        this.curves.forEach(({points}, n) => {
            const last = points.filter(([at]) => at <= step).at(-1);
            this.readings[n].replaceChildren(last ? brief(Number(Number(last[1]).toPrecision(4)), 8) : "–");
        });
    }
}
