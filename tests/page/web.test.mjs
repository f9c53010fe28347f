import assert from "node:assert/strict";
import test from "node:test";

import {commands, lineOf} from "../../tracer/web/page/form.js";
import {arraysOf} from "../../tracer/web/page/npz.js";
import {quoted, taskOf, wordsOf} from "../../tracer/web/page/words.js";

test("a line's words are a shell's", () => {
    assert.deepEqual(wordsOf("attention --Q '1 0; 0 1'  --text \"it's \\\"me\\\"\" a\\ b ''"),
        ["attention", "--Q", "1 0; 0 1", "--text", "it's \"me\"", "a b", ""]);
    assert.equal(wordsOf("attention 'open"), null);
    for (const word of ["plain", "two words", "it's", "", "a;b", "$x", "é"]) assert.deepEqual(wordsOf(quoted(word)), [word]);
});

test("a lesson's lines are commands or texts for a file", () => {
    assert.deepEqual(taskOf("$ ./dev tracer attention --seq 3").words, ["attention", "--seq", "3"]);
    assert.deepEqual(taskOf("CUDA_VISIBLE_DEVICES= ./dev tracer attention").words, ["attention"]);
    assert.deepEqual(taskOf("printf '%s\\t%s\\n' a b c d >> pairs.tsv"), {write: "pairs.tsv", text: "a\tb\nc\td\n", appends: true});
    assert.equal(taskOf("printf '%s %%s\\n' a b > f").text, "a %s\nb %s\n");
    assert.equal(taskOf("printf 'no more\\n' 1 2 > f").text, "no more\n"); // it ends
    assert.match(taskOf("printf '%d\\n' 1 2 > f").refused, /only %s/);
    assert.deepEqual(taskOf("printf").words, ["printf"]);
    assert.match(taskOf("printf > f").refused, /no shell/);
    assert.match(taskOf("attention | less").refused, /no shell/);
    assert.match(taskOf("attention 'open").refused, /quotation mark/);
});

test("the form leaves out sizes that the reader's own numbers and words have", () => {
    assert.equal(lineOf("attention", {"--seq": "3", "--dk": "2", "--grad": "on"}), "attention --seq 3 --dk 2 --grad");
    assert.equal(lineOf("attention", {"--seq": "3", "--dk": "2", "--Q": "1 0", "--K": "1 0", "--V": "1"}),
        "attention --Q '1 0' --K '1 0' --V 1");
    assert.equal(lineOf("multihead", {"--seq": "3", "--text": "the cat"}), "multihead --text 'the cat'");
    assert.deepEqual(Object.keys(commands), ["attention", "multihead", "encoder-block", "transformer"]);
});

test("stored arrays of a .npz are read", () => {
    const header = Buffer.from("\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }".padEnd(127) + "\n", "latin1");
    const content = Buffer.concat([header, Buffer.from(Float32Array.from([0.5, -2]).buffer)]), name = Buffer.from("0/a/attention.npy");
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt32LE(content.length, 18);
    local.writeUInt16LE(name.length, 26);
    const arrays = arraysOf(new Uint8Array(Buffer.concat([local, name, content, Buffer.from("PK\x01\x02")])));
    assert.deepEqual([...arrays.keys()], ["0/a/attention"]);
    assert.deepEqual(arrays.get("0/a/attention").shape, [1, 2]);
    assert.deepEqual([...arrays.get("0/a/attention").values], [0.5, -2]);
});
