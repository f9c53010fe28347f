// Puts a page of sample data together, from the scripts that the build assembles (cmake/page.cmake).
import {execFileSync} from "node:child_process";
import {createHash} from "node:crypto";
import {mkdtempSync, readdirSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {fileURLToPath} from "node:url";

const folder = new URL("../../tracer/report/html/", import.meta.url);
const read = (name) => readFileSync(new URL(name, folder), "utf8");

// All modules: those of the trace's page, and of the run's.
export function moduleNames() {
    const js = (path) => readdirSync(new URL(path, folder)).filter((name) => name.endsWith(".js")).sort();
    return [...js("."), ...js("run/").map((name) => `run/${name}`)];
}

export const source = (name) => read(name);

let assembled = null;

// {trace, run, styles}: what the build makes of the modules and the styles.
function parts() {
    if (assembled) return assembled;
    const output = mkdtempSync(join(tmpdir(), "page-"));
    const script = fileURLToPath(new URL("../../cmake/page.cmake", import.meta.url));
    execFileSync("cmake", [`-DFOLDER=${fileURLToPath(folder)}`, `-DOUTPUT=${output}`, "-P", script]);
    const made = (name) => readFileSync(join(output, name), "utf8");
    assembled = {trace: made("trace.js"), run: made("run.js"), styles: {trace: made("page.css"), run: made("run.css")}};
    rmSync(output, {recursive: true});
    return assembled;
}

export const script = (kind = "trace") => parts()[kind];
export const style = (kind = "trace") => parts().styles[kind];
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/\0/g, "");

export function policy(styleText, scriptText) {
    return `default-src 'none'; script-src ${hash(scriptText)}; style-src ${
        hash(styleText)}; base-uri 'none'; form-action 'none'`;
}

export function page(data) {
    const values = {
        style: style(),
        script: script(),
        title: escaped(data.title),
        data: JSON.stringify(data).replace(/</g, "\\u003c")
    };
    values.policy = policy(values.style, values.script);
    return read("page.html").replace(/@(style|script|title|data|policy)@/g, (_, name) => values[name]);
}
