// The page as a whole: which number is chosen, from which side and in which direction, and what follows from
// that.
import {addressOf, elementAt, parseAddress, tensorNamed} from "./address.js";
import {ArithmeticView} from "./arithmetic_view.js";
import {BarView, hint, masthead} from "./bar_view.js";
import {Comparison} from "./comparison.js";
import {isDarkTheme, make} from "./dom.js";
import {attentionOf, firstPlace} from "./first_place.js";
import {HelpView} from "./help_view.js";
import {keyPressed} from "./keys.js";
import {Labels, scopeOf} from "./labels.js";
import {Layout} from "./layout.js";
import {Lecture} from "./lecture.js";
import {Lights} from "./lights.js";
import {MapView} from "./map_view.js";
import {NotesView} from "./notes_view.js";
import {usersOf} from "./operands.js";
import {PrintView} from "./print_view.js";
import {QuizView} from "./quiz_view.js";
import {max, min} from "./shape.js";
import {ShownNumbers} from "./shown_numbers.js";
import {StepView} from "./step_view.js";
import {Symbols} from "./symbols.js";
import {visible} from "./text.js";
import {Trace} from "./trace.js";

export class Page {
    constructor(data, host) {
        this.data = data;
        this.host = host;
        this.trace = new Trace(data);
        this.comparison = comparisonOf(data, this.trace);
        this.symbols = new Symbols(this.trace);
        this.places = data.precision;
        this.hasGradients = !!data.scalar;
        this.isDark = isDarkTheme();
        this.view = "both";
        this.quiz = null;
        this.depth = 0;  // numbers to go back to
        this.numbers = new ShownNumbers(this);
        this.stops = [
            ...data.steps, ...data.parameters.map((each) => ({
                                                      ...each,
                                                      path: each.name,
                                                      isParameter: true,
                                                      formula: "",
                                                      sentence: "A parameter.",
                                                      kind: "number"
                                                  }))
        ];
        this.byTensor = new Map(this.stops.map((stop) => [stop.tensor, stop]).reverse());
        this.lights = new Lights(this);
        this.state = {...firstPlace(this), gradient: false, side: "left"};
        this.build();
    }

    build() {
        const at = (selector) => this.host.querySelector(selector);
        this.notice = make("p", {class: "notice", role: "status", hidden: true});
        const lines = masthead(this.data);
        lines.splice(2, 0, hint(this.toAttention()));
        at(".masthead").append(...lines, this.notice);
        this.map = new MapView(this, at(".map"));
        this.layout = new Layout(this, at("main"));
        this.quizView = new QuizView(this);
        this.step = new StepView(this, at(".step"));
        this.arithmetic = new ArithmeticView(this, at(".arithmetic"));
        if (this.data.footer) this.notes = new NotesView(this.data.footer, this.host);
        this.bar = new BarView(this, at(".bar"));
        this.lecture = new Lecture(this, this.host);
        this.help = new HelpView(this.host);
        this.print = new PrintView(this, at(".paper"));
        this.host.addEventListener("keydown", (event) => keyPressed(this, event));
        addEventListener("popstate", () => this.arrive());
        addEventListener("hashchange", () => this.arrive());
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
        this.markDifferences();
        this.map.foldMost(this.state.tensor);
        this.arrive();
    }

    // From an answer to where the model looked for it; where the page opens there, to what it predicted.
    toAttention() {
        const seen = attentionOf(this), {answer} = this.numbers;
        if (!seen || !answer) return "";
        const [words, to] = seen.isCross ? ["Its probabilities", {...answer, at: elementAt(this.trace.shape(answer.tensor), answer.place)}] : ["Its attention", seen];
        return [" ", make("button", {class: "link", onclick: () => this.enter(to)}, words)];
    }

    markDifferences() {
        if (!this.comparison) return;
        const first = this.comparison.firstStep();
        for (const step of this.data.steps)
            if (this.comparison.firstDifference(step) >= 0)
                this.map.mark(step.tensor, step === first ? "differs first" : "differs");
    }

    // ---- what is chosen
    // -------------------------------------------------------------------------------------------

    get chosen() {
        const {tensor, at, gradient, side} = this.state, {comparison} = this;
        if (side === "right" && comparison.right)
            return {tensor: comparison.otherTensor(this.stopOf(tensor)), at, gradient};
        return {tensor, at, gradient};
    }

    // The trace that the chosen number's arithmetic comes from.
    get activeTrace() { return this.isOnTheRight ? this.comparison.right : this.trace; }

    stopOf(tensor) {
        return this.byTensor.get(tensor) || {
            tensor,
            path: "tensor:" + tensor,
            title: this.labels(this.trace).name(tensor),
            formula: "",
            kind: "number",
            sentence: this.trace.tensors[tensor].name ? "" : "A value between the steps."
        };
    }

    // Decimals: beside another side as many as it takes to see the difference.
    get shownPlaces() {
        const {comparison, places} = this, stop = this.byTensor.get(this.state.tensor);
        return comparison?.has(stop) ? comparison.placesOf(stop, places) : places;
    }

    // Of the trace that the arithmetic comes from; of the page's own for its own tensors.
    labels(trace = this.activeTrace) {
        const {tensor} = this.state, stop = this.byTensor.get(tensor);
        return new Labels(trace, stop && !stop.isParameter ? scopeOf(stop.path) : "", this.shownPlaces);
    }

    // Chooses a number of the step that is shown.
    choose({tensor, at, gradient, side = "left"}) {
        this.state = {tensor, at, gradient, side};
        this.remember("replace");
        this.show();
        this.layout.openSheet();
    }

    // Goes to a number in another place, from which Backspace leads back.
    enter(element) {
        const {side} = this.state, {comparison} = this;
        let {tensor} = element;
        if (side === "right" && comparison.right) tensor = this.ownTensor(tensor);
        if (tensor < 0) return;
        const isBoth = side === "right" && comparison.has(this.byTensor.get(tensor));
        this.state =
            {tensor, at: element.at, gradient: !!element.gradient, side: isBoth ? side : "left"};
        this.remember("push");
        this.show();
        this.layout.openSheet();
        this.step.focusNumber();
    }

    // Marks stand on this side's tensors, whichever side the arithmetic is of.
    ownElement(element) {
        return this.isOnTheRight ? {...element, tensor: this.ownTensor(element.tensor)} : element;
    }

    ownUsers(users) {
        if (!this.isOnTheRight) return users;
        return new Map([...users].map(([tensor, all]) => [this.ownTensor(tensor), all]));
    }

    get isOnTheRight() {
        return this.state.side === "right" && !!this.comparison?.right;
    }

    // Of the other side's tensors, those that are steps or have a name here as well can be shown.
    ownTensor(other) {
        const {right} = this.comparison, step = right.stepOf.get(other);
        const own = step && this.data.steps.find(({path}) => path === step.path);
        if (own) return own.tensor;
        const {name: parameter} = right.tensors[other];
        return parameter === undefined ? -1 : this.trace.tensors.findIndex((each) => each.name === parameter);
    }

    open(tensor, pushes = false) {
        const stop = this.byTensor.get(tensor),
              first = this.comparison && stop ? this.comparison.firstDifference(stop) : 0;
        const at = this.lastPlaces[tensor] ?? max(first, 0);
        this.state =
            {...this.state, tensor, at: min(at, max(this.trace.size(tensor) - 1, 0)), side: "left"};
        this.remember(pushes ? "push" : "replace");
        this.show();
        this.layout.isFirst = false;
        this.layout.clearChosen();
    }

    lastPlaces = {};  // the number last chosen in each tensor

    openStep(i) {
        if (this.data.steps[i]) this.open(this.data.steps[i].tensor);
    }

    stepBy(by) {
        const i = this.data.steps.findIndex(({tensor}) => tensor === this.state.tensor);
        this.openStep(i < 0 ? 0 : min(max(i + by, 0), this.data.steps.length - 1));
    }

    turn(gradient) {
        if (!this.hasGradients) return;
        this.state = {...this.state, gradient, side: "left"};
        this.remember("replace");
        this.show();
        this.map.redraw();
    }

    back() {
        if (this.depth > 0) history.back();
    }

    // ---- the address
    // ------------------------------------------------------------------------------------------------

    remember(how) {
        const {tensor} = this.state,
              address = addressOf(this.stopOf(tensor).path, this.trace.shape(tensor), this.state);
        this.lastPlaces[tensor] = this.state.at;
        if (how === "push") ++this.depth;
        try {
            history[how + "State"]({depth: this.depth}, "", address);
        } catch {
            // some browsers allow only so many changes in a while: the address is then a little behind
        }
    }

    // Shows what the address names, if it names something.
    arrive() {
        const isBack = history.state && history.state.depth !== undefined;
        this.depth = isBack ? history.state.depth : 0;
        const address = parseAddress(location.hash),
              tensor = address ? tensorNamed(this.trace, address.name) : -1;
        const at = tensor >= 0 ? elementAt(this.trace.shape(tensor), address.place) : null;
        this.notice.hidden = at !== null || location.hash.length < 2;
        this.notice.replaceChildren(`The address names no number of this page: ${visible(location.hash)}`);
        if (tensor >= 0) {
            const side =
                this.comparison?.has(this.byTensor.get(tensor)) ? address.side : "left";
            this.state =
                {tensor, at: at === null ? 0 : at, gradient: address.gradient && this.hasGradients, side};
            this.lastPlaces[tensor] = this.state.at;
        }
        this.show();
        this.map.redraw();
        if (isBack) this.step.focusNumber();
        else if (tensor >= 0 && address.place) {
            this.step.bringNumber();
            this.layout.openSheet();
        } else if (location.hash.length < 2) this.layout.openSheet(true);
    }

    // ---- what is seen
    // -----------------------------------------------------------------------------------------------

    show() {
        this.lights.show(this.chosen, true);
        this.map.show(this.state.tensor);
        const hadFocus = this.step.host.contains(document.activeElement);
        this.step.show();
        if (hadFocus && !this.step.host.contains(document.activeElement)) this.step.focusNumber();
        this.arithmetic.show();
        this.bar.show();
        this.layout.tellMore();
        if (this.mapShowsGradient !== this.state.gradient) this.map.redraw();
        this.mapShowsGradient = this.state.gradient;
        this.map.light();
    }

    // The other side's number, where only its numbers are known.
    get lone() {
        const {side, tensor, at} = this.state;
        return side === "right" && !this.comparison.right
            ? this.comparison.rightValue(this.stopOf(tensor), at)
            : null;
    }

    directUsers() { return usersOf(this.activeTrace, this.chosen); }

    // ---- settings
    // ---------------------------------------------------------------------------------------------------

    setPlaces(places) {
        this.places = places;
        this.show();
    }

    // Whether weights are coloured up to the largest of their map; undefined as long as nobody has chosen.
    setOwnScale(hasOwnScale) {
        this.hasOwnScale = hasOwnScale;
        this.show();
        this.map.redraw();
    }

    // The arithmetic is that of the side one looks at.
    setView(view) {
        this.view = view;
        const isRight = view === "right" && this.comparison.has(this.byTensor.get(this.state.tensor));
        this.state = {...this.state, side: isRight ? "right" : "left"};
        this.show();
    }

    togglePredict() {
        this.quiz = this.quiz ? null : this.quizView.start();
        if (this.quiz) this.state = {...this.state, gradient: false, side: "left"};
        this.show();
        this.map.redraw();
        const field = this.host.querySelector("#quiz-answer");
        if (field) field.focus();
    }

    quizKey() { return this.quiz ? this.quiz.done.size + "," + this.quiz.asked : ""; }

    // Whether a step's numbers may be seen, in predict mode.
    isRevealed(tensor) {
        const stop = this.quiz && this.byTensor.get(tensor);
        return !stop || stop.isParameter || this.quizView.isDone(stop);
    }

    restyle() {
        this.isDark = isDarkTheme();
        this.show();
        this.map.redraw();
    }
}

function comparisonOf(data, trace) {
    if (data.other) return new Comparison(trace, new Trace(data.other), data.comparison);
    if (data.comparison) return new Comparison(trace, null, data.comparison);
    return null;
}

export function openPage(document) {
    const data = JSON.parse(document.getElementById("trace").textContent);
    if (data.schema !== 1) {
        document.body.prepend(
            make("p", "failure", "This page holds data that it cannot read: schema " + data.schema));
        return null;
    }
    document.title = visible(data.title || data.command);
    return new Page(data, document.body);
}
