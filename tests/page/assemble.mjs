// Puts a page together as the build does: all modules in the order of their names, main.js last, in one
// script; its hash and the style's in the policy.
import {createHash} from "node:crypto";
import {readdirSync, readFileSync} from "node:fs";

const folder = new URL("../../tracer/report/html/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");

export function moduleNames() {
    const names = readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "main.js").sort();
    return [...names, "main.js"];
}

export const withoutModules = (source) =>
    source.replace(/^import .*\n/gm, "").replace(/^export (?=function|const|class)/gm, "");

// Indentation, empty lines and lines of comment are for the readers of the modules.
export const bare = (source) => source.replace(/^\s+/gm, "").replace(/^\/\/.*\n/gm, "");

export function script() {
    return `"use strict";\n(() => {\n${
        moduleNames().map((name) => bare(withoutModules(read(name)))).join("")}})();\n`;
}

export const style = () => bare(read("page.css"));
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/\0/g, "");

export function policy(styleText, scriptText) {
    return `default-src 'none'; script-src ${hash(scriptText)}; style-src ${
        hash(styleText)}; base-uri 'none'; form-action 'none'`;
}

export function page(data) {
    const parts = {
        style: style(),
        script: script(),
        title: escaped(data.title),
        data: JSON.stringify(data).replace(/</g, "\\u003c")
    };
    parts.policy = policy(parts.style, parts.script);
    return read("page.html").replace(/@(style|script|title|data|policy)@/g, (_, name) => parts[name]);
}
