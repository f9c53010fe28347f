// The form: which fields a command has, and the command line that they make.
import {quoted} from "./words.js";

const conventions = ["uva-jax", "uva-torch", "report", "paper"];
const sizes = {
    seq: { label: "positions, T", option: "--seq", kind: "size", given: 3 },
    dk: { label: "d_k", option: "--dk", kind: "size", given: 2 },
    dv: { label: "d_v", option: "--dv", kind: "size", hint: "as d_k" },
    memory: { label: "keys and values", option: "--memory", kind: "size", hint: "as positions" },
    dmodel: { label: "d_model", option: "--dmodel", kind: "size", given: 4 },
    heads: { label: "heads", option: "--heads", kind: "size", given: 2 },
    dff: { label: "d_ff", option: "--dff", kind: "size", given: 8 },
    layers: { label: "blocks", option: "--layers", kind: "size", given: 1 },
};
const common = [
    { label: "seed", option: "--seed", kind: "size", from: 0, hint: "42" },
    { label: "convention", option: "--convention", choices: conventions },
    { label: "mask", option: "--mask", hint: "none, causal, window:2" },
    { label: "mistake", option: "--mistake", list: "mistakes", hint: "scaled/no-root" },
    { label: "gradients", option: "--grad", kind: "flag" },
];
const sentence = { label: "sentence", option: "--text", hint: "instead of random numbers" };

export const commands = {
    "attention": [sizes.seq, sizes.dk, sizes.dv, sizes.memory, sentence,
        { label: "Q", option: "--Q", hint: "your numbers: 1 0; 0 1" }, { label: "K", option: "--K", hint: "1 0; 0 1" },
        { label: "V", option: "--V", hint: "1 2; 3 4" }, ...common],
    "multihead": [sizes.seq, sizes.dmodel, sizes.heads, { ...sizes.memory, hint: "none: self-attention" }, sentence, ...common],
    "encoder-block": [sizes.seq, sizes.dmodel, sizes.heads, sizes.dff, sentence,
        { label: "norm", option: "--norm", choices: ["post", "pre"] },
        { label: "activation", option: "--activation", choices: ["relu", "gelu"] }, ...common],
    "transformer": [{ ...sentence, given: "je suis étudiant", hint: "" }, { label: "target", option: "--target", given: "i am" },
        { ...sizes.dmodel, given: 8 }, sizes.heads, { ...sizes.dff, given: 16 }, sizes.layers, ...common],
};

// Sizes that the reader's own numbers or words have are left out of the command: it would compare them.
export function lineOf(command, values) {
    const has = (option) => String(values[option] ?? "").trim() !== "";
    const left = new Set();
    if (has("--Q")) for (const option of ["--seq", "--dk", "--dv", "--memory", "--text"]) left.add(option);
    else if (has("--text") && command !== "transformer") left.add("--seq");
    const words = [command];
    for (const { option, kind } of commands[command]) {
        if (left.has(option) || !has(option)) continue;
        if (kind === "flag") {
            if (values[option] === "on") words.push(option);
        } else words.push(option, quoted(String(values[option]).trim()));
    }
    return words.join(" ");
}
