// Predict mode in the middle column: a question in the place of the numbers.
import {make, name} from "./dom.js";
import {brief, shown} from "./numbers.js";
import {Quiz} from "./quiz.js";
import {sourcesOf} from "./symbols.js";

export class QuizView {
    constructor(page) {
        this.page = page;
        this.last = null;  // {stop, text}: what is said about the last answer
    }

    start() {
        this.last = null;
        return new Quiz();
    }

    // The questions of a step: its shape, and a number where its operands can be seen.
    questionsFor(stop) {
        const {page} = this, {trace, places} = page, shape = trace.shape(stop.tensor),
              index = page.data.steps.indexOf(stop);
        if (!stop.formula) return [];
        const questions = [{
            kind: "shape",
            key: stop.path + " shape",
            answer: [...shape],
            text: "Which shape does it have?",
            truth: `(${shape.join(", ")})`
        }];
        const sources = sourcesOf(trace, stop.tensor), equation = trace.producer[stop.tensor];
        const isComputable = sources.size > 0 && trace.size(stop.tensor) > 0 && stop.kind !== "word" &&
            (!equation || equation.is !== null);
        if (!isComputable) return questions;
        const at = shape.reduce((sum, size) => sum * size + (index % size), 0),
              value = trace.value(stop.tensor, at);
        const label = page.labels().label({tensor: stop.tensor, at, gradient: false});
        return [
            ...questions, {
                kind: "value",
                key: stop.path + " value",
                at,
                answer: [value],
                places,
                text: ["What is ", name(label), "?"],
                truth: shown(value, places, page.data.real)
            }
        ];
    }

    isDone(stop) {
        const {quiz} = this.page;
        return !quiz || this.questionsFor(stop).every(({key}) => quiz.done.has(key));
    }

    knowsShape(stop) {
        const {quiz} = this.page;
        return !quiz || !stop.formula || quiz.done.has(stop.path + " shape");
    }

    question(stop) {
        const {page} = this, {quiz} = page;
        const next = this.questionsFor(stop).find(({key}) => !quiz.done.has(key));
        const input =
            make("input", {type: "text", autocomplete: "off", spellcheck: "false", id: "quiz-answer"});
        const said = make(
            "p", {class: "said", role: "status"}, this.last && this.last.stop === stop ? this.last.text : "");
        const answer = (event) => {
            event.preventDefault();
            if (input.value.trim()) this.answer(stop, next, input, said);
        };
        return make(
            "form", {class: "quiz", onsubmit: answer},
            make(
                "label",
                {for: "quiz-answer"
                },
                next.text),
            make("div", "answer", input, make("button", {type: "submit"}, "Answer")),
            make(
                "p", "quiet-note",
                next.kind === "shape"
                    ? "Such as 3 2; () for a single number."
                    : `To within ${brief(10 ** -next.places, 9)}, of larger numbers in proportion.`),
            said, make("p", "score", quiz.asked ? quiz.score() : "You have two tries."),
            make("button", {class: "plain", onclick: () => this.skip(stop, next)}, "Show"),
            this.operands(stop));
    }

    // What the answer can be worked out from.
    operands(stop) {
        const {page} = this, sources = page.symbols.sourcesOf(stop.tensor);
        if (sources.length === 0) return "";
        return make(
            "p", "quiet-note", "It is computed from ",
            sources.map(
                (id, i) =>
                    [i ? ", " : "",
                     make(
                         "button", {class: "link " + page.symbols.classOf(id),
                             onclick: () => page.open(id, true)
                         },
                         name(page.labels().name(id))),
                     ` (${page.trace.shape(id).join(", ")})`]),
            ".");
    }

    answer(stop, question, input, said) {
        const result = this.page.quiz.answer(question, input.value);
        if (result === "again") {
            said.textContent = "Not quite. Try again.";
            input.select();
            return;
        }
        const text = result === "right" ? `Right: ${question.truth}.` : `Not quite: it is ${question.truth}.`;
        this.after(stop, question, text);
    }

    skip(stop, question) {
        const {quiz} = this.page;
        quiz.tries = 0;
        quiz.done.add(question.key);
        this.after(stop, question, `It is ${question.truth}.`);
    }

    after(stop, question, text) {
        const {page} = this;
        this.last = {stop, text};
        if (question.at !== undefined) page.state.at = question.at;
        page.show();
        page.map.redraw();
        const next = page.host.querySelector("#quiz-answer");
        if (next) next.focus();
        else page.step.focusNumber();
    }

    // The placement of a finished step's verdict: below its numbers.
    verdict(stop) {
        const {quiz} = this.page;
        if (!quiz || !this.last || this.last.stop !== stop) return "";
        return make(
            "p", {class: "said", role: "status"}, this.last.text, " ",
            make("span", "score", quiz.asked ? quiz.score() + "." : ""));
    }
}
