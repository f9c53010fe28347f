import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import test from "node:test";

import {moduleNames, page, script, style, withoutModules} from "./assemble.mjs";
import {attention, hostile} from "./samples.mjs";

const folder = new URL("../../tracer/report/html/", import.meta.url);
const source = (name) => readFileSync(new URL(name, folder), "utf8");

test("top-level names are unique, because the build puts all modules into one scope", () => {
    const owner = new Map();
    for (const name of moduleNames())
        for (const line of withoutModules(source(name)).split("\n")) {
            const found = /^(?:function|class) (\w+)/.exec(line);
            const names = found             ? [found[1]]
                : line.startsWith("const ") ? [...line.matchAll(/(?:^const |, )(\w+) = /g)].map((m) => m[1])
                                            : [];
            for (const each of names) {
                assert.equal(owner.get(each), undefined, `${each} is in ${owner.get(each)} and ${name}`);
                owner.set(each, name);
            }
        }
});

test("every import names an export of that module", () => {
    for (const name of moduleNames())
        for (const [, names, from] of source(name).matchAll(/^import \{([^}]*)\} from "\.\/([\w]+\.js)";$/gm))
            for (const each of names.split(",").map((text) => text.trim()))
                assert.match(
                    source(from), new RegExp(`^export (function|const|class) ${each}\\b`, "m"),
                    `${name}: ${each} from ${from}`);
});

test("imports and exports have only the simple forms that the build strips", () => {
    assert.doesNotMatch(script(), /^(import|export)\b/m);
    assert.doesNotThrow(() => new Function(script()));
});

test("the policy's hashes are those of the script and the style, and nothing is inline", () => {
    const html = page(attention());
    assert.equal((html.match(/'sha256-/g) || []).length, 2);
    assert.doesNotMatch(source("page.html"), / style=| on\w+=/);
    assert.doesNotMatch(script(), /\beval\(|innerHTML|insertAdjacentHTML|document\.write|new Function/);
});

test("the page without its numbers is small", () => {
    const size = Buffer.byteLength(script() + style() + source("page.html"));
    assert.ok(size < 150000, `${size} bytes`);
});

test("names that look like markup cannot end the script that holds them", () => {
    const html = page(hostile()), from = html.indexOf("id=\"trace\">");
    assert.doesNotMatch(html.slice(from, html.indexOf("</script>", from)), /</);
});
