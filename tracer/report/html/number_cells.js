// Cells of a grid: what is written on a number, its colour and its marks.
import {cssColor} from "./colors.js";
import {apartFrom} from "./comparison.js";
import {exact, shown} from "./numbers.js";
import {visible} from "./text.js";

export const cellHeight = 30;
const digitWidth = 8.2;

// settings: {trace, scale, places, kind, isHidden(element), wordOf(element), marksOf(element), side,
// otherOf(element)}: the other side's number where it differs
export function numberCell(settings, element) {
    const {trace, scale, places, kind} = settings;
    const value = settings.numberOf ? settings.numberOf(element) : trace.number(element);
    const isHidden = settings.isHidden(element), word = settings.wordOf ? settings.wordOf(element) : "";
    const written = exact(value, settings.isDifference ? "float64" : trace.real);
    const text =
        kind === "word" && Number.isInteger(value) ? String(value) : shown(value, places, trace.real);
    const other = settings.otherOf ? settings.otherOf(element) : null;
    const isFinite = Number.isFinite(value), isColored = (scale.hasColors || !isFinite) && !isHidden;
    const classes = [
        isHidden ? "hidden-score" : "", isFinite ? "" : "not-finite", ...settings.marksOf(element)
    ].join(" ");
    const says =
        [isHidden || word ? text : "", word, isHidden ? "hidden by the mask" : ""].filter(Boolean).join(", ");
    const data = {tensor: element.tensor, at: element.at};
    if (element.gradient) data.gradient = "";
    if (settings.side) data.side = settings.side;
    return {
        text: word ? `${text} ${visible(word)}` : text,
        exact: written,
        apart: other === null ? null : apartFrom(text, shown(other, places, trace.real)),
        classes,
        data,
        says,
        title: (word ? visible(word) + " · " : "") + written + (isHidden ? " · hidden by the mask" : ""),
        fill: isColored ? cssColor(scale.color(value)) : "",
        ink: isColored ? scale.text(value) : ""
    };
}

// Wide enough for the numbers that are likely: those of the largest one.
export function cellWidthFor(largest, places, hasWords) {
    const whole = largest >= 1e8 ? 2 : Math.max(1, Math.floor(Math.log10(Math.max(largest, 1))) + 1);
    const digits = Math.max(whole + places + (places ? 2 : 1), 6);
    return Math.ceil(digits * digitWidth + 22) + (hasWords ? 56 : 0);
}

export function headWidthFor(heads) {
    const longest = heads.reduce((most, text) => Math.max(most, text.length), 1);
    return Math.min(Math.ceil(longest * digitWidth + 16), 120);
}
