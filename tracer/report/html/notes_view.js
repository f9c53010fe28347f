// What the command prints below the steps: the update of a training step, what a mistake changes, how two sides differ.
import {make, name} from "./dom.js";
import {visible} from "./text.js";

// Lines of text as they are, a column of them.
export const plainLines = (text) => text.trimEnd().split("\n").map((line) => make("div", "plain-line", line ? name(visible(line)) : "\u00a0"));

export class NotesView {
    constructor(text, host) {
        this.dialog = make("dialog", {class: "notes", "aria-label": "Notes"}, make("h2", {}, "Notes"), make("div", {class: "plain-lines", tabindex: 0, role: "region", "aria-label": "Text"}, plainLines(text)),
            make("button", {onclick: () => this.dialog.close()}, "Close"));
        host.append(this.dialog);
    }

    open() {
        this.dialog.showModal();
    }
}
