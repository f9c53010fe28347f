// The ledger of a run: every logged step a row, the chosen one whole.
import {make} from "../dom.js";
import {brief} from "../numbers.js";

// A row of the data by name.
export const stepOf = ([step, epoch, loss, accuracy, rate, norm, seconds]) => ({step, epoch, loss, accuracy, rate, norm, seconds});

export const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(2)} %`);

// The command that shows a step's batch, loss, gradients and update, number by number.
export function commandOf(data, step) {
    return `${data.command} --step ${step} -o step.html`;
}

// What clipping does to a gradient of this norm.
export function clipping(norm, limit) {
    if (!(limit > 0)) return "no clipping";
    return norm > limit ? `clipped to ${brief(limit, 4)}: every number times ${brief(limit / norm, 4)}` : `not clipped: ${brief(limit, 4)} is the limit`;
}

const mostPrinted = 30;  // rows on paper
const narrow = 640;      // pixels: there the table is folded

export class StepsView {
    constructor(data, choose) {
        this.data = data;
        this.rows = data.steps.map(stepOf);
        this.facts = make("dl", {class: "facts-list", "aria-live": "polite"});
        this.body = make("tbody");
        const head = ["step", "epoch", "loss", "accuracy", "learning rate", "‖gradient‖"];
        const table = make("table", {}, make("thead", {}, make("tr", {}, head.map((text) => make("th", {scope: "col"}, text)))), this.body);
        this.lines = this.rows.map((row, i) => this.line(row, () => choose(i)));
        const every = Math.ceil(this.lines.length / mostPrinted);
        for (const [n, line] of this.lines.entries()) line.classList.toggle("unprinted", n % every > 0 && n < this.lines.length - 1);
        this.body.append(...this.lines);
        this.element = make("section", {class: "run-part", "aria-label": "Steps"}, make("h2", {}, "Logged steps"), this.facts,
            make("details", {open: innerWidth > narrow}, make("summary", {}, `All ${this.lines.length}`), make("div", {class: "ledger", tabindex: 0, role: "region", "aria-label": "Table of logged steps"}, table)));
    }

    line(row, press) {
        const open = make("button", {onclick: press}, String(row.step));
        return make("tr", {}, make("th", {scope: "row"}, open), [String(row.epoch), brief(row.loss, 6), percent(row.accuracy), brief(row.rate, 8),
            brief(row.norm, 5)].map((text) => make("td", {}, text)));
    }

    show(i) {
        const row = this.rows[i], {data} = this;
        const fact = (name, ...value) => [make("dt", {}, name), make("dd", {}, ...value)];
        const right = row.accuracy === null ? "" : `; ${percent(row.accuracy)} right`;
        this.facts.replaceChildren(...fact("step", `${row.step}, in epoch ${row.epoch}, after ${brief(row.seconds, 1)} s`),
            ...fact("loss", `${brief(row.loss, 8)}, the mean over the batch${right}`),
            ...fact("‖gradient‖", `${brief(row.norm, 6)}, ${clipping(row.norm, Number(data.config.clip))}`),
            ...fact("learning rate", brief(row.rate, 10)), ...fact("number by number", make("code", {}, commandOf(data, row.step))));
        for (const [n, line] of this.lines.entries()) line.toggleAttribute("aria-current", n === i);
        const line = this.lines[i], box = this.element.querySelector(".ledger");
        if (line.offsetTop < box.scrollTop || line.offsetTop > box.scrollTop + box.clientHeight - 40) box.scrollTop = line.offsetTop - box.clientHeight / 2;
    }
}
