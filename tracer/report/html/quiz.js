// Predict mode's questions: first the shape of a step, then one of its numbers, with two tries each.

import {abs, max} from "./shape.js";

// To the last decimal shown, of numbers beyond 1 in proportion: mental arithmetic is enough.
export function isNear(given, truth, places) {
    if (Number.isNaN(truth)) return Number.isNaN(given);
    if (!Number.isFinite(truth)) return given === truth;
    return abs(given - truth) <= 10 ** -places * max(1, abs(truth)) * (1 + 1e-9);
}

export function numbersIn(text) {
    const plain = text.replaceAll("−", "-");
    return (plain.match(/[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|nan|-?inf/gi) || [])
        .map(
            (word) => /nan/i.test(word) ? NaN
                : /inf/i.test(word)     ? (word[0] === "-" ? -Infinity : Infinity)
                                        : Number(word));
}

export function isRight(question, text) {
    const given = numbersIn(text), {answer, places} = question;
    if (given.length !== answer.length) return false;
    return answer.every(
        (truth, i) => (question.kind === "shape" ? given[i] === truth : isNear(given[i], truth, places)));
}

export class Quiz {
    constructor() {
        this.asked = this.right = this.second = 0;
        this.done = new Set();  // "path shape", "path value"
        this.tries = 0;
    }

    // "right", "again" after a first miss, or "wrong"
    answer(question, text) {
        const right = isRight(question, text);
        if (!right && ++this.tries < 2) return "again";
        ++this.asked;
        if (right) ++this.right;
        if (right && this.tries === 1) ++this.second;
        this.tries = 0;
        this.done.add(question.key);
        return right ? "right" : "wrong";
    }

    score() {
        const second = this.second ? `, ${this.second} on the second try` : "";
        return `${this.right} of ${this.asked} right${second}`;
    }
}
