// The page of a training run: one slider over its logged steps moves the curves' cursor, the maps and the ledger.
import {make} from "../dom.js";
import {brief} from "../numbers.js";
import {abs, max, min} from "../shape.js";
import {CurveChart} from "./curves.js";
import {firstFormed, MapsView} from "./maps.js";
import {percent, stepOf, StepsView} from "./steps.js";

// The charts' curves from the data.
export function curvesOf(data) {
    const steps = data.steps.map(stepOf);
    const of = (key) => steps.filter((row) => row[key] !== null).map((row) => [row.step, row[key]]);
    const validations = (n) => data.validations.filter((row) => row[n] !== null).map((row) => [row[0], row[n]]);
    const charts = [["Loss", [{name: "training", points: of("loss")}, {name: "validation", points: validations(2), isSparse: true}]],
        ["Accuracy", [{name: "training", points: of("accuracy")}, {name: "validation", points: validations(3), isSparse: true}]],
        ["Learning rate", [{name: "learning rate", points: of("rate")}]], ["‖gradient‖ before clipping", [{name: "norm", points: of("norm")}]]];
    return charts.map(([title, curves]) => ({title, curves: curves.filter(({points}) => points.length > 0)})).filter(({curves}) => curves.length > 0);
}

// How many epochs are done after a step: it may be the last of its own.
export function epochsDone(data, step) {
    const last = data.validations.filter((row) => row[0] <= step).at(-1);
    return last ? last[1] : 0;
}

// What is learnt, and how much of what it has not seen is right in the end.
export function titleOf({task, config, end}) {
    const share = end ? end.testAccuracy ?? end.bestAccuracy : null, score = share === null ? "" : `: ${percent(share).replace(/\.00 /, " ")} right`;
    const what = task === "reverse" && config.seq ? `to reverse ${config.seq} numbers` : task;
    return `Learning ${what}${score}`;
}

// The best accuracy, since when, and the epoch that is kept: of those the one of the lowest loss.
export function bestOf({end: {bestEpoch, bestAccuracy}, validations}) {
    const best = validations.find((row) => row[1] === bestEpoch && row[3] === bestAccuracy), first = validations.find((row) => row[3] === bestAccuracy);
    const kept = best ? `kept: epoch ${bestEpoch}, loss ${brief(best[2], 6)}` : "";
    const right = bestAccuracy === null ? "" : `validation ${percent(bestAccuracy)}` + (first ? ", first in epoch " + first[1] : "");
    return [right, kept];
}

// "#120" is step 120, or the logged one before it; without a step it begins.
export function indexOfAddress(hash, rows) {
    const step = Number.parseInt(hash.replace(/^#/, ""), 10);
    if (!Number.isFinite(step)) return 0;
    return max(0, rows.findLastIndex ? rows.findLastIndex((row) => row.step <= step) : rows.filter((row) => row.step <= step).length - 1);
}

const playing = 12000, leastFrame = 40, mostFrames = playing / leastFrame;  // milliseconds of a whole run, and of one picture

export class RunPage {
    constructor(data, document) {
        this.data = data;
        this.rows = data.steps.map(stepOf);
        const span = [this.rows[0].step, this.rows.at(-1).step], choose = (i) => this.choose(i);
        this.charts = curvesOf(data).map(({title, curves}) => new CurveChart(title, curves, span, (step) => choose(this.nearest(step))));
        this.maps = new MapsView(data);
        this.steps = new StepsView(data, choose);
        document.body.classList.add("run");
        document.querySelector(".masthead").append(make("h1", "title", make("bdi", {}, titleOf(data))), make("p", "facts", [...data.title.split(" · ").slice(1), this.summary()].join(" · ")));
        const curves = make("section", {class: "run-part", "aria-label": "Curves"}, make("h2", {}, "Curves"), make("div", "curves", this.charts.map(({element}) => element)));
        document.querySelector("main").replaceChildren(this.maps.element, curves, this.steps.element, this.settings());
        this.bar(document.querySelector(".bar"));
        document.defaultView.addEventListener("hashchange", () => this.choose(indexOfAddress(document.location.hash, this.rows)));
        document.addEventListener("keydown", (event) => this.press(event));
        this.isFresh = !document.location.hash;
        if (this.isFresh) this.choose(this.opening(), true);
        else this.choose(indexOfAddress(document.location.hash, this.rows));
    }

    // Where something is to be seen in the maps; without maps where it begins.
    opening() {
        const set = firstFormed(this.maps.sets), done = set && this.data.validations.find((row) => row[1] === set.epoch);
        return done ? this.rows.findIndex(({step}) => step >= done[0]) : 0;
    }

    summary() {
        const {end, validations} = this.data;
        if (!end) return `still training, or stopped: ${validations.length} validations so far`;
        return [...bestOf(this.data), end.testAccuracy === null ? "" : `test ${percent(end.testAccuracy)}`, `${end.seconds} s`].filter(Boolean).join(" · ");
    }

    settings() {
        const rows = Object.entries(this.data.config).filter(([, value]) => String(value).length < 60);
        return make("section", {class: "run-part", "aria-label": "Settings"}, make("h2", {}, "Settings"),
            make("dl", "facts-list settings", rows.map(([name, value]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, String(value)))])));
    }

    bar(host) {
        this.slider = make("input", {type: "range", min: 0, max: this.rows.length - 1, "aria-label": "Logged step", oninput: () => this.choose(Number(this.slider.value))});
        this.position = make("span", "position");
        const button = (text, label, by) => make("button", {"aria-label": label, onclick: () => this.choose(this.at + by)}, text);
        this.player = make("button", {class: "play", onclick: () => this.play()}, "▶ Play");
        host.append(this.player, make("div", "through", button("‹", "Logged step before ([)", -1), this.slider, button("›", "Next logged step (])", 1), this.position));
    }

    // From where it is, or, at the end and where nothing was chosen, from the beginning; pressed again it stops.
    play() {
        const last = this.rows.length - 1;
        if (this.timer) return this.stop();
        if (this.at === last || this.isFresh) this.choose(0);
        const by = Math.ceil(this.rows.length / mostFrames);
        this.player.textContent = "❚❚ Stop";
        this.timer = setInterval(() => {
            this.choose(this.at + by);
            if (this.at === last) this.stop();
        }, max(playing / this.rows.length * by, leastFrame));
    }

    stop() {
        clearInterval(this.timer);
        this.timer = 0;
        this.player.textContent = "▶ Play";
    }

    press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === " " && !event.target.closest("button, input, .ledger")) {
            event.preventDefault();
            this.play();
        }
        if (event.key === "[") this.choose(this.at - 1);
        if (event.key === "]") this.choose(this.at + 1);
    }

    nearest(step) {
        return this.rows.reduce((best, row, i) => (abs(row.step - step) < abs(this.rows[best].step - step) ? i : best), 0);
    }

    choose(i, isFresh = false) {
        this.isFresh = isFresh;
        this.at = min(max(i, 0), this.rows.length - 1);
        const {step} = this.rows[this.at];
        this.slider.value = this.at;
        this.slider.setAttribute("aria-valuetext", `step ${step}`);
        this.position.replaceChildren(`step ${step} of ${this.rows.at(-1).step}`);
        for (const chart of this.charts) chart.show(step);
        this.maps.show(epochsDone(this.data, step));
        this.steps.show(this.at);
        history.replaceState(null, "", `#${step}`);
    }
}
