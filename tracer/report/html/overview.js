// A picture of a whole matrix: beside a grid, with a frame around what the grid shows; as an operand, with
// the marks.
import {make} from "./dom.js";
import {drawHeatMap, outlineCells, outlineRegion} from "./heat_map.js";
import {floor, max, min} from "./shape.js";

export class Overview {
    constructor(page, grid, slice, tensor, gradient, numberOf) {
        Object.assign(this, {page, grid, slice, tensor, gradient});
        const room = max(160, page.step.host.clientWidth - 100),
              most = grid ? [min(620, room), 180] : [180, 100];
        this.width = min(most[0], max(60, slice.columns * 6));
        this.height = min(most[1], max(16, slice.rows * 6));
        this.canvas = make("canvas");
        this.frame = make("div", "frame");
        this.marks = make("canvas", "overlay");
        this.element =
            make("div", {class: "overview", "aria-hidden": "true"}, this.canvas, this.marks, this.frame);
        this.element.style.width = this.width + "px";
        this.element.style.height = this.height + "px";
        this.observer = {disconnect() {}};
        this.draw(numberOf);
        this.listen();
    }

    draw(numberOf) {
        const {page, slice, tensor, gradient} = this, read = page.numbers.readerOf(tensor, gradient);
        const at = (i, j) => slice.element(i, j);
        drawHeatMap(
            this.canvas, {
                rows: slice.rows,
                columns: slice.columns,
                scale: page.numbers.scaleInView(tensor, gradient),
                valueAt: numberOf ? (i, j) => numberOf({tensor, at: at(i, j), gradient})
                                  : (i, j) => read(at(i, j)),
                isHidden: page.numbers.hasHidden(tensor) && !gradient
                    ? (i, j) => page.trace.isHidden(tensor, at(i, j))
                    : null
            },
            this.width, this.height);
        this.marks.width = this.canvas.width;
        this.marks.height = this.canvas.height;
        this.marks.style.width = this.width + "px";
        this.marks.style.height = this.height + "px";
        if (this.grid) this.grid.onwindow = (down, across) => this.placeFrame(down, across);
        this.frame.hidden = !this.grid;
    }

    placeFrame(down, across) {
        const {slice, width, height, frame} = this;
        frame.style.left = (across.first / slice.columns) * width + "px";
        frame.style.top = (down.first / slice.rows) * height + "px";
        frame.style.width = max(4, ((across.end - across.first) / slice.columns) * width) + "px";
        frame.style.height = max(4, ((down.end - down.first) / slice.rows) * height) + "px";
    }

    // A press or a drag moves the grid's window; on an operand a press enters the number.
    listen() {
        const go = (event) => {
            const box = this.element.getBoundingClientRect(), {grid, slice} = this;
            const i = min(
                slice.rows - 1,
                max(0, floor(((event.clientY - box.top) / box.height) * slice.rows)));
            const j = min(
                slice.columns - 1,
                max(0, floor(((event.clientX - box.left) / box.width) * slice.columns)));
            if (!grid)
                return this.page.enter(
                    {tensor: this.tensor, at: slice.element(i, j), gradient: this.gradient});
            const view = grid.element,
                  share = (at, count, length, visible) => ((at + 0.5) / count) * length - visible / 2;
            view.scrollTop = share(i, slice.rows, grid.body.offsetHeight, view.clientHeight);
            view.scrollLeft = share(j, slice.columns, grid.body.offsetWidth, view.clientWidth);
        };
        this.element.addEventListener("pointerdown", go);
        this.element.addEventListener(
            "pointermove", (event) => event.buttons === 1 && this.grid && go(event));
    }

    // Marks as in a grid.
    render() {
        const {page, slice, tensor, gradient, marks} = this;
        marks.getContext("2d").clearRect(0, 0, marks.width, marks.height);
        const far = page.lights.distancesOf(tensor, gradient), color = getComputedStyle(marks).getPropertyValue("--from");
        if (far) outlineRegion(marks, slice.rows, slice.columns, (i, j) => far[slice.element(i, j)] > 1, color, 0.6);
        const from = page.lights.fromElements.filter(
            (e) => e.tensor === tensor && !!e.gradient === gradient && slice.contains(e.at));
        const cells = from.map(({at}) => [slice.rowOf(at), slice.columnOf(at)]);
        outlineCells(marks, slice.rows, slice.columns, cells, color, false);
    }
}
