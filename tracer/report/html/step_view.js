// The middle column: one step, its formula, its sentence and its numbers, with what they were made from
// beside them.
import {make, oncePerFrame} from "./dom.js";
import {settle, sizeThatFits} from "./fit.js";
import {GridView} from "./grid_view.js";
import {madeOf} from "./made_of_view.js";
import {numberCell, widthsOf} from "./number_cells.js";
import {operandTensors} from "./operand_panels.js";
import {Overview} from "./overview.js";
import {max} from "./shape.js";
import {differencesOf, sidesOf} from "./sides_view.js";
import {Slice} from "./slice.js";
import {controlsOf} from "./step_controls.js";
import {answerOf, checksOf, headingOf} from "./step_heading.js";
import {wayOf} from "./way_view.js";

const fewPlaces = 2;    // where more do not fit
const readable = 18;    // pixels, from the last row of a lecture
const fewClasses = 5, mostSorted = 1e5;  // of many, for each row
const twoDigits = (x) => (x < 0.01 ? 1 : x < 0.1 ? 3 : 2);  // decimals; of one, what is small is written in powers of ten
const mostRows = 16, mostColumns = 12;  // larger tensors get a picture of the whole as well

export class StepView {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        this.grids = [];  // all that show marks
        this.inLine = [];  // those whose columns stand under one another
        this.shownKey = "";
        new ResizeObserver(oncePerFrame(() => this.fit(false))).observe(host);
    }

    // Builds the step anew where another one, or another slice, is to be seen; else only moves the marks.
    show() {
        const {page} = this, {tensor, at, gradient, side} = page.state;
        const whole = new Slice(page.trace.shape(tensor), at), padding = page.numbers.paddingOf(tensor);
        const slice = padding && !page.showsPadding && whole.rowOf(at) >= padding ? whole.from(padding) : whole;
        const key = JSON.stringify([
            tensor, slice.base, slice.rows, gradient, side, page.places, page.isDark, page.view, page.hasOwnScale, page.isRevealed(tensor),
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
        this.inLine = [];
        this.main = null;
        page.numbers.inView = [{tensor, gradient}, ...(gradient || !page.comparison?.has(stop) ? operandTensors(page.activeTrace, page.chosen) : [])];
        host.replaceChildren(wayOf(page), ...headingOf(page, stop, gradient));
        if (!page.isRevealed(tensor)) {
            host.append(page.quizView.question(stop));
            return;
        }
        const size = page.trace.size(tensor);
        if (size === 0) {
            host.append(make(
                "p", "quiet-note",
                `Its shape is (${page.trace.shape(tensor).join(", ")}): it has no numbers.`));
            return;
        }
        host.append(
            controlsOf(page, tensor, slice, gradient), ...this.panels(tensor, slice, gradient),
            ...checksOf(stop, gradient), ...answerOf(page, stop, gradient), page.quizView.verdict(stop));
        if (this.main) this.inLine.push(this.main);
        this.alignColumns();
        this.fit();
    }

    alignColumns() {
        for (const width of ["characters", "headCharacters", "cornerCharacters"]) {
            const most = max(...this.inLine.map((grid) => grid[width]));
            for (const grid of this.inLine) grid[width] = most;
        }
    }

    // Writes the numbers with so many decimals. Those of two sides have as many as they need.
    write(places) {
        for (const grid of this.grids.filter(({model}) => model)) {
            Object.assign(grid.model.settings, {places, isShortened: places < this.page.places});
            Object.assign(grid, widthsOf(grid.model));
        }
        this.alignColumns();
    }

    // Anew where the room has changed: with all decimals, or else fewer. In a lecture as large as it gets, with the arithmetic
    // beside or below.
    fit(isNew = true) {
        const {page, host, grids} = this, {layout, lecture} = page, {isOneColumn} = layout;
        if (!isNew && this.room === this.roomNow()) return;
        const isLecture = lecture?.isOn && !isOneColumn, decimals = [page.places];
        const isCompared = page.comparison?.has(page.byTensor.get(page.state.tensor));
        if (page.places > fewPlaces && !isCompared) decimals.push(fewPlaces);
        const tried = [], note = host.querySelector(".fitted"), isWhole = ({found}) => found.isWhole || isOneColumn || host.querySelector(".large");
        const use = ({places, isBelow}) => {
            if (isLecture) layout.setBelow(isBelow);
            if (decimals.length > 1) this.write(places);
            if (note) note.textContent = places < page.places ? ` · ${places} decimals` : "";
        };
        const best = () => tried.filter(({found}) => found)
            .sort((a, b) => !!a.found.isNarrow - !!b.found.isNarrow || b.found.isWhole - a.found.isWhole || (isLecture && b.found.size - a.found.size))[0];
        for (const places of decimals) {
            for (const isBelow of isLecture ? [false, true] : [null]) {
                use({places, isBelow});
                tried.push({places, isBelow, found: sizeThatFits(host, grids, isOneColumn, isLecture)});
            }
            if (best() && !best().found.isNarrow && isWhole(best()) && best().found.pixels >= (isLecture ? readable : 0)) break;
        }
        const chosen = best() || tried.at(-1);
        use(chosen);
        settle(host, grids, chosen.found, isOneColumn);
        this.room = this.roomNow();
    }

    roomNow() {
        const {isOneColumn} = this.page.layout, {clientWidth, clientHeight} = this.host;
        return [isOneColumn, clientWidth, isOneColumn || clientHeight].join();
    }

    panels(tensor, slice, gradient) {
        const {page} = this, stop = page.stopOf(tensor);
        if (!gradient && page.comparison?.has(stop)) return sidesOf(this, stop, slice);
        const main = this.numbers(tensor, slice, gradient);
        const made = madeOf(this, tensor, slice, gradient, main);
        if (!gradient && page.numbers.paddingOf(tensor)) made.append(this.padding(slice));
        if (!gradient || stop.difference === undefined) return [made];
        return [make("div", "sides", made, differencesOf(this, stop, slice))];
    }

    // The numbers themselves, and a picture of all of them where they are many.
    numbers(tensor, slice, gradient, more = {}) {
        const grid = this.grid(tensor, slice, gradient, more);
        if (!more.quiet) this.main = this.main || grid;
        if (!this.isLarge(slice)) return grid.element;
        const overview = new Overview(this.page, grid, slice, tensor, gradient, more.numberOf);
        const isOfMany = !gradient && !more.title && slice.columns > mostColumns;
        return make("div", "large", isOfMany ? this.likeliest(tensor, slice) : "", overview.element, grid.element);
    }

    // Shows or folds the rows of padding.
    padding({first}) {
        const {page} = this, unfold = () => {
            page.showsPadding = first > 0;
            page.show();
        };
        return make("p", "quiet-note", make("button", {class: "link", "aria-expanded": !first, onclick: unfold},
            first ? `▸ ${first} rows before, of padding` : "▾ with the rows of padding"));
    }

    // Of very many classes the likeliest of each row.
    likeliest(tensor, slice) {
        const {page} = this, find = page.numbers.likeliestOf(tensor);
        if (!find || slice.rows * slice.columns > mostSorted) return "";
        const head = this.headed(tensor, slice), found = Array.from({length: slice.rows}, (_, i) => find(slice, i, fewClasses));
        const element = (i, j) => ({tensor, at: slice.element(i, found[i][j]), gradient: false});
        const own = (text) => text.replace(/ → .*/, "");  // what is chosen stands beside it already
        const grid = this.matrix({
            ...head, rowHead: (i) => own(head.rowHead(i)), rowSample: head.rowSample.map(own), columns: fewClasses, columnHead: () => "", columnSample: [""], axisNames: null, element,
            settings: {...page.numbers.cellSettings(tensor, false), placesOf: twoDigits, wordOf: ({at}) => head.columnHead(slice.columnOf(at))}
        }, {hasNoHeads: true, onchoose: (i, j) => page.choose(element(i, j))});
        grid.isSmall = true;
        return make("figure", {class: "operand", "aria-hidden": "true"}, make("figcaption", {}, "The five likeliest of each row"), grid.element);
    }

    isLarge({rows, columns}) { return rows > mostRows || columns > mostColumns; }

    grid(tensor, slice, gradient, more = {}) {
        const {page} = this, element = (i, j) => ({tensor, at: slice.element(i, j), gradient});
        const grid = this.matrix(
            {
                ...this.headed(tensor, slice),
                element,
                settings: {...page.numbers.cellSettings(tensor, gradient), ...more},
                label: (gradient ? "Gradients of " : "Numbers of ") + page.labels(page.trace).name(tensor) +
                    (more.title ? ", " + more.title : "")
            },
            {
                quiet: more.quiet,
                onchoose: (i, j) => page.choose({...element(i, j), side: more.side}),
                onhover: (place) => page.lights.hover(place && element(...place))
            });
        grid.slice = slice;
        return grid;
    }

    headed(tensor, slice) {
        const {names, row, column, rowSample, columnSample} = this.page.numbers.headsOf(tensor, slice);
        return {
            rows: slice.rows,
            columns: slice.columns,
            rowHead: row,
            columnHead: column,
            axisNames: names,
            rowSample,
            columnSample
        };
    }

    // A grid of elements: element(i, j) is what stands in a cell. Pictures of operands lead to their numbers.
    matrix(model, options) {
        const {settings, element} = model, {page} = this;
        model.cell = (i, j) => numberCell(settings, element(i, j));
        const isLone = page.trace.shape(element(0, 0).tensor).length === 0;
        const grid = new GridView(model, widthsOf(model), {quiet: true, onchoose: (i, j) => page.enter(element(i, j)), ...options, ...(isLone && {hasNoHeads: true})});
        this.grids.push(grid);
        return grid;
    }

    // The chosen number, what it was computed from and what depends on it.
    // (Under the pointer nothing scrolls: it would take the number away.)
    mark(reveals = false) {
        const {page, main} = this;
        if (main?.slice.contains(page.state.at)) {
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
