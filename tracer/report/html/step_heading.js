// What stands above and below a step's numbers: its name, formula and sentence, and its checks.
import {make, name} from "./dom.js";
import {formulaView, prose} from "./formula_view.js";
import {scopeOf} from "./labels.js";
import {shown} from "./numbers.js";
import {max} from "./shape.js";
import {visible} from "./text.js";

export function headingOf(page, stop, gradient) {
    return [stepName(page, stop, gradient), stepSentence(page, stop, gradient)];
}

function stepName(page, stop, gradient) {
    const scope = scopeOf(stop.path), shape = page.trace.shape(stop.tensor);
    return make(
        "header", "step-heading",
        scope && !stop.isParameter
            ? make("p", "scope-name", name(visible(scope.slice(0, -1).replaceAll("/", " / "))))
            : null,
        make(
            "h1", {}, gradient ? "∂L/∂" : "",
            name(
                visible(stop.title || stop.path.slice(stop.isParameter ? 0 : scope.length)),
                page.symbols.classOf(stop.tensor)),
            page.quizView.knowsShape(stop)
                ? make("span", "shape", shape.length ? `(${shape.join(", ")})` : "one number")
                                                              : null),
        stepFormula(page, stop, gradient));
}

function stepFormula(page, stop, gradient) {
    if (gradient) {
        const {scalar, scalarValue} = page.data;
        return make(
            "p", "formula-line gradient", make("var", {}, "L"), " = ", name(visible(scalar)),
            ` = ${shown(scalarValue, max(page.places, 4), page.data.real)}`);
    }
    if (!stop.formula) return "";
    return make(
        "p", "formula-line", "= ",
        formulaView(
            stop.formula, page.symbols.meanings(stop), page.symbols, (id) => page.open(id, true)));
}

function stepSentence(page, stop, gradient) {
    if (gradient)
        return make(
            "p", "sentence", "How much L changes for a small change of each of these numbers.");
    const isTitle = page.data.title?.includes(stop.sentence?.slice(0, -1) || "?");
    return stop.sentence ? make("p", "sentence" + (isTitle ? " titled" : ""), prose(stop.sentence)) : "";
}

// What a model predicts; a check it is not. Of drawn weights it says so.
export function answerOf(page, stop, gradient) {
    if (gradient || !stop.answer) return [];
    const {untrained} = page.data;
    return [make(
        "p", "answer", "→ ", name(visible(stop.answer)),
        untrained ? make("span", "untrained", ` (${untrained})`) : "")];
}

// What holds of the numbers, and what does not.
export function checksOf(stop, gradient) {
    const list = gradient
        ? (stop.agreement ? [[stop.agreement[0], "finite differences " + stop.agreement[1]]] : [])
        : stop.checks || [];
    if (list.length === 0) return [];
    return [make(
        "ul", "checks",
        list.map(
            ([holds, text]) => make(
                "li", {class: holds ? "holds" : "fails"},
                make("span", "sign", holds ? "✓" : "✗"),
                prose(text))))];
}
