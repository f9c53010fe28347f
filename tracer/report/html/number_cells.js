// Cells of a grid: what is written on a number, its colour and its marks.
import {cssColor} from "./colors.js";
import {apartFrom} from "./comparison.js";
import {exact, shown} from "./numbers.js";
import {visible} from "./text.js";

// settings: {trace, scale, places, kind, isHidden(element), wordOf(element), marksOf(element), side, isVeiled(element),
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
        text: settings.isVeiled(element) ? "?" : word ? `${text} ${visible(word)}` : text,
        exact: written,
        apart: other === null || settings.isVeiled(element) ? null : apartFrom(text, shown(other, places, trace.real)),
        classes,
        data,
        says,
        title: (word ? visible(word) + " · " : "") + written + (isHidden ? " · hidden by the mask" : ""),
        fill: isColored ? cssColor(scale.color(value)) : "",
        ink: isColored ? scale.text(value) : ""
    };
}

export const headSize = 0.85;  // of the heads' font, beside the numbers'
const mostMeasured = 2000, mostCharacters = 16;  // a longer head is cut

// How many characters wide the cells of a matrix are: as the longest that it has; of many numbers, as the largest.
export function charactersOf({rows, columns, cell}, {scale, places, wordOf}) {
    let most = 1;
    if (rows * columns <= mostMeasured) {
        for (let i = 0; i < rows; ++i)
            for (let j = 0; j < columns; ++j) most = Math.max(most, cell(i, j).text.length);
        return most;
    }
    const largest = scale.largest || 1, whole = largest >= 1e8 ? 2 : Math.floor(Math.log10(Math.max(largest, 1))) + 1;
    return Math.max(whole + places + (places ? 2 : 1), 6) + (wordOf ? 8 : 0);
}

export function longestOf(heads) {
    return Math.min(heads.reduce((most, text) => Math.max(most, text.length), 1), mostCharacters);
}
