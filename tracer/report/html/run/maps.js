// The attention maps that a run has kept, at one epoch: a picture for each layer and head.
import {realsOf} from "../base64.js";
import {ColorScale} from "../colors.js";
import {isDarkTheme, make} from "../dom.js";
import {drawHeatMap} from "../heat_map.js";
import {counted} from "../text.js";

// Sets of maps by epoch, in order: [{epoch, maps: [{path, head, rows, columns, valueAt}]}]
export function mapsByEpoch(data) {
    const epochs = new Map();
    for (const map of data.maps) {
        const [rows, columns] = map.shape.slice(-2), heads = map.shape.length > 2 ? map.shape.at(-3) : 1;
        let numbers = null;  // decoded when it is first shown
        const read = (i) => (numbers ||= realsOf(map.data, data.real))[i];
        if (!epochs.has(map.epoch)) epochs.set(map.epoch, []);
        for (let head = 0; head < heads; ++head)
            epochs.get(map.epoch).push({path: map.path, head, heads, rows, columns, valueAt: (i, j) => read((head * rows + i) * columns + j)});
    }
    return [...epochs].map(([epoch, maps]) => ({epoch, maps})).sort((a, b) => a.epoch - b.epoch);
}

// The last set of an epoch that is done: 0 is before training.
export const setAt = (sets, epochsDone) => sets.filter(({epoch}) => epoch <= epochsDone).at(-1);

const mapSize = 260;

export class MapsView {
    constructor(data) {
        this.sets = mapsByEpoch(data);
        this.caption = make("p", {class: "sentence", "aria-live": "polite"});
        this.pictures = make("div", {class: "run-maps"});
        this.element = make("section", {class: "run-part", "aria-label": "Attention"}, make("h2", {}, "Attention as it forms"), this.caption, this.pictures);
        this.element.hidden = this.sets.length === 0;
    }

    show(epochsDone) {
        const set = setAt(this.sets, epochsDone);
        if (!set || set === this.shown) return;
        this.shown = set;
        const when = set.epoch === 0 ? "before training" : `after ${counted(set.epoch, "epoch")}`;
        this.caption.replaceChildren(`The first validation example, ${when}: each row says how much a query takes from every key.`);
        this.pictures.replaceChildren(...set.maps.map((map) => this.picture(map)));
    }

    picture(map) {
        const canvas = make("canvas", {role: "img", "aria-label": `${map.path}, head ${map.head}: ${this.strongest(map)}`});
        const cell = Math.max(1, Math.floor(mapSize / Math.max(map.rows, map.columns)));
        const scale = new ColorScale("weight", 1, isDarkTheme());
        drawHeatMap(canvas, {rows: map.rows, columns: map.columns, valueAt: map.valueAt, scale}, cell * map.columns, cell * map.rows);
        const name = map.path.replace(/\/?attention$/, "") || "attention";
        return make("figure", {}, canvas, make("figcaption", {class: "place"}, make("bdi", {}, name), map.heads > 1 ? `, head ${map.head}` : "",
            make("br"), this.strongest(map)));
    }

    // What a picture says, in words.
    strongest({rows, columns, valueAt}) {
        let sum = 0;
        for (let i = 0; i < rows; ++i) {
            let most = 0;
            for (let j = 0; j < columns; ++j) most = Math.max(most, valueAt(i, j));
            sum += most;
        }
        return `largest weight of a row ${(sum / rows).toFixed(2)} on average`;
    }
}
