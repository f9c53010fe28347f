// Lecture mode: one step in large type; the arithmetic of the chosen number appears line by line, then the number.
import {make} from "./dom.js";
import {keyOf} from "./operands.js";
import {max} from "./shape.js";
import {spoken} from "./speech.js";

const forward = ["ArrowRight", "PageDown", " "], back = ["ArrowLeft", "PageUp"];  // presenters send the page keys

export class Lecture {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        this.isOn = false;
        this.lines = [];
        this.shown = 0;
        const press = (text, title, f) => make("button", {title, "aria-label": title, onclick: f}, text);
        this.position = make("span", "position");
        this.controls = make(
            "nav", {class: "lecture-controls", "aria-label": "Lecture", hidden: true},
            press("‹", "Line before (←)", () => this.move(-1)), this.position, press("›", "Next line (→)", () => this.move(1)),
            make("button", {onclick: () => this.toggle()}, "Leave ", make("kbd", {}, "l")));
        host.append(this.controls);
        // Before the numbers, whose own keys the arrows are.
        host.addEventListener("keydown", (event) => this.key(event), {capture: true});
    }

    toggle() {
        const {page, host} = this;
        this.isOn = !this.isOn;
        this.shown = 0;
        host.ownerDocument.documentElement.classList.toggle("lecture", this.isOn);
        this.controls.hidden = !this.isOn;
        if (this.isOn && page.quiz) page.togglePredict();
        page.layout.arrange();
        page.show();
        page.step.fit();
        page.step.focusNumber();
    }

    key(event) {
        if (!this.isOn || event.ctrlKey || event.altKey || event.metaKey || this.host.querySelector("dialog[open]")) return;
        if (event.target.closest("input, select") || (event.key === " " && event.target.closest("button"))) return;
        const by = forward.includes(event.key) ? 1 : back.includes(event.key) ? -1 : 0;
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        this.move(by);
    }

    // To the next line, and behind the last one to the next step; or back.
    move(by) {
        const {page, lines} = this, next = this.shown + by;
        if (next >= 0 && next <= lines.length) {
            this.shown = next;
            this.apply(by > 0 && lines[next - 1]);
            page.step.mark();
            return;
        }
        const to = page.data.steps.findIndex(({tensor}) => tensor === page.state.tensor) + by;
        if (to < 0 || to >= page.data.steps.length) return;
        page.openStep(to);
        if (by < 0) this.shown = this.lines.length;
        this.apply();
        page.step.mark();
        page.step.focusNumber();
    }

    // The lines of another number are still to come.
    begin(arithmetic) {
        if (!this.isOn) return;
        const key = keyOf(this.page.state);
        const isOther = key !== this.number;
        if (isOther) this.shown = 0;
        this.number = key;
        this.lines = [...arithmetic.querySelectorAll(".line")].filter((line) => line.textContent);
        this.value = arithmetic.querySelector(".big-value");
        this.apply();
        if (isOther) this.page.step.mark();
    }

    apply(newest) {
        const {lines, shown, page} = this;
        lines.forEach((line, i) => (line.hidden = i >= shown));
        if (this.value) this.value.hidden = this.isVeiling;
        this.position.textContent = `${shown} of ${lines.length}`;
        page.arithmetic.say(newest ? spoken(newest.textContent) : "");
        // Where there is no room for all, the first ones make place; what they are of stays.
        for (const line of lines.slice(0, max(shown - 1, 0))) {
            const {scrollHeight, clientHeight} = line.parentNode;
            if (scrollHeight > clientHeight + 1 && !line.matches(".symbols")) line.hidden = true;
        }
    }

    get isVeiling() { return this.isOn && this.shown < this.lines.length; }

    // The chosen number stands as a question until its arithmetic is done.
    veils(element) { return this.isVeiling && keyOf(element) === keyOf(this.page.state); }
}
