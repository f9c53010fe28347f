// A matrix of numbers of which only what is visible is in the document. With roles and a roving focus, or
// `quiet`: a picture of numbers beside another grid.
import {make, oncePerFrame} from "./dom.js";
import {cornerSize, headSize} from "./number_cells.js";
import {max, min} from "./shape.js";
import {visible} from "./text.js";
import {lengthOf, scrollTo, windowAt} from "./windowing.js";

const leastHead = 11;  // pixels of a font

let widthOfOne = 0;

// In units of its font's size; all numbers are in one font.
function widthOfCharacter(element) {
    if (widthOfOne) return widthOfOne;
    const context = make("canvas").getContext("2d");
    context.font = "100px " + getComputedStyle(element.ownerDocument.documentElement).getPropertyValue("--mono");
    return (widthOfOne = context.measureText("0").width / 100);
}

export class GridView {
    // model: {rows, columns, label, rowHead(i), columnHead(j), axisNames, cell(i, j)}, see number_cells.js. widths: how many
    // characters wide its cells, its rows' heads and its corner are, which another grid that it is in line with may raise.
    constructor(model, widths, {quiet = false, hasNoHeads = false, onchoose = () => {}, onhover = () => {}}) {
        Object.assign(this, {model, ...widths, quiet, onchoose, onhover});
        this.active = [0, 0];
        this.pool = [];
        this.version = 0;
        this.body = make("div", {class: "grid-body", role: quiet ? null : "rowgroup"});
        this.heads =
            make("div", {class: "grid-heads", role: quiet ? null : "row", "aria-rowindex": quiet ? null : 1});
        this.grid = make(
            "div", {
                class: "grid",
                role: quiet ? null : "grid",
                "aria-label": quiet ? null : model.label,
                "aria-rowcount": quiet ? null : model.rows + 1,
                "aria-colcount": quiet ? null : model.columns + 1
            },
            make("div", {role: quiet ? null : "rowgroup", class: "grid-top", hidden: hasNoHeads}, this.heads), this.body);
        this.element = make("div", {class: quiet ? "grid-scroll quiet" : "grid-scroll"}, this.grid);
        this.resize(15);
        this.listen();
    }

    // Names parts of its columns: [{name, tensor, first, end}…]
    nameBands(bands, classOf) {
        if (!bands.length) return;
        this.ends = bands.map(({end}) => end);
        this.bands = make("div", {class: "bands", "aria-hidden": "true"}, bands.map(({name, tensor, first, end}) => {
            const band = make("span", classOf(tensor), visible(name));
            band.style.left = `calc(var(--head) + ${first} * var(--cell))`;
            band.style.width = `calc(${end - first} * var(--cell))`;
            return band;
        }));
        this.heads.before(this.bands);
    }

    get topHeight() { return this.cellHeight * (this.bands ? 2 : 1); }

    // So large that its numbers are set in a font of so many pixels.
    resize(font, spacing = 1.9, isNarrow = false) {
        const {rows, columns} = this.model, character = font * widthOfCharacter(this.element);
        this.cellWidth = Math.ceil(this.characters * character + (isNarrow ? font * 0.4 : font * 0.6 + 2));
        this.cellHeight = Math.round(font * spacing);
        this.grid.style.fontSize = font + "px";
        const small = (size) => max(font * size, leastHead) / font;
        const inHead = max(this.headCharacters * small(headSize), this.cornerCharacters * small(cornerSize));
        this.headWidth = Math.ceil(inHead * character + font * (isNarrow ? 0.5 : 0.9));
        this.grid.classList.toggle("narrow", isNarrow);
        const lengths = {
            row: this.cellHeight, cell: this.cellWidth, head: this.headWidth,
            "head-size": font * small(headSize), "corner-size": font * small(cornerSize)
        };
        for (const [name, size] of Object.entries(lengths))
            this.grid.style.setProperty(`--${name}`, size + "px");
        this.body.style.height = lengthOf(rows, this.cellHeight) + "px";
        this.body.style.width = this.heads.style.width =
            this.headWidth + lengthOf(columns, this.cellWidth) + "px";
        this.grid.style.width = this.body.style.width;
        this.box().style.width = "";
        this.element.style.scrollPadding = `${this.topHeight}px 0 0 ${this.headWidth}px`;  // nothing scrolls to below the heads
    }

    // What scrolls it sideways.
    box() { return this.element.closest(".columns") || this.element; }

    // Of a box that holds several, one alone does this. No column is cut, and where one fits no head: beside them it says how many more there are.
    snap() {
        const box = this.box(), around = box === this.element ? 0 : 3, isMore = box.scrollWidth > box.clientWidth + 1;
        if (!isMore || box.querySelector(".grid") !== this.grid) return;
        const edge = this.edge ||= this.makeEdge(box);
        edge.hidden = false;
        edge.style.minWidth = "";
        const room = max(box.clientWidth - edge.offsetWidth - this.headWidth - around, this.cellWidth), fit = Math.floor(room / this.cellWidth);
        const width = (this.ends?.filter((end) => end <= fit).at(-1) || fit) * this.cellWidth;
        edge.style.minWidth = edge.offsetWidth + room - width + "px";
        box.style.width = box.offsetWidth - box.clientWidth + this.headWidth + around + width + "px";
        edge.style.left = box.offsetLeft + box.offsetWidth + "px";
        edge.style.top = box.offsetTop + "px";
        edge.style.height = box.offsetHeight + "px";
        this.tellMore();
    }

    makeEdge(box) {
        const go = () => (box.scrollLeft += edge.by * this.shownColumns() * this.cellWidth);
        const edge = make("button", {class: "edge", tabindex: -1, "aria-hidden": "true", onclick: go}, "00 more →");
        box.after(edge);
        box.addEventListener("scroll", oncePerFrame(() => this.tellMore()), {passive: true});
        return edge;
    }

    shownColumns() { return Math.round((this.box().clientWidth - this.headWidth) / this.cellWidth); }

    tellMore() {
        const box = this.box(), hidden = this.model.columns - this.shownColumns();
        const before = Math.round((box.scrollLeft / max(box.scrollWidth - box.clientWidth, 1)) * hidden), after = hidden - before;
        this.edge.by = after > 0 ? 1 : -1;
        this.edge.textContent = after > 0 ? `${after} more →` : `← ${before} more`;
    }

    listen() {
        const update = oncePerFrame(() => this.render(false));
        this.element.addEventListener("scroll", update, {passive: true});
        this.observer = new ResizeObserver(update);
        this.observer.observe(this.element);
        const placeOfEvent = ({target}) => {
            const cell = target.closest("[data-row]");
            return cell ? [Number(cell.dataset.row), Number(cell.dataset.column)] : null;
        };
        this.body.addEventListener("click", (event) => {
            const place = placeOfEvent(event);
            if (place) this.choose(...place);
        });
        this.body.addEventListener("mouseover", (event) => this.onhover(placeOfEvent(event)));
        this.element.addEventListener("mouseleave", () => this.onhover(null));
        if (!this.quiet) this.grid.addEventListener("keydown", (event) => this.key(event));
    }

    choose(row, column) {
        this.active = [row, column];
        this.onchoose(row, column);
    }

    key(event) {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const {rows, columns} = this.model, [row, column] = this.active, page = 10;
        const moves = {
            ArrowUp: [row - 1, column],
            ArrowDown: [row + 1, column],
            ArrowLeft: [row, column - 1],
            ArrowRight: [row, column + 1],
            Home: [row, 0],
            End: [row, columns - 1],
            PageUp: [row - page, column],
            PageDown: [row + page, column]
        };
        const to = moves[event.key];
        if (!to) return;
        event.preventDefault();
        const clamp = (i, count) => min(max(i, 0), count - 1);
        this.choose(clamp(to[0], rows), clamp(to[1], columns));
        this.focus();
    }

    // Shows and focuses the active cell.
    focus() {
        const cell = this.bring();
        if (cell) cell.focus({preventScroll: true});
    }

    // Scrolls to the active cell: here, and where this grid itself lies out of sight.
    bring() {
        this.reveal();
        this.render();
        const cell = this.cellAt(...this.active);
        if (cell) cell.scrollIntoView({block: "nearest", inline: "nearest"});
        return cell;
    }

    cellAt(row, column) { return this.body.querySelector(`[data-row="${row}"][data-column="${column}"]`); }

    reveal() {
        const {element, cellWidth, cellHeight, headWidth, model} = this;
        const [row, column] = this.active;
        element.scrollTop =
            scrollTo(row, element.scrollTop, element.clientHeight - this.topHeight, model.rows, cellHeight);
        element.scrollLeft =
            scrollTo(column, element.scrollLeft, element.clientWidth - headWidth, model.columns, cellWidth);
    }

    // The visible window, {rows: [first, end], columns: […]}
    window() {
        const {element, cellWidth, cellHeight, headWidth, model} = this;
        const down = windowAt(
            element.scrollTop, max(element.clientHeight - this.topHeight, cellHeight), model.rows,
            cellHeight);
        const across = windowAt(
            element.scrollLeft, max(element.clientWidth - headWidth, cellWidth), model.columns,
            cellWidth);
        return {down, across};
    }

    // After scrolling only what came into view is written anew; with `isChanged` all that is visible.
    render(isChanged = true) {
        const {down, across} = this.window(), {pool} = this;
        const count = max(0, down.end - down.first), width = max(0, across.end - across.first);
        while (pool.length < count) pool.push(this.makeRow());
        if (isChanged) ++this.version;
        const columns = [across.first, across.offset, width, pool.length, this.version].join();
        if (columns !== this.columns) this.renderHeads(across, width);
        this.columns = columns;
        for (let i = down.first; i < down.end; ++i) {
            const row = pool[i % pool.length], key = i + ":" + columns;
            row.element.style.transform = `translateY(calc(${down.offset}px + ${i - down.first} * var(--row)))`;
            if (row.key !== key) this.renderRow(row, i, across, width);
            row.key = key;
            row.index = i;
        }
        for (const {element, index} of pool) element.hidden = !(index >= down.first && index < down.end);
        if (this.onwindow) this.onwindow(down, across);
    }

    makeRow() {
        const head = make("div", {class: "row-head", role: this.quiet ? null : "rowheader"});
        const space = make("div", {class: "space", role: this.quiet ? null : "presentation"});
        const element = make("div", {class: "grid-row", role: this.quiet ? null : "row"}, head, space);
        this.body.append(element);
        return {element, head, space, cells: []};
    }

    renderHeads(across, width) {
        const {heads} = this;
        if (!heads.firstChild) {
            heads.append(
                make(
                    "div", {
                        class: "row-head corner",
                        role: this.quiet           ? null
                            : this.model.axisNames ? "columnheader"
                                                   : "presentation"
                    },
                    (this.model.axisNames || []).map((text, axis) => make("span", {}, text + (axis ? " →" : " ↓"))).reverse()),
                make("div", "space"));
        }
        while (heads.children.length < width + 2)
            heads.append(make("div", {class: "column-head", role: this.quiet ? null : "columnheader"}));
        heads.children[1].style.width = across.offset + "px";
        for (let k = 0; k < heads.children.length - 2; ++k) {
            const head = heads.children[k + 2], column = across.first + k;
            head.hidden = k >= width;
            if (k >= width) continue;
            head.textContent = head.title = this.model.columnHead(column);
            if (this.quiet) continue;
            head.setAttribute("role", head.textContent ? "columnheader" : "presentation");
            head.setAttribute("aria-colindex", column + 2);
        }
    }

    renderRow({element, head, space, cells}, i, across, width) {
        if (!this.quiet) element.setAttribute("aria-rowindex", i + 2);
        head.textContent = head.title = this.model.rowHead(i);
        if (!this.quiet) head.setAttribute("role", head.textContent ? "rowheader" : "presentation");
        space.style.width = across.offset + "px";
        while (cells.length < width) {
            const cell = make("div", {role: this.quiet ? null : "gridcell"});
            element.append(cell);
            cells.push(cell);
        }
        cells.forEach((cell, k) => {
            cell.hidden = k >= width;
            if (k < width) this.renderCell(cell, i, across.first + k);
        });
    }

    renderCell(cell, i, j) {
        const {text, exact, classes, fill, ink, data, says, title, apart} = this.model.cell(i, j);
        const marked = typeof apart === "number" ? text.slice(apart) : "", own = cell.firstElementChild;
        // What is right already stays: a press that ends on another element than it began on is none.
        if (cell.textContent !== text || (own ? own.textContent : "") !== marked)
            cell.replaceChildren(text.slice(0, text.length - marked.length), ...(marked ? [make("b", "apart", marked)] : []));
        const isActive = !this.quiet && i === this.active[0] && j === this.active[1];
        cell.className = "cell " + classes;
        cell.style.background = fill;
        cell.style.color = ink;
        cell.title = title;
        Object.assign(cell.dataset, data, {row: i, column: j, exact});
        if (!("gradient" in data)) delete cell.dataset.gradient;
        if (this.quiet) return;
        cell.tabIndex = isActive ? 0 : -1;
        cell.setAttribute("aria-colindex", j + 2);
        cell.setAttribute("aria-selected", classes.includes("chosen"));
        if (says) cell.setAttribute("aria-label", says);
        else cell.removeAttribute("aria-label");
    }
}
