// The bar below: a slider through the steps, forward | gradient, decimals, predict, the keys.
import {isTouched, make, name} from "./dom.js";
import {formulaView, prose} from "./formula_view.js";
import {max, min} from "./shape.js";
import {counted, visible} from "./text.js";

export class BarView {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        this.slider = make("input", {
            type: "range",
            min: 0,
            max: max(page.data.steps.length - 1, 0),
            value: 0,
            "aria-label": "Step",
            oninput: () => page.openStep(Number(this.slider.value))
        });
        this.position = make("span", "position");
        const press = (text, title, f) =>
            make("button", {title, "aria-label": title, onclick: f}, text);
        host.append(
            make(
                "div", "through", press("‹", "Step before ([)", () => page.stepBy(-1)), this.slider,
                press("›", "Next step (])", () => page.stepBy(1)), this.position),
            this.directions(), this.checks(),
            this.opener = press("⋯", "More", () => this.unfold(!host.matches(".open"))),
            make(
                "div", {class: "tools", onclick: ({target}) => target.closest("button") && this.unfold(false)}, this.decimals(),
                this.predict = make(
                    "button", {"aria-pressed": "false", onclick: () => page.togglePredict()},
                    "Predict"),
                make("button", {class: "for-lecture", onclick: () => page.lecture.toggle()}, "Lecture ", make("kbd", {}, "l")),
                page.notes ? make("button", {onclick: () => page.notes.open()}, "Notes") : "",
                make(
                    "button", {onclick: () => page.help.toggle()},
                    ...(isTouched() ? ["Marks"] : ["Keys ", make("kbd", {}, "?")]))));
        this.opener.classList.add("opener");
        this.unfold(false);
    }

    // Where the bar is narrow, the tools stand above it when they are asked for.
    unfold(isOpen) {
        this.host.classList.toggle("open", isOpen);
        this.opener.setAttribute("aria-expanded", isOpen);
    }

    directions() {
        const {page} = this;
        if (!page.hasGradients) return "";
        const choice = (gradient, text) => make(
            "button", {"aria-pressed": "false", onclick: () => page.turn(gradient)}, text);
        this.forward = choice(false, "forward");
        this.gradient = choice(true, "gradient");
        return make(
            "div", {class: "switch", role: "group", "aria-label": "Direction"}, this.forward, this.gradient);
    }

    decimals() {
        const {page} = this;
        return make("label", "decimals", page.comparison ? "decimals, at least " : "decimals, up to ", make("input", {
                        type: "number",
                        min: 0,
                        max: 9,
                        value: page.places,
                        onchange: ({target}) =>
                            page.setPlaces(min(9, max(0, Math.round(Number(target.value)) || 0)))
                    }));
    }

    // All checks of all steps at a glance.
    checks() {
        const all = this.page.data.steps.flatMap((step) => [...(step.checks || []), ...(step.agreement ? [step.agreement] : [])].map(([holds]) => ({holds, step})));
        if (all.length === 0) return "";
        const failed = all.find(({holds}) => !holds);
        if (!failed)
            return make(
                "span", "check-sum", make("span", "sign holds", "✓"),
                ` ${counted(all.length, "check")} hold${all.length === 1 ? "s" : ""}`);
        return make(
            "button", {class: "check-sum", onclick: () => this.page.open(failed.step.tensor)},
            make("span", "sign fails", "✗"),
            ` ${all.filter(({holds}) => !holds).length} of ${counted(all.length, "check")} failed`);
    }

    show() {
        const {page} = this, steps = page.data.steps,
              i = steps.findIndex(({tensor}) => tensor === page.state.tensor);
        if (i >= 0) this.slider.value = i;
        this.slider.setAttribute("aria-valuetext", i >= 0 ? visible(steps[i].path) : "");
        this.position.replaceChildren(i >= 0 ? `${i + 1} of ${steps.length}` : "between the steps");
        if (this.forward) {
            this.forward.setAttribute("aria-pressed", !page.state.gradient);
            this.gradient.setAttribute("aria-pressed", page.state.gradient);
        }
        this.predict.setAttribute("aria-pressed", !!page.quiz);
    }
}

// What the page shows, and in a quieter line how it was computed.
export function masthead(data) {
    const [title, ...rest] = (data.title || data.command).split(/ · (?=convention )/);
    const random = data.rng ? `, random numbers as ${data.rng}, seed ${data.seed}` : "";
    // Most titles, or the lines below them, say so already.
    const isSaid = [data.title, ...data.header].some((line) => line.includes(data.convention));
    const convention = data.convention && !isSaid ? `convention ${data.convention}${random}` : "";
    // What the title says, and the words' numbers, are not said again.
    const isNew = (text) => text && !text.startsWith(" ") && !title.includes(text.replace(/^.*: |\.$/g, ""));
    const [lead = "", ...header] = data.header.filter(isNew), facts = [...header, ...rest, convention].filter(isNew);
    return [
        make("p", "title", prose(title)),
        ...(data.answer ? [make("p", "answered", name(visible(data.answer)))] : []),
        make("p", "lead", lead.includes(" = ") ? formulaView(lead, new Map()) : prose(lead)),
        ...(data.untrained ? [make("p", "untrained", data.untrained)] : []),
        make("p", "facts", facts.map((text, i) => [i ? " · " : "", prose(text)]))
    ];
}

// What to do, for those who have never seen such a page.
export function hint(more) {
    const press = isTouched() ? "Touch" : "Click";
    return make("p", "hint", press + " any number to see how it was made.", more);
}
