// The middle column: one step, its formula, its sentence and its numbers, with what they were made from
// beside them.
import {make, oncePerFrame} from "./dom.js";
import {fit} from "./fit.js";
import {GridView} from "./grid_view.js";
import {madeOf} from "./made_of_view.js";
import {charactersOf, headSize, longestOf, numberCell} from "./number_cells.js";
import {Overview} from "./overview.js";
import {differencesOf, sidesOf} from "./sides_view.js";
import {Slice} from "./slice.js";
import {controlsOf} from "./step_controls.js";
import {answerOf, checksOf, headingOf} from "./step_heading.js";

const widestWord = 10;   // above a column, in characters
const cornerSize = 0.8;  // of the corner's font, beside the heads'
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
        const slice = new Slice(page.trace.shape(tensor), at);
        const key = JSON.stringify([
            tensor, slice.base, gradient, side, page.places, page.isDark, page.view, page.hasOwnScale, page.isRevealed(tensor),
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
        host.replaceChildren(...headingOf(page, stop, gradient));
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
            controlsOf(page, tensor, slice, gradient), ...this.panels(tensor, slice, gradient),
            ...checksOf(stop, gradient), ...answerOf(page, stop, gradient), page.quizView.verdict(stop));
        if (this.main) this.inLine.push(this.main);
        for (const width of ["characters", "headCharacters"]) {
            const most = Math.max(...this.inLine.map((grid) => grid[width]));
            for (const grid of this.inLine) grid[width] = most;
        }
        this.fit();
    }

    // Anew where the room has changed.
    fit(isNew = true) {
        const {isOneColumn} = this.page.layout, {clientWidth, clientHeight} = this.host, room = [isOneColumn, clientWidth, isOneColumn || clientHeight].join();
        if (isNew || room !== this.room) fit(this.host, this.grids, isOneColumn);
        this.room = room;
    }

    panels(tensor, slice, gradient) {
        const {page} = this, stop = page.stopOf(tensor);
        if (!gradient && page.comparison && page.comparison.has(stop)) return sidesOf(this, stop, slice);
        const main = this.numbers(tensor, slice, gradient);
        const made = madeOf(this, tensor, slice, gradient, main);
        if (!gradient || stop.difference === undefined) return [made];
        return [make("div", {class: "sides"}, made, differencesOf(this, stop, slice))];
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
        const longestName = model.axisNames ? longestOf(model.axisNames) + 2 : 0;
        const grid = new GridView(model, {
            characters: Math.max(charactersOf(model, settings), Math.min(longestOf(model.columnSample), widestWord) * headSize),
            headCharacters: Math.max(longestOf(model.rowSample), longestName * cornerSize),
            quiet: true,
            onchoose: (i, j) => page.enter(element(i, j)),
            ...options
        });
        this.grids.push(grid);
        return grid;
    }

    // The chosen number, what it was computed from and what depends on it.
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
