// The matrix of a tensor that is shown: its last two axes, at one place of the leading ones.
import {elementOf, floor, placeOf} from "./shape.js";

export class Slice {
    constructor(shape, at) {
        this.shape = shape;
        this.first = 0;
        this.leading = placeOf(shape, at).slice(0, -2);
        this.rows = shape.length > 1 ? shape[shape.length - 2] : 1;
        this.columns = shape.length > 0 ? shape[shape.length - 1] : 1;
        this.base =
            this.leading.reduce((sum, i, axis) => sum * shape[axis] + i, 0) * this.rows * this.columns;
    }

    // Without its first rows.
    from(first) {
        const rest = new Slice(this.shape, this.base);
        return Object.assign(rest, {first, rows: this.rows - first, base: this.base + first * this.columns});
    }

    element(row, column) { return this.base + row * this.columns + column; }

    contains(at) { return at >= this.base && at < this.base + this.rows * this.columns; }

    rowOf(at) { return floor((at - this.base) / this.columns); }

    columnOf(at) { return (at - this.base) % this.columns; }

    // The same place in the slice at other leading indices.
    moved(at, axis, index) {
        const place = placeOf(this.shape, at);
        place[axis] = index;
        return elementOf(this.shape, place);
    }
}
