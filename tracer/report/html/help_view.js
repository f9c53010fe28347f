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
                make("li", {}, make("span", "cell sample chosen", "0.5"), " the chosen number"),
                make("li", {}, make("span", "cell sample from", "0.5"), " what its arithmetic names"),
                make("li", {}, make("span", "cell sample far far-3", "0.5"), " what that was made from, the paler the further"),
                make("li", {}, make("span", "cell sample user", "0.5"), " what depends on it"),
                make("li", {}, make("span", "cell sample hidden-score", "0.5"), " hidden by a mask"),
                make(
                    "li", {}, make("span", "cell sample differs", "0.5"),
                    " differs from the other side")),
            make("button", {onclick: () => this.dialog.close()}, "Close"));
        host.append(this.dialog);
    }

    toggle() {
        if (this.dialog.open) this.dialog.close();
        else this.dialog.showModal();
    }
}
