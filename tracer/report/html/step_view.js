// The middle column: one step, its formula, its sentence and its numbers, with what they were made from
// beside them.
import {differs} from "./comparison.js";
import {make, name} from "./dom.js";
import {formulaView} from "./formula_view.js";
import {GridView} from "./grid_view.js";
import {scopeOf} from "./labels.js";
import {cellHeight, cellWidthFor, headWidthFor, numberCell} from "./number_cells.js";
import {shown} from "./numbers.js";
import {operandTensors, productOf} from "./operand_panels.js";
import {Overview} from "./overview.js";
import {placeOf} from "./shape.js";
import {Slice} from "./slice.js";
import {visible} from "./text.js";

const mostRows = 16, mostColumns = 12;  // larger tensors get a picture of the whole as well
const mostOperand = 12;

export class StepView {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        this.grids = [];  // all that show marks
        this.shownKey = "";
    }

    // Builds the step anew where another one, or another slice, is to be seen; else only moves the marks.
    show() {
        const {page} = this, {tensor, at, gradient, side} = page.state;
        const slice = new Slice(page.trace.shape(tensor), at);
        const key = JSON.stringify([
            tensor, slice.base, gradient, side, page.places, page.isDark, page.view, page.isRevealed(tensor),
            page.quizKey()
        ]);
        if (key !== this.shownKey) this.build(tensor, slice, gradient);
        this.shownKey = key;
        this.mark(true);
    }

    build(tensor, slice, gradient) {
        const {page, host} = this, stop = page.stopOf(tensor);
        for (const grid of this.grids) grid.observer.disconnect();
        this.grids = [];
        this.main = null;
        host.replaceChildren(
            this.heading(stop, gradient), this.formula(stop, gradient), this.sentence(stop, gradient));
        if (!page.isRevealed(tensor)) {
            host.append(page.quizView.question(stop));
            return;
        }
        const size = page.trace.size(tensor);
        if (size === 0) {
            host.append(make(
                "p", {class: "quiet-note"},
                `Its shape is (${page.trace.shape(tensor).join(", ")}): it has no numbers.`));
            return;
        }
        host.append(
            this.controls(tensor, slice, gradient), ...this.panels(tensor, slice, gradient),
            ...this.checks(stop, gradient), page.quizView.verdict(stop));
    }

    heading(stop, gradient) {
        const {page} = this, scope = scopeOf(stop.path), shape = page.trace.shape(stop.tensor);
        return make(
            "header", {class: "step-heading"},
            scope && !stop.isParameter
                ? make("p", {class: "scope-name"}, name(visible(scope.slice(0, -1).replaceAll("/", " / "))))
                : null,
            make(
                "h1", {}, gradient ? "∂L/∂" : "",
                name(
                    visible(stop.title || stop.path.slice(stop.isParameter ? 0 : scope.length)),
                    {class: page.symbols.classOf(stop.tensor)}),
                page.quizView.knowsShape(stop)
                    ? make("span", {class: "shape"}, shape.length ? `(${shape.join(", ")})` : "one number")
                                                                  : null));
    }

    formula(stop, gradient) {
        const {page} = this;
        if (gradient) {
            const {scalar, scalarValue} = page.data;
            return make(
                "p", {class: "formula-line"}, make("var", {}, "L"), " = ", name(visible(scalar)),
                ` = ${shown(scalarValue, Math.max(page.places, 4), page.data.real)}`);
        }
        if (!stop.formula) return "";
        return make(
            "p", {class: "formula-line"},
            formulaView(
                stop.formula, page.symbols.meanings(stop), page.symbols, (id) => page.open(id, true)));
    }

    sentence(stop, gradient) {
        if (gradient)
            return make(
                "p", {class: "sentence"}, "How much L changes for a small change of each of these numbers.");
        return stop.sentence ? make("p", {class: "sentence"}, name(visible(stop.sentence))) : "";
    }

    // Selectors of the leading axes, the views of a comparison, and the meaning of the colours.
    controls(tensor, slice, gradient) {
        const {page} = this, shape = page.trace.shape(tensor), stop = page.stopOf(tensor);
        const selectors = slice.leading.map((index, axis) => {
            const names = (stop.axes || [])[axis],
                  axisName = names          ? visible(names.name)
                : shape.length === 3        ? "batch"
                : axis === shape.length - 3 ? "head"
                                            : "batch";
            const move = ({target}) =>
                page.choose({tensor, at: slice.moved(page.state.at, axis, Number(target.value)), gradient});
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
                    names && names.words && names.words[i] ? `${i} ${visible(names.words[i])}` : String(i)));
            return make("label", {}, axisName, " ", make("select", {onchange: move}, options));
        });
        return make(
            "div", {class: "controls"}, selectors, this.viewSwitch(stop, gradient),
            this.legend(stop, gradient));
    }

    viewSwitch(stop, gradient) {
        const {page} = this;
        if (gradient || !page.comparison || !page.comparison.has(stop)) return "";
        const {left, right} = page.comparison.names;
        const views =
            [["both", "side by side"], ["left", left], ["right", right], ["difference", "difference"]];
        return make(
            "div", {class: "switch", role: "group", "aria-label": "Sides"},
            views.map(
                ([view, text]) => make(
                    "button",
                    {type: "button", "aria-pressed": page.view === view, onclick: () => page.setView(view)},
                    visible(text))));
    }

    legend(stop, gradient) {
        const {page} = this,
              isDifference =
                  page.view === "difference" && !gradient && page.comparison && page.comparison.has(stop);
        const scale = isDifference ? page.differenceScale(stop) : page.scaleOf(stop.tensor, gradient);
        if (!scale.hasColors) return "";
        const bar = make("span", {class: "legend-bar"});
        const at = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1].map(
            (p) => `rgb(${scale.table[Math.round(p * 256)].join(",")}) ${p * 100}%`);
        bar.style.background = `linear-gradient(to right, ${at.join(", ")})`;
        const end = scale.kind === "weight" ? ["0", "1"] : [
            "−" + shown(scale.largest, Math.min(page.places, 2), page.data.real),
            shown(scale.largest, Math.min(page.places, 2), page.data.real)
        ];
        return make("span", {class: "legend"}, end[0], bar, end[1]);
    }

    panels(tensor, slice, gradient) {
        const {page} = this, stop = page.stopOf(tensor);
        if (!gradient && page.comparison && page.comparison.has(stop)) return this.sides(stop, slice);
        const main = this.numbers(tensor, slice, gradient);
        const made = this.composition(tensor, slice, gradient, main);
        return gradient && stop.difference !== undefined ? [made, this.differences(stop, slice)] : [made];
    }

    // The numbers themselves, and a picture of all of them where they are many.
    numbers(tensor, slice, gradient, more = {}) {
        const grid = this.grid(tensor, slice, gradient, more);
        if (!more.quiet) this.main = this.main || grid;
        if (!this.isLarge(slice)) return grid.element;
        const overview = new Overview(this.page, grid, slice, tensor, gradient, more.numberOf);
        return make("div", {class: "large"}, overview.element, grid.element);
    }

    isLarge({rows, columns}) { return rows > mostRows || columns > mostColumns; }

    grid(tensor, slice, gradient, more = {}) {
        const {page} = this, element = (i, j) => ({tensor, at: slice.element(i, j), gradient});
        const grid = this.matrix(
            {
                ...this.headed(tensor, slice),
                element,
                settings: {...page.cellSettings(tensor, gradient), ...more},
                label: (gradient ? "Gradients of " : "Numbers of ") + page.labels(page.trace).name(tensor) +
                    (more.title ? ", " + more.title : "")
            },
            {
                quiet: more.quiet,
                onchoose: (i, j) => page.choose({...element(i, j), side: more.side}),
                onhover: (place) => page.hover(place && element(...place))
            });
        grid.slice = slice;
        return grid;
    }

    headed(tensor, slice) {
        const {names, row, column, sample} = this.page.headsOf(tensor, slice);
        return {
            rows: slice.rows,
            columns: slice.columns,
            rowHead: row,
            columnHead: column,
            axisNames: names,
            headWidth: headWidthFor([names, ...sample])
        };
    }

    // A grid of elements: element(i, j) is what stands in a cell. Pictures of operands lead to their numbers.
    matrix(model, options) {
        const {settings, element} = model, {page} = this;
        model.cell = (i, j) => numberCell(settings, element(i, j));
        const grid = new GridView(model, {
            cellHeight,
            cellWidth: cellWidthFor(settings.scale.largest || 1, settings.places, Boolean(settings.wordOf)),
            headWidth: model.headWidth,
            quiet: true,
            onchoose: (i, j) => page.enter(element(i, j)),
            ...options
        });
        this.grids.push(grid);
        return grid;
    }

    // The result with its operands: to the left and above in a product, before it otherwise.
    composition(tensor, slice, gradient, main) {
        const {page} = this, product = productOf(page.activeTrace, tensor, gradient, slice);
        const operands = operandTensors(page.activeTrace, page.chosen);
        const own = this.operandFigure({tensor, gradient}, main, false, "own");
        if (!product) {
            // Much that it was made from stands below it.
            const rows = operands.reduce(
                (sum, each) => sum + 2 + new Slice(page.activeTrace.shape(each.tensor), each.at).rows, 0);
            return make(
                "div", {class: "made"},
                ...(this.isLarge(slice) || rows > 11 ? [own, this.strip(operands)]
                                                     : [this.strip(operands), own]));
        }
        const left = this.productPanel(product, "left", slice.rows, product.inner);
        const top = this.productPanel(product, "top", product.inner, slice.columns);
        const used = [product.left(0, 0), product.top(0, 0)];
        const rest = operands.filter(
            (each) => !used.some((e) => e.tensor === each.tensor && e.gradient === each.gradient));
        top.grid.headWidth = this.main.headWidth;
        top.grid.cellWidth = this.main.cellWidth;
        top.grid.layOut();
        return make(
            "div", {class: "made"},
            make(
                "div", {class: "product"}, top.element, left.element,
                make("div", {class: "result-cell"}, own)),
            this.strip(rest));
    }

    productPanel(product, side, rows, columns) {
        const first = product[side](0, 0),
              isTurned = side === "left" ? product.isLeftTurned : product.isTopTurned;
        const grid = this.matrix({
            rows,
            columns,
            rowHead: String,
            columnHead: String,
            axisNames: "",
            headWidth: headWidthFor(["00"]),
            element: product[side],
            settings: this.page.cellSettings(first.tensor, first.gradient)
        });
        return {grid, element: this.operandFigure(first, grid.element, isTurned, "operand " + side)};
    }

    operandFigure(element, content, isTurned, kind) {
        const {page} = this,
              title = (element.gradient ? "∂L/∂" : "") + page.labels().name(element.tensor) +
            (isTurned ? "ᵀ" : "");
        return make(
            "figure", {class: kind, "aria-hidden": kind === "own" ? null : "true"},
            make(
                "figcaption", {},
                name(title, {class: page.symbols.classOf(element.tensor, page.activeTrace)})),
            content);
    }

    strip(operands) {
        const {page} = this;
        if (operands.length === 0) return "";
        return make("div", {class: "strip"}, operands.map((element) => {
            const shape = page.activeTrace.shape(element.tensor), slice = new Slice(shape, element.at);
            const isSmall = slice.rows <= mostOperand && slice.columns <= mostOperand;
            if (isSmall)
                return this.operandFigure(
                    element, this.operandGrid(element, slice).element, false, "operand");
            const overview = new Overview(page, null, slice, element.tensor, element.gradient);
            this.grids.push(overview);
            return this.operandFigure(element, overview.element, false, "operand");
        }));
    }

    // Where its columns are as many as the result's, they stand above one another.
    operandGrid({tensor, gradient}, slice) {
        const model = {
            ...this.headed(tensor, slice),
            element: (i, j) => ({tensor, at: slice.element(i, j), gradient}),
            settings: this.page.cellSettings(tensor, gradient)
        };
        const {main} = this, isAlike = main && main.model.columns === slice.columns;
        if (!isAlike) return this.matrix(model);
        if (model.headWidth > main.headWidth) main.widenHeads(model.headWidth);
        return this.matrix(model, {cellWidth: main.cellWidth, headWidth: main.headWidth});
    }

    // The two sides of a comparison, and their differences.
    sides(stop, slice) {
        const {page} = this, {comparison, view, trace} = page, {tensor} = stop;
        const right = (e) => comparison.rightValue(stop, e.at), panels = [];
        const marksOf =
            (e) => [...page.marksOf(e), ...(differs(trace.value(tensor, e.at), right(e)) ? ["differs"] : [])];
        const add = (title, more) => panels.push(make(
            "figure", {class: "side"}, make("figcaption", {}, name(visible(title))),
            this.numbers(tensor, slice, false, {title, marksOf, trace, ...more})));
        if (view !== "right" && view !== "difference") add(comparison.names.left, {side: "left"});
        if (view === "right" || view === "both")
            add(comparison.names.right, {side: "right", numberOf: right});
        if (view === "difference")
            add(`${comparison.names.right} − ${comparison.names.left}`, {
                numberOf: (e) => comparison.difference(stop, e.at),
                isDifference: true,
                kind: "number",
                scale: page.differenceScale(stop)
            });
        const first = comparison.firstDifference(stop);
        const link = (at) => make(
            "button",
            {type: "button", class: "factor", onclick: () => page.choose({tensor, at, gradient: false})},
            `[${placeOf(trace.shape(tensor), at).join(",")}]`);
        const note = first < 0 ? ["The two sides agree."] : [
            "The first number that differs: ", link(first),
            ". The largest difference: ", link(comparison.largestDifference(stop)), ". "
        ];
        const isFirst = comparison.firstStep() === stop ? "This is the first step that differs." : "";
        return [make("div", {class: "sides"}, panels), make("p", {class: "remark"}, note, isFirst)];
    }

    differences(stop, slice) {
        const {page} = this, numbers = page.trace.stored(stop, "difference");
        const panel = this.numbers(
            stop.tensor, slice, true,
            {title: "by finite differences", quiet: true, numberOf: (e) => numbers[e.at]});
        // No grid, but it may scroll: the keys must reach it.
        const scroll = panel.matches(".grid-scroll") ? panel : panel.querySelector(".grid-scroll");
        scroll.tabIndex = 0;
        scroll.setAttribute("role", "group");
        scroll.setAttribute("aria-label", "The same by finite differences");
        return make(
            "figure", {class: "side"}, make("figcaption", {}, "The same by finite differences"), panel);
    }

    checks(stop, gradient) {
        const list = gradient
            ? (stop.agreement ? [[stop.agreement[0], "finite differences " + stop.agreement[1]]] : [])
            : stop.checks || [];
        if (list.length === 0) return [];
        return [make(
            "ul", {class: "checks"},
            list.map(
                ([holds, text]) => make(
                    "li", {class: holds ? "holds" : "fails"},
                    make("span", {class: "sign"}, holds ? "✓" : "✗"),
                    holds ? "" : "does not hold: ", name(visible(text)))))];
    }

    // The chosen number, what it was made from and what depends on it.
    // (Under the pointer nothing scrolls: it would take the number away.)
    mark(reveals = false) {
        const {page, main} = this;
        if (main && main.slice.contains(page.state.at)) {
            main.active = [main.slice.rowOf(page.state.at), main.slice.columnOf(page.state.at)];
            if (reveals && main.element.isConnected) main.reveal();
        }
        for (const grid of this.grids) grid.render();
    }

    bringNumber() {
        if (this.main) this.main.bring();
    }

    focusNumber() {
        if (this.main) this.main.focus();
    }
}
