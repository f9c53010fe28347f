// The attention maps that a run has kept, at one epoch: a picture for each layer and head.
import {realsOf} from "../base64.js";
import {barOf, ColorScale, largestOf} from "../colors.js";
import {isDarkTheme, make} from "../dom.js";
import {drawHeatMap} from "../heat_map.js";
import {floor, max, min} from "../shape.js";
import {counted} from "../text.js";

// Sets of maps by epoch, in order: [{epoch, maps: [{path, head, rows, columns, valueAt}], answer, expected}]
export function mapsByEpoch(data) {
    const epochs = new Map();
    for (const map of data.maps) {
        const [rows, columns] = map.shape.slice(-2), heads = map.shape.length > 2 ? map.shape.at(-3) : 1;
        let numbers = null;  // decoded when it is first shown
        const read = (i) => (numbers ||= realsOf(map.data, data.real))[i];
        const answer = wordsOf(map.answer, rows), expected = answer && wordsOf(map.expected, rows);
        if (!epochs.has(map.epoch)) epochs.set(map.epoch, {epoch: map.epoch, maps: [], answer, expected});
        for (let head = 0; head < heads; ++head)
            epochs.get(map.epoch).maps.push({path: map.path, head, heads, rows, columns, answer, expected, read: wordsOf(map.read, columns),
                valueAt: (i, j) => read((head * rows + i) * columns + j)});
    }
    return [...epochs.values()].sort((a, b) => a.epoch - b.epoch);
}

// Words on an axis, where there is one for each place.
const wordsOf = (words, count) => (words && words.length === count ? words : null);

// The last set of an epoch that is done: 0 is before training.
export const setAt = (sets, epochsDone) => sets.filter(({epoch}) => epoch <= epochsDone).at(-1);

// The first set in which something is to be seen: its rows' largest weights are at least half as large as those of the last.
export function firstFormed(sets) {
    const sizeOf = ({maps}) => maps.reduce((sum, map) => sum + meanLargest(map), 0), last = sets.at(-1);
    return sets.find((set) => sizeOf(set) >= sizeOf(last) / 2);
}

// The largest weight of a row, on average.
function meanLargest({rows, columns, valueAt}) {
    let sum = 0;
    for (let i = 0; i < rows; ++i) sum += largestOf(columns, (j) => valueAt(i, j));
    return sum / rows;
}

// Of all epochs, so that one sees the map form.
function largestWeight(sets) {
    let most = 0;
    for (const {rows, columns, valueAt} of sets.flatMap(({maps}) => maps))
        most = max(most, largestOf(rows * columns, (n) => valueAt(floor(n / columns), n % columns)));
    return most || 1;
}

// A single map is the picture of the page; many stand beside each other.
const mapSizeFor = (count) => min(count === 1 ? max(0.5 * innerHeight, 320) : count <= 4 ? 320 : 220, innerWidth - 120);
const weights = () => new ColorScale("weight", 1, isDarkTheme());
const leastCell = 14;  // with a word beside it

export class MapsView {
    constructor(data) {
        this.sets = mapsByEpoch(data);
        this.caption = make("p", {class: "sentence", "aria-live": "polite"});
        this.pictures = make("div", "run-maps");
        this.element = make("section", {class: "run-part", "aria-label": "Attention"}, make("h2", {}, "Attention as it forms"), this.caption, this.pictures);
        this.element.hidden = this.sets.length === 0;
    }

    show(epochsDone) {
        const set = setAt(this.sets, epochsDone);
        if (!set || set === this.shown) return;
        this.shown = set;
        const when = set.epoch === 0 ? "before training" : `after ${counted(set.epoch, "epoch")}`;
        this.largest ||= largestWeight(this.sets);
        this.caption.replaceChildren("The first validation example, ", make("b", {}, when), ": each row says how much a query takes from every key", set === this.sets[0] && this.sets[1] ? ", alike as yet" : "", this.sets[1] ? "; Play shows how it forms. " : ". ", ...this.right(set), "Colours: ",
            make("span", "legend", "0", barOf(weights()), this.largest.toFixed(2)), ", the largest weight of all epochs.");
        this.pictures.replaceChildren(...set.maps.map((map) => this.picture(map, mapSizeFor(set.maps.length))));
    }

    // How many of the answers are right, and how the others are marked.
    right({answer, expected}) {
        if (!expected) return [];
        const count = answer.filter((each, i) => each === expected[i]).length;
        return [`${count} of ${answer.length} answers are right`, ...(count < answer.length ? ["; what is wrong is ", make("b", "wrong", "marked")] : []), ". "];
    }

    picture(map, size) {
        const canvas = make("canvas", {role: "img", "aria-label": `${map.path}, head ${map.head}: ${this.strongest(map)}`});
        const cell = max(1, floor(size / max(map.rows, map.columns)));
        const scale = weights(), valueAt = (i, j) => map.valueAt(i, j) / this.largest;
        drawHeatMap(canvas, {rows: map.rows, columns: map.columns, valueAt, scale}, cell * map.columns, cell * map.rows);
        const name = map.path.replace(/\/?attention$/, "") || "attention";
        const axis = (words, kind, expected) => make("div", {class: kind}, (cell >= leastCell && words || []).map((word, i) => {
            const isWrong = expected && word !== expected[i];
            const label = make("span", {}, make("bdi", isWrong ? {class: "wrong", title: `wrong: ${expected[i]} is right`} : {}, word));
            label.style[kind === "across" ? "width" : "height"] = cell + "px";
            return label;
        }));
        return make("figure", {}, make("div", "map-with-words", make("span", "axes", make("span", {}, map.read ? "reads →" : "key →"), make("span", {}, map.answer ? "answers ↓" : "query ↓")),
            axis(map.read, "across"), axis(map.answer, "down", map.expected), canvas),
            make("figcaption", "place", make("bdi", {}, name), map.heads > 1 ? `, head ${map.head}` : "", make("br"), this.strongest(map)));
    }

    // What a picture says, in words.
    strongest(map) { return `largest weight of a row ${meanLargest(map).toFixed(2)} on average`; }
}
