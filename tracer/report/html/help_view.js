// The list of keys.
import {isTouched, make} from "./dom.js";

const keys = [
    ["← ↑ → ↓", "move within the numbers"],
    ["[  ]", "the step before, the next step"],
    ["Enter", "to the first factor of the number; on a factor, to the number it is"],
    ["Tab", "through the factors"],
    ["Backspace", "back"],
    ["g", "forward or gradient"],
    ["p", "predict before it is shown"],
    ["l", "lecture: large type, the arithmetic line by line with → and ←"],
    ["?", "these keys"],
    ["Escape", "back to the numbers; leaves the lecture"],
];

const marks = [
    ["chosen", "the chosen number"],
    ["from", "what its arithmetic names"],
    ["far far-3", "what that was made from, the paler the further"],
    ["user", "what depends on it"],
    ["hidden-score", "hidden by a mask"],
    ["differs", "differs from the other side"],
];

export class HelpView {
    constructor(host) {
        this.dialog = make(
            "dialog", {"aria-label": isTouched() ? "Marks" : "Keys"},
            isTouched() ? "" : [
                make("h2", {}, "Keys"),
                make("dl", {}, keys.map(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)]))
            ],
            make("h2", {}, "Marks"),
            make(
                "ul", "marks",
                marks.map(([kind, what]) => make("li", {}, make("span", {class: "cell sample " + kind}, "0.5"), " " + what))),
            make("button", {onclick: () => this.dialog.close()}, "Close"));
        host.append(this.dialog);
    }

    toggle() {
        if (this.dialog.open) this.dialog.close();
        else {
            this.dialog.showModal();
            this.dialog.scrollTop = 0;  // the focus is at its end
        }
    }
}
