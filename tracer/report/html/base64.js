// Numbers as they are in the file: little-endian floats in base64, so that nothing is rounded on the way.

export function bytesOf(text) {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
    return bytes;
}

// Every browser's processor is little-endian: the bytes are the numbers.
export function realsOf(text, real) {
    const bytes = bytesOf(text);
    return real === "float64" ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
}

// A bit a number, the first number the lowest bit of the first byte.
export function bitOf(bytes, i) { return ((bytes[i >> 3] >> (i & 7)) & 1) === 1; }
