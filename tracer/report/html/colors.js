// Colour means value: red below 0, blue above, or from 0 to 1 for weights. The two light palettes are those
// of figures/palette.cpp, which a test compares; the dark one has a dark middle. A square root keeps the
// signs of small numbers visible next to large ones.

import {make} from "./dom.js";
import {abs, floor, max, min} from "./shape.js";

const redBlue = [
    [124, 32, 42], [177, 82, 73], [216, 151, 134], [233, 201, 191], [240, 238, 234], [196, 210, 223],
    [146, 178, 205], [76, 124, 170], [30, 72, 122]
];
const redBlueDark = [
    [255, 186, 168], [235, 138, 116], [178, 86, 72], [104, 57, 50], [42, 41, 40], [44, 66, 90],
    [62, 108, 156], [120, 170, 218], [190, 220, 250]
];
const cividis = [
    [0, 34, 78], [35, 62, 108], [67, 78, 108], [96, 98, 112], [125, 124, 120], [156, 148, 119],
    [188, 174, 108], [222, 201, 88], [254, 232, 56]
];
const steps = 256;

function mixed(points, position) {
    const at = min(max(position, 0), 1) * (points.length - 1);
    const i = min(floor(at), points.length - 2);
    return points[i].map((part, n) => Math.round(part + (points[i + 1][n] - part) * (at - i)));
}

// Relative luminance (WCAG 2.2).
function luminance(color) {
    const [r, g, b] = color.map((part) => {
        const share = part / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(a, b) {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
}

export const textOn = (color) =>
    (contrast([0, 0, 0], color) >= contrast([255, 255, 255], color) ? "#000" : "#fff");
// A grey for what says little, where it can be read on the colour.
export function paleOn(color) {
    const grey = [[95, 91, 85], [170, 164, 154]].find((each) => contrast(each, color) >= 4.5);
    return grey ? cssColor(grey) : textOn(color);
}
export const cssColor = ([r, g, b]) => `rgb(${r},${g},${b})`;
export const notFiniteColor = [230, 60, 200];

// kind: "weight" from 0 to the largest, which is 1 or a map's own, "word" without colours, else around 0 up to ± largest
export class ColorScale {
    constructor(kind, largest, isDark) {
        this.kind = kind;
        this.largest = largest;
        const points = kind === "weight" ? cividis : isDark ? redBlueDark : redBlue;
        this.table = Array.from({length: steps + 1}, (_, i) => mixed(points, i / steps));
        this.texts = this.table.map(textOn);
    }

    get hasColors() { return this.kind !== "word"; }

    position(x) {
        if (this.kind === "weight") return x / this.largest;
        const share = this.largest > 0 ? Math.sqrt(min(abs(x) / this.largest, 1)) : 0;
        return (1 + (x < 0 ? -share : share)) / 2;
    }

    indexOf(x) { return Math.round(min(max(this.position(x), 0), 1) * steps); }

    color(x) { return Number.isFinite(x) ? this.table[this.indexOf(x)] : notFiniteColor; }

    text(x) { return Number.isFinite(x) ? this.texts[this.indexOf(x)] : "#000"; }
}

// Its colours beside each other, for a legend.
export function barOf({table}) {
    const bar = make("span", "legend-bar"), some = table.filter((_, i) => i % 32 === 0);
    bar.style.background = `linear-gradient(to right, ${some.map(cssColor).join()})`;
    return bar;
}

const hiddenScore = 1e13;  // scores that a mask hides are far beyond all others, and count for no scale

export function largestOf(count, valueAt) {
    let largest = 0;
    for (let i = 0; i < count; ++i) {
        const size = abs(valueAt(i));
        if (size > largest && size < hiddenScore) largest = size;
    }
    return largest;
}
