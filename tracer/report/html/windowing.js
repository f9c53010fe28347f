// Which rows or columns of a long list are visible. Browsers do not lay out more than some million pixels:
// beyond that, a pixel of scrolling moves by more than a pixel.

import {floor, max, min} from "./shape.js";

const longestLayout = 4e6;

export function lengthOf(count, size) { return min(count * size, longestLayout); }

function ratio(viewport, count, size) {
    const length = lengthOf(count, size);
    return length < count * size ? (count * size - viewport) / (length - viewport) : 1;
}

// The items from `first` to before `end`, and where the first one's edge lies.
export function windowAt(scroll, viewport, count, size) {
    const from = max(scroll, 0) * ratio(viewport, count, size);
    const first = min(floor(from / size), max(count - 1, 0));
    const end = min(count, Math.ceil((from + viewport) / size) + 1);
    return {first, end, offset: first * size - from + max(scroll, 0)};
}

// How far to scroll so that an item is in view; as little as possible.
export function scrollTo(index, scroll, viewport, count, size) {
    const r = ratio(viewport, count, size), from = scroll * r;
    if (index * size < from) return (index * size) / r;
    const least = (index + 1) * size - viewport;
    return least > from ? least / r : scroll;
}
