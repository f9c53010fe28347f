import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import test from "node:test";

import {moduleNames, page, script, source, style} from "./assemble.mjs";
import {attention, hostile} from "./samples.mjs";

test("top-level names are unique, because the build puts modules into one scope", () => {
    const owner = new Map();
    for (const name of moduleNames())
        for (const line of source(name).split("\n")) {
            const bare = line.replace(/^export /, ""), found = /^(?:function\*?|class) (\w+)/.exec(bare);
            const names = found             ? [found[1]]
                : bare.startsWith("const ") ? [...bare.matchAll(/(?:^const |, )(\w+) = /g)].map((m) => m[1])
                                            : [];
            for (const each of names) {
                assert.equal(owner.get(each), undefined, `${each} is in ${owner.get(each)} and ${name}`);
                owner.set(each, name);
            }
        }
});

for (const kind of ["trace", "run"]) {
    test(`the ${kind} page's imports and exports have only the simple forms that the build strips`, () => {
        assert.doesNotMatch(script(kind), /^ *(import|export)\b/m);
        assert.doesNotThrow(() => new Function(script(kind)));
    });

    test(`the ${kind} page without its numbers is small`, () => {
        const size = Buffer.byteLength(script(kind) + style(kind) + source("page.html"));
        assert.ok(size < 160000, `${size} bytes`);
    });
}

test("the build takes out spaces, but of no text", () => {
    const [, list] = /foreach\(name ([^)]*)\)/.exec(readFileSync(new URL("../../cmake/page.cmake", import.meta.url), "utf8"));
    const own = list.split(/\s+/), short = script("trace") + script("run");
    const shipped = short.replace(/\$(\d+)\b/g, (_, i) => own[i]), texts = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|\/(?:[^/\n\\*]|\\.)+\/[gu]/g;
    for (const name of moduleNames()) {
        const code = source(name).replace(/ *\/\/ .*$/gm, "").replace(/^import .*$/gm, "").replace(/\n\s+/g, "\n");
        for (const [text] of code.matchAll(texts)) assert.ok((text.startsWith("`") ? shipped : short).includes(text), `${name}: ${text}`);
    }
    assert.doesNotMatch(shipped, /<!--/);  // it would begin a comment
});

test("every import names an export of that module", () => {
    for (const name of moduleNames())
        for (const [, names, from] of source(name).matchAll(/^import \{([^}]*)\} from "(\.\.?\/[\w]+\.js)";$/gm))
            for (const each of names.split(",").map((text) => text.trim())) {
                const inside = name.startsWith("run/") && from.startsWith("./") ? "run/" : "";
                assert.match(source(inside + from.replace(/^\.\.?\//, "")),
                    new RegExp(`^export (function\\*?|const|class) ${each}\\b`, "m"), `${name}: ${each} from ${from}`);
            }
});

test("the policy's hashes are those of the script and the style, and nothing is inline", () => {
    const html = page(attention());
    assert.equal((html.match(/'sha256-/g) || []).length, 2);
    assert.doesNotMatch(source("page.html"), / style=| on\w+=/);
    assert.doesNotMatch(script(), /\beval\(|innerHTML|insertAdjacentHTML|document\.write|new Function/);
});

test("names that look like markup cannot end the script that holds them", () => {
    const html = page(hostile()), from = html.indexOf("id=\"trace\">");
    assert.doesNotMatch(html.slice(from, html.indexOf("</script>", from)), /</);
});
