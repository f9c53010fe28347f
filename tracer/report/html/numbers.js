// How a number is written: exactly, and as it is shown.

import {abs, min} from "./shape.js";

const notFinite = (x) => (Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf");
// JSON has no number for "NaN", "Infinity" and "-Infinity".
const numberOf = (x) => (typeof x === "string" ? Number(x) : x);

// The shortest text that reads back to the same number of the file's type.
export function exact(given, real) {
    const x = numberOf(given);
    if (!Number.isFinite(x)) return notFinite(x);
    if (Object.is(x, -0)) return "-0";
    if (real !== "float32" || Math.fround(x) !== x) return String(x);
    for (let digits = 1; digits < 9; ++digits) {
        const text = x.toPrecision(digits);
        if (Math.fround(Number(text)) === x) return String(Number(text));
    }
    return String(Number(x.toPrecision(9)));
}

// With so many decimals, a whole number without; where they would hide it, in powers of ten. A number that is not 0 is never
// shown as 0.
export function shown(given, places, real) {
    const x = numberOf(given);
    if (!Number.isFinite(x)) return signed(notFinite(x)).replace("inf", "∞").replace("nan", "NaN");
    const size = abs(x), text = exact(x, real), near = Number(Number(text).toPrecision(15));  // not the digits that it does not have
    if (size && (size < 0.5 * 10 ** -places || size >= 1e8))
        return signed(near.toExponential(min(places, 1)).replace(/\.?0+e/, "e").replace("e+", "e"));
    if (near % 1 === 0) return signed(String(near + 0));  // exactly, as 1 and 0 behind a mask
    // 0.99995 of float32 lies a little below: that decides.
    return signed((text.split(".")[1]?.length === places + 1 ? x : near).toFixed(places));
}

// As in `shown`, without the zeros at the end: for whole numbers and constants in a formula.
export function brief(x, places) {
    const text = shown(x, places, "float64");
    return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

// A constant, with all its digits: √2 where it is a root, as in x / √d_k.
export function rootOrNumber(x, real) {
    const square = Math.round(x * x);
    const isRoot = x > 0 && square >= 2 && square < 1e6 && abs(x * x - square) < 1e-6 * square;
    return isRoot && x !== Math.round(x) ? "√" + square : signed(exact(x, real));
}

// A true minus sign is as wide as a digit, and is not cut off its number at the end of a line.
const signed = (text) => text.replaceAll("-", "−");
