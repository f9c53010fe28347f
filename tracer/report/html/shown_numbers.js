// How the page shows numbers: their colours, their words, their decimals, and what is hidden.
import {ColorScale, largestOf} from "./colors.js";
import {shown} from "./numbers.js";
import {placeOf} from "./shape.js";
import {visible} from "./text.js";

export class ShownNumbers {
    constructor(page) {
        this.page = page;
        this.scales = new Map();
    }

    readerOf(tensor, gradient) {
        const {trace} = this.page;
        if (!gradient) {
            const all = trace.all(tensor);
            return (at) => all[at];
        }
        const own = trace.gradientData(tensor);
        return own ? (at) => own[at] : (at) => trace.gradient(tensor, at);
    }

    scaleOf(tensor, gradient) {
        const key = [tensor, gradient, this.page.isDark].join();
        if (!this.scales.has(key)) {
            const kind = gradient ? "number" : this.page.stopOf(tensor).kind;
            this.scales.set(
                key, new ColorScale(kind, kind === "weight" ? 1 : this.largest(tensor, gradient), this.page.isDark));
        }
        return this.scales.get(key);
    }

    // Of both sides, where there are two.
    largest(tensor, gradient) {
        const size = this.page.trace.size(tensor), stop = this.page.byTensor.get(tensor);
        const own = largestOf(size, this.readerOf(tensor, gradient));
        if (gradient || !this.page.comparison || !stop) return own;
        return Math.max(own, largestOf(size, (at) => this.page.comparison.rightValue(stop, at)));
    }

    differenceScale(step) {
        const largest = largestOf(this.page.trace.size(step.tensor), (at) => this.page.comparison.difference(step, at));
        return new ColorScale("number", largest, this.page.isDark);
    }

    hasHidden(tensor) {
        const stop = this.page.byTensor.get(tensor);
        return Boolean(stop && stop.hidden !== undefined);
    }

    isHidden({tensor, at, gradient}) {
        return !gradient && this.hasHidden(tensor) && this.page.trace.isHidden(tensor, at);
    }

    cellSettings(tensor, gradient) {
        const stop = this.page.stopOf(tensor), {words} = stop;
        return {
            trace: this.page.activeTrace,
            scale: this.scaleOf(tensor, gradient),
            places: this.page.places,
            kind: gradient ? "number" : stop.kind,
            isHidden: (element) => this.isHidden(element),
            wordOf: words && !gradient ? ({at}) => words[at] || "" : null,
            marksOf: (element) => this.page.lights.marksOf(element)
        };
    }

    // The words or numbers on the axes of a slice.
    headsOf(tensor, slice) {
        const axes = this.page.stopOf(tensor).axes || [], rank = this.page.trace.shape(tensor).length;
        const rows = axes[rank - 2], columns = axes[rank - 1];
        const head = (axis) => (i) =>
            (axis && axis.words && axis.words[i] !== undefined ? axis.words[i] : String(i));
        const row = (i) => (rank < 2 ? "" : visible(head(rows)(i))),
              column = (j) => visible(head(columns)(j));
        const sample =
            Array.from({length: Math.min(slice.rows, 200)}, (_, i) => row(i)).concat(String(slice.rows - 1));
        const names =
            rows && columns && rows.name && columns.name ? visible(`${rows.name} \\ ${columns.name}`) : "";
        return {row, column, names, sample};
    }

    // The words on the axes of one number: [{axis, word}…]
    wordsAt({tensor, at, gradient}) {
        const stop = this.page.stopOf(this.page.state.tensor), axes = stop.axes || [],
              place = placeOf(this.page.activeTrace.shape(tensor), at);
        const found = axes.map(
                              (axis, n) =>
                                  (axis && axis.words && axis.words[place[n]] !== undefined
                                       ? {axis: axis.name, word: axis.words[place[n]]}
                                       : null))
                          .filter(Boolean);
        if (stop.words && stop.words[at] !== undefined && !gradient)
            found.push({axis: "", word: stop.words[at]});
        return found;
    }

    // The attributes by which a test, or another program, finds a number.
    dataOf({tensor, at, gradient}, precise) {
        return {
            "data-tensor": tensor,
            "data-at": at,
            "data-exact": precise,
            "data-gradient": gradient ? "" : null,
            "data-side": this.page.state.side === "right" ? "right" : null
        };
    }

    // A number as it is shown: a token's number has no decimals.
    written(value, {kind} = this.page.stopOf(this.page.state.tensor), places = this.page.shownPlaces) {
        return kind === "word" && Number.isInteger(value) ? String(value) : shown(value, places, this.page.data.real);
    }

    // What finite differences say beside the chosen number's gradient.
    differenceAt() {
        const stop = this.page.byTensor.get(this.page.state.tensor);
        if (!stop) return [];
        const numbers = this.page.trace.stored(stop, "difference"), remarks = [];
        if (numbers)
            remarks.push(`By finite differences: ${
                shown(numbers[this.page.state.at], Math.max(this.page.places, 4), this.page.data.real)}.`);
        if (stop.agreement)
            remarks.push(`All of ${this.page.labels(this.page.trace).name(stop.tensor)}: finite differences ${
                stop.agreement[0] ? "" : "do not agree: "}${stop.agreement[1]}.`);
        return remarks;
    }
}
