// A step's numbers with what they were made from: to the left and above in a product, before them otherwise.
import {make, name} from "./dom.js";
import {headWidthFor} from "./number_cells.js";
import {operandTensors, productOf} from "./operand_panels.js";
import {Overview} from "./overview.js";
import {Slice} from "./slice.js";

const mostOperand = 12;  // larger tensors get a picture

// The result with its operands: to the left and above in a product, before it otherwise.
export function madeOf(step, tensor, slice, gradient, main) {
    const {page} = step, product = productOf(page.activeTrace, tensor, gradient, slice);
    const operands = operandTensors(page.activeTrace, page.chosen);
    const own = operandFigure(step, {tensor, gradient}, main, false, "own");
    if (!product) {
        // Much that it was made from stands below it.
        const rows = operands.reduce(
            (sum, each) => sum + 2 + new Slice(page.activeTrace.shape(each.tensor), each.at).rows, 0);
        return make(
            "div", {class: "made"},
            ...(step.isLarge(slice) || rows > 11 ? [own, strip(step, operands)]
                                                 : [strip(step, operands), own]));
    }
    const left = productPanel(step, product, "left", slice.rows, product.inner);
    const top = productPanel(step, product, "top", product.inner, slice.columns);
    const used = [product.left(0, 0), product.top(0, 0)];
    const rest = operands.filter(
        (each) => !used.some((e) => e.tensor === each.tensor && e.gradient === each.gradient));
    top.grid.headWidth = step.main.headWidth;
    top.grid.cellWidth = step.main.cellWidth;
    top.grid.layOut();
    return make(
        "div", {class: "made"},
        make(
            "div", {class: "product"}, top.element, left.element,
            make("div", {class: "result-cell"}, own)),
        strip(step, rest));
}

function productPanel(step, product, side, rows, columns) {
    const first = product[side](0, 0),
          isTurned = side === "left" ? product.isLeftTurned : product.isTopTurned;
    const grid = step.matrix({
        rows,
        columns,
        rowHead: String,
        columnHead: String,
        axisNames: "",
        headWidth: headWidthFor(["00"]),
        element: product[side],
        settings: step.page.numbers.cellSettings(first.tensor, first.gradient)
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
            name(title, {class: page.symbols.classOf(element.tensor, page.activeTrace)})),
        content);
}

function strip(step, operands) {
    const {page} = step;
    if (operands.length === 0) return "";
    return make("div", {class: "strip"}, operands.map((element) => {
        const shape = page.activeTrace.shape(element.tensor), slice = new Slice(shape, element.at);
        const isSmall = slice.rows <= mostOperand && slice.columns <= mostOperand;
        if (isSmall)
            return operandFigure(step,
                element, operandGrid(step, element, slice).element, false, "operand");
        const overview = new Overview(page, null, slice, element.tensor, element.gradient);
        step.grids.push(overview);
        return operandFigure(step, element, overview.element, false, "operand");
    }));
}

// Where its columns are as many as the result's, they stand above one another.
function operandGrid(step, {tensor, gradient}, slice) {
    const model = {
        ...step.headed(tensor, slice),
        element: (i, j) => ({tensor, at: slice.element(i, j), gradient}),
        settings: step.page.numbers.cellSettings(tensor, gradient)
    };
    const {main} = step, isAlike = main && main.model.columns === slice.columns;
    if (!isAlike) return step.matrix(model);
    if (model.headWidth > main.headWidth) main.widenHeads(model.headWidth);
    return step.matrix(model, {cellWidth: main.cellWidth, headWidth: main.headWidth});
}
