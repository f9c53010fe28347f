// A step's numbers with what they were made from: to the left and above in a product, before them otherwise.
import {bandsOf} from "./bands.js";
import {make, name} from "./dom.js";
import {operandTensors, productOf} from "./operand_panels.js";
import {Overview} from "./overview.js";
import {placeOf} from "./shape.js";
import {Slice} from "./slice.js";

const mostOperand = 12;  // larger tensors get a picture

// The result with its operands: to the left and above in a product, before it otherwise.
export function madeOf(step, tensor, slice, gradient, main) {
    const {page} = step, product = productOf(page.activeTrace, tensor, gradient, slice);
    const operands = operandTensors(page.activeTrace, page.chosen);
    const own = operandFigure(step, {tensor, gradient}, main, false, "own");
    const bands = gradient ? [] : bandsOf(page.trace, tensor), classOf = (part) => page.symbols.classOf(part);
    if (!product) step.main.nameBands(bands, classOf);
    if (!product) {
        // Much that it was made from stands below it.
        const rows = operands.reduce(
            (sum, each) => sum + 2 + new Slice(page.activeTrace.shape(each.tensor), each.at).rows, 0);
        return make(
            "div", "made loose",
            ...(step.isLarge(slice) || rows > 11 || (rows + slice.rows > 13 && !page.layout.isBelow) ? [own, strip(step, operands)]
                                                 : [strip(step, operands), own]));
    }
    const left = productPanel(step, product, "left", slice.rows, product.inner);
    const top = productPanel(step, product, "top", product.inner, slice.columns);
    const used = [product.left(0, 0), product.top(0, 0)];
    const rest = operands.filter(
        (each) => !used.some((e) => e.tensor === each.tensor && e.gradient === each.gradient));
    step.inLine.push(top.grid);
    top.grid.nameBands(bands, classOf);
    // What is added to each column stands below it.
    const isColumnwise = ({tensor, at}) => new Slice(page.activeTrace.shape(tensor), at).columns === slice.columns;
    const figures = (all) => all.map((each) => operandOf(step, each, true));
    return make(
        "div", "made",
        make(
            "div", "product", left.element,
            make(
                "div", "columns", top.element, make("div", "result-cell", own), figures(rest.filter(isColumnwise)))),
        strip(step, rest.filter((each) => !isColumnwise(each))));
}

function productPanel(step, product, side, rows, columns) {
    const first = product[side](0, 0), {tensor} = first, {numbers, activeTrace} = step.page,
          isTurned = side === "left" ? product.isLeftTurned : product.isTopTurned;
    // The operand's own axis along which the panel goes, which of a transposed one is the other.
    const head = (element, count) => {
        const place = (i) => placeOf(activeTrace.shape(tensor), element(i).at);
        const axis = count > 1 ? place(0).findIndex((index, n) => index !== place(1)[n]) : -1;
        return axis < 0 ? String : (i) => numbers.headAlong(tensor, axis)(place(i)[axis]);
    };
    const rowHead = head((i) => product[side](i, 0), rows), columnHead = head((j) => product[side](0, j), columns);
    const all = (f, count) => Array.from({length: count}, (_, i) => f(i));
    const grid = step.matrix({
        rows,
        columns,
        rowHead,
        columnHead,
        axisNames: null,
        rowSample: all(rowHead, rows),
        columnSample: all(columnHead, columns),
        element: product[side],
        settings: step.page.numbers.cellSettings(tensor, first.gradient)
    });
    return {grid, element: operandFigure(step, first, grid.element, isTurned, "operand " + side)};
}

function operandFigure(step, element, content, isTurned, kind) {
    const {page} = step,
          title = (element.gradient ? "∂L/∂" : "") + page.labels().name(element.tensor) +
        (isTurned ? "ᵀ" : "");
    return make(
        "figure", {class: kind, "aria-hidden": kind === "own" ? null : "true"},
        make(
            "figcaption", {},
            name(title, page.symbols.classOf(element.tensor, page.activeTrace)), kind === "own" ? make("span", "fitted") : ""),
        content);
}

// Those of a single row stand below one another.
function strip(step, operands) {
    if (operands.length === 0) return "";
    const isRow = ({tensor, at}) => new Slice(step.page.activeTrace.shape(tensor), at).rows === 1;
    const figures = (all) => all.map((each) => operandOf(step, each));
    const rows = operands.filter(isRow);
    return make("div", "strip", figures(operands.filter((each) => !isRow(each))), rows.length ? make("div", "rows", figures(rows)) : "");
}

function operandOf(step, element, isBelow = false) {
    const {page} = step, slice = new Slice(page.activeTrace.shape(element.tensor), element.at);
    const isSmall = slice.rows <= mostOperand && slice.columns <= mostOperand;
    if (isSmall) return operandFigure(step, element, operandGrid(step, element, slice, isBelow).element, false, "operand");
    const overview = new Overview(page, null, slice, element.tensor, element.gradient);
    step.grids.push(overview);
    return operandFigure(step, element, overview.element, false, "operand");
}

// Where its columns are as many as the result's, they stand above one another.
function operandGrid(step, {tensor, gradient}, slice, isBelow) {
    const model = {
        ...step.headed(tensor, slice),
        element: (i, j) => ({tensor, at: slice.element(i, j), gradient}),
        settings: step.page.numbers.cellSettings(tensor, gradient)
    };
    const grid = step.matrix(model, {hasNoHeads: isBelow && slice.rows === 1});
    if (step.main?.model.columns === slice.columns) step.inLine.push(grid);
    return grid;
}
