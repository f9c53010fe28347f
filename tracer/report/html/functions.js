// The functions of an equation, in double precision.

// By its series near 0, by the continued fraction of its complement beyond: right to 1e-15.
export function erf(x) {
    if (Number.isNaN(x)) return x;
    const size = Math.abs(x);
    if (size > 6) return Math.sign(x);
    if (size < 2.5) {
        let term = x, sum = x;
        for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); ++n) {
            term *= (-x * x) / n;
            sum += term / (2 * n + 1);
        }
        return (2 / Math.sqrt(Math.PI)) * sum;
    }
    let fraction = 0;
    for (let k = 60; k > 0; --k) fraction = k / 2 / (size + fraction);
    return Math.sign(x) * (1 - Math.exp(-size * size) / (Math.sqrt(Math.PI) * (size + fraction)));
}

const logistic = (x) => 1 / (1 + Math.exp(-x));

export const functionsByName = {
    exp: Math.exp,
    ln: Math.log,
    sqrt: Math.sqrt,
    sin: Math.sin,
    cos: Math.cos,
    tanh: Math.tanh,
    erf,
    abs: Math.abs,
    relu: (x) => (x < 0 ? 0 : x),
    sigmoid: logistic,
    silu: (x) => x * logistic(x),
    pow: (x, y) => Math.pow(x, y),
    max: (x, y) => Math.max(x, y),
    min: (x, y) => Math.min(x, y),
    square: (x) => x * x,
    floor: Math.floor,
};
