// On paper: all steps one after the other, with formula, sentence and numbers.
import {masthead} from "./bar_view.js";
import {make, name} from "./dom.js";
import {formulaView, prose} from "./formula_view.js";
import {elementOf, forEachPlace} from "./shape.js";
import {reasonsOf} from "./sides_view.js";
import {Slice} from "./slice.js";
import {answerOf} from "./step_heading.js";
import {visible} from "./text.js";

const mostPrintedRows = 24, mostPrintedColumns = 12, mostMatrices = 12;

export class PrintView {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        addEventListener("beforeprint", () => this.fill());
        addEventListener("afterprint", () => this.host.replaceChildren());
    }

    fill() {
        const {page} = this;
        this.host.replaceChildren(...masthead(page.data), ...page.data.steps.map((step) => this.step(step)));
    }

    step(step) {
        const {page} = this, shape = page.trace.shape(step.tensor);
        return make(
            "section", "printed",
            make(
                "h2", {}, name(visible(step.path), page.symbols.classOf(step.tensor)),
                make("span", "shape", shape.length ? ` (${shape.join(", ")})` : "")),
            step.formula ? make(
                               "p", "formula-line",
                               formulaView(step.formula, page.symbols.meanings(step), page.symbols, null))
                         : null,
            step.sentence ? make("p", {}, prose(step.sentence)) : null, this.matrices(step, shape),
            ...(this.isApart(step) ? reasonsOf(step) : []),
            (step.checks || [])
                .map(
                    ([holds, text]) => make(
                        "p", "printed-check",
                        holds ? "✓ " : "✗ ", name(visible(text)))),
            answerOf(page, step, false));
    }

    // Whether the sides of a comparison differ in this step: then both are printed.
    isApart(step) {
        const {comparison} = this.page;
        return comparison && comparison.firstDifference(step) >= 0;
    }

    matrices(step, shape) {
        const {page} = this, leading = shape.slice(0, -2), place = new Array(leading.length).fill(0),
              tables = [];
        if (page.trace.size(step.tensor) === 0) return make("p", {}, "no numbers");
        forEachPlace(leading, place, () => {
            if (tables.length >= mostMatrices) return;
            const at = elementOf(shape, [...place, ...shape.slice(-2).map(() => 0)]);
            const slice = new Slice(shape, at), caption = leading.length ? `[${place.join(",")}]` : "";
            tables.push(...this.sidesOf(step).map(([side, valueAt, places]) => make(
                "figure", {},
                caption || side ? make("figcaption", {}, [caption, name(visible(side))].filter(Boolean)) : null,
                this.table(step, slice, valueAt, places))));
        });
        return make("div", "printed-numbers", tables);
    }

    // [name, numbers, decimals] of each side
    sidesOf(step) {
        const {trace, comparison, places} = this.page, own = (at) => trace.value(step.tensor, at);
        if (!this.isApart(step)) return [["", own, places]];
        const {left, right} = comparison.names, more = comparison.placesOf(step, places);
        return [[left, own, more], [right, (at) => comparison.rightValue(step, at), more]];
    }

    table(step, slice, valueAt, places) {
        const {page} = this, rows = shortened(slice.rows, mostPrintedRows),
              columns = shortened(slice.columns, mostPrintedColumns);
        const heads = page.numbers.headsOf(step.tensor, slice), hasHeads = step.axes;
        const cell = (i, j) => {
            if (i < 0 || j < 0) return make("td", {}, "…");
            const at = slice.element(i, j), isHidden = page.trace.isHidden(step.tensor, at);
            const isApart = this.isApart(step) && page.comparison.differsAt(step, at);
            const word = step.words?.[at] ? " " + visible(step.words[at]) : "";
            return make(
                "td", {class: isHidden ? "hidden-score" : isApart ? "differs" : null},
                page.numbers.written(valueAt(at), step, places) + word);
        };
        const head = (index, f) => make("th", {}, index < 0 ? "…" : f(index));
        return make(
            "table", {},
            hasHeads ? make("tr", {}, make("td"), columns.map((j) => head(j, heads.column))) : null,
            rows.map(
                (i) => make("tr", {}, hasHeads ? head(i, heads.row) : null, columns.map((j) => cell(i, j)))));
    }
}

// The first and the last indices, −1 for those left out.
export function shortened(count, most) {
    if (count <= most) return Array.from({length: count}, (_, i) => i);
    const first = Math.ceil((most - 1) / 2), last = most - 1 - first;
    return [
        ...Array.from({length: first}, (_, i) => i), -1,
        ...Array.from({length: last}, (_, i) => count - last + i)
    ];
}
