// Cells of a grid: what is written on a number, its colour and its marks.
import {cssColor, paleOn} from "./colors.js";
import {apartFrom} from "./comparison.js";
import {exact, shown} from "./numbers.js";
import {abs, floor, max, min} from "./shape.js";
import {visible} from "./text.js";

// settings: {trace, scale, places, kind, isHidden(element), wordOf(element), marksOf(element), side, isVeiled(element), isShortened,
// otherOf(element)}: the other side's number where it differs
export function numberCell(settings, element) {
    const {trace, scale, kind, placesOf} = settings;
    const value = settings.numberOf ? settings.numberOf(element) : trace.number(element), places = placesOf ? placesOf(value) : settings.places;
    const isHidden = settings.isHidden(element), word = settings.wordOf ? settings.wordOf(element) : "";
    const written = exact(value, settings.isDifference ? "float64" : trace.real);
    // A weight that rounds to 0 says so in grey; so does every number that is shortened.
    const isFaint = !placesOf && (kind === "weight" || settings.isShortened) && value !== 0 && abs(value) < 0.5 * 10 ** -places;
    const text =
        kind === "word" && Number.isInteger(value) ? String(value) : isFaint ? (0).toFixed(places) : shown(value, places, trace.real);
    const other = settings.otherOf ? settings.otherOf(element) : null;
    const isVeiled = settings.isVeiled(element), isFinite = Number.isFinite(value), isColored = (scale.hasColors || !isFinite) && !isHidden && !isVeiled;
    const classes = [
        isHidden ? "hidden-score" : "", isFinite ? "" : "not-finite", ...settings.marksOf(element)
    ].join(" ");
    const says =
        [isHidden || word ? text : "", word, isHidden ? "hidden by the mask" : ""].filter(Boolean).join(", ");
    const data = {tensor: element.tensor, at: element.at};
    if (element.gradient) data.gradient = "";
    if (settings.side) data.side = settings.side;
    return {
        text: isVeiled ? "?" : word ? `${text} ${visible(word)}` : text,
        exact: written,
        apart: other === null || isVeiled ? null : apartFrom(text, shown(other, places, trace.real)),
        classes,
        data,
        says,
        title: isVeiled ? "" : (word ? visible(word) + " · " : "") + written + (isHidden ? " · hidden by the mask" : ""),
        fill: isColored ? cssColor(scale.color(value)) : "",
        ink: !isColored ? "" : isFaint ? paleOn(scale.color(value)) : scale.text(value)
    };
}

export const headSize = 0.85;    // of the heads' font, beside the numbers
export const cornerSize = 0.68;  // of the corner's'
const widestWord = 10;  // above a column, in characters
const mostMeasured = 2000, mostCharacters = 16;  // a longer head is cut

// How many characters wide the cells of a matrix are: as the longest that it has; of many numbers, as the largest.
function charactersOf({rows, columns, cell}, {scale, places, wordOf}) {
    let most = 1;
    if (rows * columns <= mostMeasured) {
        for (let i = 0; i < rows; ++i)
            for (let j = 0; j < columns; ++j) most = max(most, cell(i, j).text.length);
        return most;
    }
    const largest = scale.largest || 1, whole = largest >= 1e8 ? 2 : floor(Math.log10(max(largest, 1))) + 1;
    return max(whole + places + (places ? 2 : 1), 6) + (wordOf ? 8 : 0);
}

function longestOf(heads) {
    return min(heads.reduce((most, text) => max(most, text.length), 1), mostCharacters);
}

// How wide a matrix is, in characters: its cells, the heads of its rows, and the names of its axes.
export function widthsOf(model) {
    const {columnSample, rowSample, axisNames, settings} = model;
    return {
        characters: max(charactersOf(model, settings), min(longestOf(columnSample), widestWord) * headSize),
        headCharacters: longestOf(rowSample),
        cornerCharacters: axisNames ? longestOf(axisNames) + 2 : 0
    };
}
