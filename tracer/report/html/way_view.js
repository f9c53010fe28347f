// The way through a training step: from the loss over a parameter's gradient and the clipping to its new value.
import {make, name} from "./dom.js";
import {lastPart, scopeOf} from "./labels.js";

const update = "update/", clip = "update/clip/";

// The scope of the parameter whose update is shown, or of the first one; "" where the page is of no training step.
export function updatedScope({data, state, byTensor}) {
    const own = byTensor.get(state.tensor), scope = own ? scopeOf(own.path) : "";
    if (scope.startsWith(update) && scope !== clip) return scope;
    const first = data.steps.find(({path}) => path.startsWith(update) && path.endsWith("/w"));
    return first ? scopeOf(first.path) : "";
}

export function wayOf(page) {
    const scope = updatedScope(page), {data, state, trace} = page;
    if (!scope) return "";
    const paths = ["L", ...["gradient", "m", "v", "m_hat", "v_hat", "w"].map((part) => scope + part)];
    paths.splice(2, 0, clip + "factor", scope + "g");
    const found = paths.map((path) => data.steps.find((step) => step.path === path)).filter(Boolean);
    const sizeOfOwn = trace.size(state.tensor);
    return make("nav", {class: "way", "aria-label": "Way through the step"}, found.map(({path, tensor}, i) => [i ? " → " : "", make(
        "button", {class: "link " + page.symbols.classOf(tensor), "aria-current": tensor === state.tensor ? "step" : null,
            onclick: () => page.enter({tensor, at: trace.size(tensor) === sizeOfOwn ? state.at : 0, gradient: false})
        }, name(path === clip + "factor" ? "clip" : lastPart(path)))]), make("span", "shape", ` of ${scope.slice(update.length, -1)}`));
}
