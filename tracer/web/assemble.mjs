// Makes the page of the command in the browser, one file: node tracer/web/assemble.mjs --repo DIR --program DIR --output DIR
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const { values: folders } = parseArgs({ options: { repo: { type: "string" }, program: { type: "string" }, output: { type: "string" } } });
const read = (...path) => readFileSync(join(...path), "utf8");
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

// ---- the scripts: modules become one script, without import and export lines ----

const part = (name) => read(folders.repo, "tracer/web/page", name).replace(/^import .*\n/gm, "").replace(/^export /gm, "");
const script = `"use strict";\n(() => {\n${["words.js", "form.js", "npz.js", "maps.js", "main.js"].map(part).join("")}})();\n`;
const inScript = (text) => {
    if (/<\/script|<!--/i.test(text)) throw new Error("a script would end its element");
    return text;
};
const worker = inScript(read(folders.program, "tracer.js") + "\n" + read(folders.repo, "tracer/web/page/worker.js"));
const program = gzipSync(readFileSync(join(folders.program, "tracer.wasm")), { level: 9 }).toString("base64");

// ---- the lessons' "Run" parts ----

function inline(text) {
    return escaped(text)
        .replace(/`([^`]+)`/g, "<code>$1</code>")
        .replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>")
        .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1");
}

const lineOf = (command) => command.replace(/^\$ (\.\/dev tracer )?/, "");

// A console block: a button for each command, and what it prints.
function consoleBlock(lines) {
    let html = "", printed = [];
    const flush = () => {
        if (printed.length) html += `<pre>${escaped(printed.join("\n"))}</pre>`;
        printed = [];
    };
    for (const line of lines) {
        if (!line.startsWith("$ ")) {
            printed.push(line);
            continue;
        }
        flush();
        html += `<p><button type="button" data-line="${escaped(lineOf(line))}">${escaped(lineOf(line))}</button></p>`;
    }
    flush();
    return html;
}

function rendered(markdown) {
    let html = "", block = [], list = "";
    const flush = () => {
        if (block.length) html += list ? `<li>${inline(block.join(" "))}</li>` : `<p>${inline(block.join(" "))}</p>`;
        block = [];
    };
    const endList = () => {
        flush();
        if (list) html += `</${list}>`;
        list = "";
    };
    const lines = markdown.split("\n");
    for (let i = 0; i < lines.length; ++i) {
        const line = lines[i], item = /^(\*|\d+\.) +(.*)/.exec(line);
        if (line.startsWith("```")) {
            endList();
            const end = lines.indexOf("```", i + 1), inside = lines.slice(i + 1, end);
            html += line === "```console" ? consoleBlock(inside) : `<pre>${escaped(inside.join("\n"))}</pre>`;
            i = end;
        } else if (item) {
            const kind = item[1] === "*" ? "ul" : "ol";
            flush();
            if (list !== kind) {
                endList();
                html += `<${kind}>`;
                list = kind;
            }
            block.push(item[2]);
        } else if (/^(\||    )/.test(line) && !list) {
            flush();
            let end = i;
            while (end < lines.length && /^(\||    )/.test(lines[end])) ++end;
            html += `<pre>${escaped(lines.slice(i, end).join("\n"))}</pre>`;
            i = end - 1;
        } else if (line === "") {
            flush();
            if (list && lines[i + 1] !== undefined && !/^(\*|\d+\.| )/.test(lines[i + 1])) endList();
        } else {
            block.push(line.trim());
        }
    }
    endList();
    return html;
}

const lessons = readdirSync(join(folders.repo, "lessons")).filter((name) => /^\d\d-/.test(name)).sort().map((name) => {
    const text = read(folders.repo, "lessons", name, "README.md");
    const run = /^## Run\n([\s\S]*?)(?=^## )/m.exec(text);
    if (!run) throw new Error(`lessons/${name}/README.md has no part "Run"`);
    return `<details><summary>${inline(/^# (.*)/.exec(text)[1])}</summary>${rendered(run[1].trim())}</details>`;
}).join("\n");

// ---- the page; the pages that the command writes are shown in a frame, which is under this page's policy, too ----

const style = read(folders.repo, "tracer/web/page/page.css");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const ofPages = (name) => hash(read(folders.program, "page", name));
const policy = [
    "default-src 'none'",
    `script-src ${hash(script)} ${ofPages("trace.js")} ${ofPages("run.js")} 'wasm-unsafe-eval'`,
    `style-src ${hash(style)} ${ofPages("page.css")} ${ofPages("run.css")}`,
    "worker-src blob:", "frame-src blob:", "base-uri 'none'", "form-action 'none'",
].join("; ");
const values = { policy, style, lessons, program, worker, script: inScript(script), epochs: "4" };
const page = read(folders.repo, "tracer/web/page/index.html").replace(/@(\w+)@/g, (marked, name) => values[name] ?? marked);
mkdirSync(folders.output, { recursive: true });
writeFileSync(join(folders.output, "index.html"), page);
