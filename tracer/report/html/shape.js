// Places in a tensor: shapes, strides and row-major element numbers.

export const abs = Math.abs;
export const floor = Math.floor;
export const max = Math.max;
export const min = Math.min;

export function sizeOf(shape) {
    let size = 1;
    for (const n of shape) size *= n;
    return size;
}

export function stridesOf(shape) {
    const strides = new Array(shape.length);
    for (let axis = shape.length - 1, stride = 1; axis >= 0; stride *= shape[axis--]) strides[axis] = stride;
    return strides;
}

export function placeOf(shape, element) {
    const place = new Array(shape.length);
    for (let axis = shape.length - 1; axis >= 0; --axis) {
        place[axis] = element % shape[axis];
        element = floor(element / shape[axis]);
    }
    return place;
}

export function elementOf(shape, place) {
    let element = 0;
    for (let axis = 0; axis < shape.length; ++axis) element = element * shape[axis] + place[axis];
    return element;
}

export function dot(strides, place) {
    let sum = 0;
    for (let axis = 0; axis < strides.length; ++axis) sum += strides[axis] * place[axis];
    return sum;
}

// Calls f for each place of these sizes, in order, in the array `place`.
export function forEachPlace(sizes, place, f) {
    if (sizeOf(sizes) === 0) return;
    place.fill(0);
    for (;;) {
        f();
        let axis = sizes.length - 1;
        while (axis >= 0 && ++place[axis] === sizes[axis]) place[axis--] = 0;
        if (axis < 0) return;
    }
}

// All places with Σ stride · place = target, at most `limit`: which outputs read an element, and where a view
// shows it. Axes are tried by falling stride, so that what remains must be within reach of the later ones.
export function placesThatReach(target, sizes, strides, limit) {
    const order = sizes.map((_, axis) => axis).sort((a, b) => abs(strides[b]) - abs(strides[a]));
    const low = [0], high = [0];  // what the axes after the kth can reach, from the last
    for (const axis of [...order].reverse()) {
        const reach = strides[axis] * (sizes[axis] - 1);
        low.unshift(low[0] + min(0, reach));
        high.unshift(high[0] + max(0, reach));
    }
    const found = [], place = new Array(sizes.length).fill(0);
    const go = (k, left) => {
        if (found.length >= limit || left < low[k] || left > high[k]) return;
        if (k === order.length) {
            found.push(place.slice());
            return;
        }
        const axis = order[k], stride = strides[axis];
        let first = 0, last = sizes[axis] - 1;
        if (stride !== 0) {
            const a = (left - low[k + 1]) / stride, b = (left - high[k + 1]) / stride;
            first = max(first, Math.ceil(min(a, b)));
            last = min(last, floor(max(a, b)));
        }
        for (let i = first; i <= last && found.length < limit; ++i) {
            place[axis] = i;
            go(k + 1, left - stride * i);
        }
    };
    if (sizeOf(sizes) > 0) go(0, target);
    return found;
}
