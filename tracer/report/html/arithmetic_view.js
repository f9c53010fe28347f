// The right column: the arithmetic of the chosen number. Every factor is a button that leads to the number it
// is.
import {arithmeticOf, signBetween} from "./arithmetic.js";
import {make, name} from "./dom.js";
import {rootOf, symbolText} from "./formula_view.js";
import {exact, shown} from "./numbers.js";
import {abs, floor, max, min} from "./shape.js";
import {sentenceOf} from "./speech.js";
import {counted, visible} from "./text.js";

const fewUsers = 6;

export class ArithmeticView {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        this.unfolded = 0;
        this.key = "";
        this.live = make("p", {class: "unseen", "aria-live": "polite", role: "status"});
        this.body = make("div", "arithmetic-body");
        host.append(this.body, this.live);
    }

    show() {
        const {page} = this, {state} = page;
        const key = JSON.stringify([state.tensor, state.at, state.gradient, state.side]);
        if (key !== this.key) this.unfolded = 0;
        this.key = key;
        this.body.replaceChildren(make(
            "button", {class: "close", "aria-label": "Close", onclick: () => page.layout.closeSheet()}, "✕"));
        if (!page.isRevealed(state.tensor)) {
            this.say("");
            this.body.append(
                make("p", "quiet-note", "The arithmetic is shown once you have answered."));
            return;
        }
        if (page.activeTrace.size(page.chosen.tensor) === 0) {
            this.body.append(
                make("p", "quiet-note", "There is no number here: an axis has length 0."));
            return;
        }
        this.fill(
            page.lone === null ? arithmeticOf(page.activeTrace, page.chosen, page.labels(), this.unfolded)
                               : this.lone());
    }

    // Of the other side of a comparison, where the page holds its numbers only.
    lone() {
        const {page} = this, {left, right} = page.comparison.names;
        return {
            label: page.labels().label(page.chosen),
            value: page.lone,
            symbols: [],
            where: [],
            notes: [],
            lines: [],
            says: `a number of “${right}”; the arithmetic in this page is that of “${left}”`
        };
    }

    fill(arithmetic) {
        const {page} = this, {state} = page;
        const value = page.numbers.written(arithmetic.value), precise = exact(arithmetic.value, page.data.real);
        this.body.append(
            make(
                "div", "worked", this.heading(arithmetic, value, precise), this.place(),
                this.lines(arithmetic, value, precise)),
            make("div", "around", this.remarks(arithmetic), this.users(), this.origins = make("div")));
        this.say(sentenceOf(arithmetic, value) + (page.numbers.isHidden(page.state) ? " The mask hides it." : ""));
        page.lecture.begin(this.body);
    }

    heading({label}, value, precise) {
        const {page} = this, {state} = page;
        const back = make(
            "button", {class: "back",
                disabled: page.depth === 0,
                onclick: () => page.back(),
                title: "Back (Backspace)",
                "aria-label": "Back to the number before"
            },
            "←");
        return make(
            "div", "number-heading", back,
            make(
                "h2", {}, name(label, page.symbols.classOf(state.tensor)),
                make(
                    "span", {class: "big-value", title: precise, ...page.numbers.dataOf(page.chosen, precise)},
                    value)));
    }

    // What the number stands for: its words on the axes, and its exact value.
    place() {
        const {
            page} = this,
           words =
               page.numbers.wordsAt(page.chosen)
                   .map(({axis, word}) => [axis ? visible(axis) + " " : "", name("“" + visible(word) + "”")]);
        const line = make("p", "place"), {comparison, state} = page, {tensor, at, gradient} = page.chosen;
        const answers = !gradient && page.numbers.answersOf(tensor), quoted = (word) => name("“" + word + "”");
        if (answers) {
            const stop = page.stopOf(tensor), [rows, columns] = page.trace.shape(tensor).slice(-2);
            const [, written] = answers(floor(at / columns) % rows), read = words.at(-1);
            words.splice(0, words.length, ["to write ", quoted(written)], read);
            if (stop.kind === "weight" && read)
                words.splice(0, 2, ["To write ", quoted(written), " it reads ", read[1], ` with ${shown(page.trace.value(tensor, at), 2, page.data.real)}.`]);
        }
        if (comparison?.has(page.stopOf(state.tensor)))
            words.unshift(["of ", name("“" + visible(comparison.names[state.side === "right" ? "right" : "left"]) + "”")]);
        words.forEach((each, i) => line.append(i ? ", " : "", ...each));
        return words.length ? line : "";
    }

    lines(arithmetic, value, precise) {
        const {page} = this, {symbols, where, notes, lines, says} = arithmetic, rows = [];
        const row = (sign, content, kind) => rows.push(make(
            "div", {class: "line " + kind}, make("span", "equals", sign),
            make("span", "terms", content)));
        if (says) row(symbols.length ? "=" : "", make("span", "says", visible(says)), "sentence");
        if (symbols.length) row(says ? "" : "=", this.tokens(symbols), "symbols");
        for (const each of notes) row("", this.tokens(each), "note");
        for (const each of where) row("", this.tokens(each), "where");
        lines.forEach((each, i) => row(signBetween(lines[i - 1], each), this.tokens(each), "numbers"));
        const last = lines.at(-1);
        const isSaid = last?.length === 1 && last[0].text === value;
        if (!isSaid)
            row(lines.length && last.length === 1 ? "≈" : signBetween(last, {printed: value}),
                make("span", {title: precise, ...page.numbers.dataOf(page.chosen, precise)}, value),
                "numbers result");
        else rows.at(-1).classList.add("result");
        row("",
            make(
                "span", "exactly",
                Number(value.replace("−", "-")) === Number(precise) || !Number.isFinite(arithmetic.value)
                    ? ""
                    : `${Math.fround(arithmetic.value) === arithmetic.value ? page.data.real : "double"}: ${precise.replaceAll("-", "−")}`),
            "note");
        return make("div", "lines", rows);
    }

    // Numbers that no space parts, such as exp(−1.42) and 0.5·(−1.42), stay on one line.
    tokens(tokens) {
        const made = [];
        let word = [], isShort = true;
        const flush = () => {
            const length = word.reduce((sum, each) => sum + (each.textContent ?? each).length, 0);
            made.push(word.length > 1 && (isShort || length < 20) ? make("span", "together", word) : word);
            word = [];
            isShort = true;
        };
        for (const token of tokens) {
            const node = this.token(token);
            if (typeof node !== "string") {
                word.push(node);
                isShort &&= token.value !== undefined;
                continue;
            }
            node.split(/( +)/).forEach((piece) => {
                if (!piece.startsWith(" ")) return word.push(piece);
                flush();
                made.push(piece);
            });
        }
        flush();
        return made;
    }

    token({text, element, value, isLabel, isSum, isUnder, isName, more}) {
        const {page} = this, set = /^√[\d.]+$/.test(text) ? rootOf(text.slice(1)) : text;
        if (more)
            return make(
                "button",
                {class: "more", onclick: () => this.unfold(more), title: "Show more terms"},
                text);
        if (isUnder) return make("sub", {}, text.slice(1));
        if (isSum) return make("span", "sum", text);
        if (isName) return symbolText(text);
        if (element) {
            const precise = exact(page.activeTrace.number(element), page.data.real);
            const label = page.labels().label(element), says = isLabel ? null : `${text}, ${label}`;
            const title =
                isLabel ? (text === label ? precise : `${label} = ${precise}`) : `${label} = ${precise}`;
            return make(
                "button", {class: `factor ${isLabel ? "label" : "value"} ${
                        page.symbols.classOf(element.tensor, page.activeTrace)}`,
                    title,
                    "aria-label": says,
                    ...page.numbers.dataOf(element, precise),
                    onclick: () => page.enter(element),
                    onmouseenter: () => page.lights.hoverFactor(element),
                    onmouseleave: () => page.lights.hoverFactor(null),
                    onfocus: () => page.lights.hoverFactor(element),
                    onblur: () => page.lights.hoverFactor(null)
                },
                isLabel ? this.labelled(text) : text);
        }
        if (value !== undefined)
            return make(
                "span",
                {class: "worked", title: exact(value, "float64"), "data-exact": exact(value, "float64")},
                set);
        return set;
    }

    // ∂L/∂Q[0,1]: the indices step back behind the name.
    labelled(text) {
        const open = text.endsWith("]") ? text.lastIndexOf("[") : -1;
        return open < 0 ? name(text)
                        : [name(text.slice(0, open)), make("span", "indices", text.slice(open))];
    }

    unfold(more) {
        this.unfolded = max(this.unfolded, 8) + min(more, 100);
        this.show();
        const next = this.host.querySelector(".more, .lines .value");
        if (next) next.focus();
    }

    remarks(arithmetic) {
        const {page} = this, {worked, value} = arithmetic, remarks = [];
        if (worked !== undefined && abs(worked - value) > 1e-4 * max(1, abs(value)))
            remarks.push(`By these operands it would be ${
                shown(worked, max(page.places, 6), "float64")}: the step was computed otherwise.`);
        if (page.state.gradient) remarks.push(...page.numbers.differenceAt().map(visible));
        return remarks.map((text) => make("p", "remark", text));
    }

    // What is computed from this number.
    users() {
        const {page} = this, users = page.directUsers();
        if (users.size === 0) return [];
        const labels = page.labels(), items = [...users].map(([tensor, elements]) => {
            const some = [...elements].slice(0, fewUsers), rest = elements.size - some.length;
            const link = (at) => {
                const gradient = page.state.gradient && !page.activeTrace.isMadeOfGradients(tensor),
                      element = {tensor, at, gradient},
                      precise = exact(page.activeTrace.number(element), page.data.real);
                return make(
                    "button", {class: "factor label " + page.symbols.classOf(tensor, page.activeTrace),
                        title: precise,
                        ...page.numbers.dataOf(element, precise),
                        onclick: () => page.enter(element)
                    },
                    this.labelled(labels.label(element)));
            };
            return make(
                "li", {}, some.flatMap((at, i) => [i ? " " : "", link(at)]),
                rest ? ` and ${rest.toLocaleString("en")} more` : "");
        });
        return [make("h3", {}, "Used by"), make("ul", "users", items)];
    }

    // What it goes back to: of each input how many numbers, of the parameters all in all. Once that has been followed.
    showOrigins() {
        const {page} = this, {trace} = page;
        const used = (tensor) => {
            const distances = page.lights.distancesOf(tensor, false) || [];
            return {tensor, of: distances.length, count: distances.reduce((sum, each) => sum + (each > 0), 0)};
        };
        const inputs = page.data.steps.filter(({tensor}) => trace.isGiven(tensor)).map(({tensor}) => used(tensor)).filter(({count}) => count);
        const weights = trace.tensors.map(({kind}, id) => (kind === "parameter" ? used(id) : {})).filter(({count}) => count);
        const said = ({count, of}) => `: ${count.toLocaleString("en")} of ${counted(of, "number")}`;
        const link = (tensor) => make(
            "button", {class: "factor label " + page.symbols.classOf(tensor), onclick: () => page.open(tensor, true)},
            name(page.labels(trace).name(tensor)));
        const items = inputs.map((each) => [link(each.tensor), said(each)]), sum = (key) => weights.reduce((all, each) => all + each[key], 0);
        if (weights.length) items.push([counted(weights.length, "parameter"), said({count: sum("count"), of: sum("of")})]);
        if (items.length)
            this.origins.replaceChildren(make("h3", {}, "Goes back to"), make("ul", "users", items.map((item) => make("li", {}, item))));
    }

    // After a pause, so that keys held down are not all read out.
    say(sentence) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => (this.live.textContent = sentence), 300);
    }

    firstFactor() {
        return this.host.querySelector(".numbers .factor") || this.host.querySelector(".lines .factor");
    }
}
