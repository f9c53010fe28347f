// Arrays of a .npz whose members are stored as they are: name → { shape, values }. The program writes such.
export function arraysOf(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), decoder = new TextDecoder();
    const arrays = new Map();
    for (let at = 0; view.getUint32(at, true) === 0x04034b50;) {
        const size = view.getUint32(at + 18, true), name = view.getUint16(at + 26, true), extra = view.getUint16(at + 28, true);
        const begin = at + 30 + name + extra;
        const path = decoder.decode(bytes.subarray(at + 30, at + 30 + name)).replace(/\.npy$/, "");
        const wide = bytes[begin + 6] > 1, header = wide ? view.getUint32(begin + 8, true) : view.getUint16(begin + 8, true);
        const data = begin + (wide ? 12 : 10) + header;
        const said = decoder.decode(bytes.subarray(begin, data));
        const shape = /'shape': \(([^)]*)\)/.exec(said)[1].split(",").map((each) => each.trim()).filter(Boolean).map(Number);
        if (said.includes("'<f4'"))
            arrays.set(path, { shape, values: new Float32Array(bytes.slice(data, begin + size).buffer) });
        at = begin + size;
    }
    return arrays;
}
