// How the page shows numbers: their colours, their words, their decimals, and what is hidden.
import {parseAddress, tensorNamed} from "./address.js";
import {axesByTensor} from "./axes.js";
import {ColorScale, largestOf} from "./colors.js";
import {shown} from "./numbers.js";
import {max, min, placeOf} from "./shape.js";
import {visible} from "./text.js";

const manyKeys = 16;

export class ShownNumbers {
    constructor(page) {
        this.page = page;
        this.scales = new Map();
        this.axes = axesByTensor(page.trace);
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
        // A single number has no colour: it would be the largest of its own.
        const isLone = this.page.trace.shape(tensor).length === 0;
        const kind = isLone ? "word" : gradient ? "number" : this.page.stopOf(tensor).kind, isFixed = kind === "weight" && !this.hasOwnScale(tensor);
        const key = [tensor, gradient, this.page.isDark, isFixed].join();
        if (!this.scales.has(key))
            this.scales.set(
                key, new ColorScale(kind, isFixed ? 1 : this.largest(tensor, gradient) || 1, this.page.isDark));
        return this.scales.get(key);
    }

    // One for all numbers in view: the step's own and those that it was made from. Weights have theirs, and so have gradients.
    scaleInView(tensor, gradient) {
        const own = this.scaleOf(tensor, gradient), isOne = ({kind}) => !["weight", "word"].includes(kind);
        if (!isOne(own)) return own;
        const of = this.inView.filter((each) => !each.gradient === !gradient).map((each) => this.scaleOf(each.tensor, gradient));
        return of.filter(isOne).reduce((most, each) => (each.largest > most.largest ? each : most), own);
    }

    // Weights are coloured from 0 to 1, or up to the map's largest: as chosen, else where so many keys share 1 that all would
    // be dark.
    hasOwnScale(tensor) { return this.page.hasOwnScale ?? this.page.trace.shape(tensor).at(-1) > manyKeys; }

    // Of both sides, where there are two.
    largest(tensor, gradient) {
        const size = this.page.trace.size(tensor), stop = this.page.byTensor.get(tensor);
        const own = largestOf(size, this.readerOf(tensor, gradient));
        if (gradient || !this.page.comparison || !stop) return own;
        return max(own, largestOf(size, (at) => this.page.comparison.rightValue(stop, at)));
    }

    differenceScale(step) {
        const largest = largestOf(this.page.trace.size(step.tensor), (at) => this.page.comparison.difference(step, at));
        return new ColorScale("number", largest, this.page.isDark);
    }

    hasHidden(tensor) {
        const stop = this.page.byTensor.get(tensor);
        return stop?.hidden !== undefined;
    }

    isHidden({tensor, at, gradient}) {
        return !gradient && this.hasHidden(tensor) && this.page.trace.isHidden(tensor, at);
    }

    cellSettings(tensor, gradient) {
        const stop = this.page.stopOf(tensor), {words} = stop;
        return {
            trace: this.page.activeTrace,
            scale: this.scaleInView(tensor, gradient),
            places: this.page.places,
            kind: gradient ? "number" : stop.kind,
            isHidden: (element) => this.isHidden(element),
            wordOf: words && !gradient ? ({at}) => words[at] || "" : null,
            isVeiled: (element) => this.page.lecture.veils(element),
            marksOf: (element) => this.page.lights.marksOf(element)
        };
    }

    // The words or numbers on the axes of a slice.
    headsOf(tensor, slice) {
        const axes = this.axes.get(tensor) || [], rank = this.page.trace.shape(tensor).length;
        const rows = axes[rank - 2], columns = axes[rank - 1];
        const answers = this.answersOf(tensor), likeliest = !answers && this.likeliestOf(tensor, columns || {});
        const choice = (i) => (likeliest ? ` → ${column(likeliest(slice, i, 1)[0])}` : "");
        const row = (i) => (rank < 2 ? "" : answers ? answers(i + slice.first).join(" → ") : placedOf(rows, i + slice.first) + choice(i)), column = (j) => placedOf(columns, j);
        const some = (head, count, most) => Array.from({length: min(count, most)}, (_, i) => head(i));
        const names =
            rows && columns && rows.name && columns.name ? [visible(rows.name), visible(columns.name)] : null;
        return {
            row,
            column,
            names,
            rowSample: some(row, slice.rows, 200).concat(rank < 2 ? "" : row(slice.rows - 1)),
            columnSample: some(column, slice.columns, 30)
        };
    }

    // The classes of a row by their numbers, the greatest first, where they have words and a trained model chooses: f(slice, row, most).
    likeliestOf(tensor, {words, name} = (this.axes.get(tensor) || []).at(-1) || {}) {
        const {trace, data} = this.page;
        if (!data.answer || !words || !["class", "token"].includes(name)) return null;
        const all = trace.all(tensor);
        return ({base, columns}, row, most) => Array.from(words.keys())
            .sort((a, b) => all[base + row * columns + b] - all[base + row * columns + a]).slice(0, most);
    }

    // The first number that the model predicted: {tensor, place}
    get answer() {
        const {opens, answer} = this.page.data, {name, place} = (answer && parseAddress("#" + opens)) || {};
        return place ? {tensor: tensorNamed(this.page.trace, name), place} : null;
    }

    // Of queries in whose rows the model answers f(row), the row and what it writes there.
    answersOf(tensor) {
        const {answer, page} = this, rowsOf = (id) => (this.axes.get(id) || []).at(-2) || {}, {shape} = page.trace.tensors[tensor];
        if (!answer || rowsOf(tensor).name !== "query") return null;
        const {words} = rowsOf(answer.tensor), [rows, columns] = page.trace.shape(answer.tensor).slice(-2), likeliest = this.likeliestOf(answer.tensor);
        if (!likeliest || shape.at(-2) !== rows || (words && String(words) !== String(rowsOf(tensor).words))) return null;
        return (i) => [String(i), headOf(this.axes.get(answer.tensor).at(-1), likeliest({base: 0, columns}, i, 1)[0])];
    }

    // The rows before the first that the model answers in: those are of padding.
    paddingOf(tensor) {
        const {answer} = this, of = answer && (this.answersOf(tensor) ? answer.tensor : tensor);
        return answer && (this.axes.get(of) || []).at(-2)?.name === "place" ? answer.place.at(-2) || 0 : 0;
    }

    // The words or numbers along an axis of a tensor.
    headAlong(tensor, axis) { return (i) => placedOf((this.axes.get(tensor) || [])[axis], i); }

    // The words on the axes of one number: [{axis, word}…]
    wordsAt({tensor, at, gradient}) {
        const stop = this.page.stopOf(this.page.state.tensor), axes = this.axes.get(stop.tensor) || [],
              place = placeOf(this.page.activeTrace.shape(tensor), at);
        const found = axes.map(
                              (axis, n) =>
                                  (axis?.words?.[place[n]] !== undefined
                                       ? {axis: axis.name, word: axis.words[place[n]]}
                                       : null))
                          .filter(Boolean);
        if (stop.words?.[at] !== undefined && !gradient)
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
                shown(numbers[this.page.state.at], max(this.page.places, 4), this.page.data.real)}.`);
        if (stop.agreement)
            remarks.push(`All of ${this.page.labels(this.page.trace).name(stop.tensor)}: finite differences ${
                stop.agreement[0] ? "" : "do not agree: "}${stop.agreement[1]}.`);
        return remarks;
    }
}

// A word of a text with its position, cat₁, by which a number is addressed: as in all pictures of a pass.
const placed = ["position", "query", "key"];
const below = (i) => String(i).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
const placedOf = (axis, i) => headOf(axis, i) + (axis?.words?.[i] !== undefined && placed.includes(axis.name) ? below(i) : "");
const headOf = (axis, i) => visible(axis?.words?.[i] !== undefined ? axis.words[i] : String(i));
