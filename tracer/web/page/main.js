import {commands, lineOf} from "./form.js";
import {showMaps} from "./maps.js";
import {taskOf} from "./words.js";

const byId = (id) => document.getElementById(id);
const form = byId("form"), line = byId("line"), text = byId("text"), state = byId("state"), maps = byId("maps");

// ---- the program, in a worker ----

let worker = null, ready = null, asked = 0;
const waiting = new Map(); // id → { resolve, hear }

async function unpacked(base64) {
    const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function ask(message, hear = () => {}) {
    const id = ++asked;
    return new Promise((resolve) => {
        waiting.set(id, { resolve, hear });
        worker.postMessage({ id, ...message });
    });
}

function startWorker() {
    const script = URL.createObjectURL(new Blob([byId("worker").textContent], { type: "text/javascript" }));
    worker = new Worker(script);
    worker.onmessage = ({ data }) => {
        const asker = waiting.get(data.id);
        if (!asker) return;
        asker.hear(data);
        if (!data.done) return;
        waiting.delete(data.id);
        asker.resolve(data);
    };
    ready = unpacked(byId("program").textContent).then((start) => ask({ start }));
}

// ---- what a command says ----

function showText(message) {
    for (const channel of ["out", "err"]) {
        if (!message[channel]) continue;
        const span = document.createElement("span");
        span.className = channel;
        span.textContent = message[channel];
        text.append(span);
    }
    if (message.maps) showMaps(maps, message.maps);
}

function select(tab) {
    for (const [button, panel] of [["text-tab", text], ["page-tab", byId("page")]]) {
        byId(button).setAttribute("aria-selected", String(button === tab));
        panel.hidden = button !== tab;
    }
}

function showPage(bytes) {
    const url = URL.createObjectURL(new Blob([bytes], { type: "text/html" }));
    // A frame of its own: in Chromium one that was hidden while it got its new page stays blank.
    const before = byId("page"), frame = before.cloneNode();
    if (before.src) URL.revokeObjectURL(before.src);
    frame.src = url;
    frame.hidden = false;
    before.replaceWith(frame);
    byId("save").href = url;
    byId("save").download = "trace.html";
    byId("save").hidden = false;
    byId("page-tab").disabled = false;
    select("page-tab");
}

function showFiles(names) {
    byId("files").replaceChildren(...names.filter((name) => name !== pageFile).map((name) => {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.textContent = name;
        button.onclick = async () => {
            const link = document.createElement("a");
            link.href = URL.createObjectURL(new Blob([(await ask({ read: name })).bytes]));
            link.download = name.split("/").at(-1);
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 60000);
        };
        item.append(button);
        return item;
    }));
}

// ---- running ----

const pageFile = ".page.html";
let runs = false;

// The folder of a run of training.
function folderOf(words) {
    const at = words.findLastIndex((word) => /^--folder(=|$)/.test(word));
    const folder = at < 0 ? `runs/${words[1]}` : words[at].includes("=") ? words[at].slice(9) : words[at + 1] ?? "";
    return folder.replace(/^(\.\/)+/, "").replace(/\/+$/, "");
}

// The command that makes the page of one that has just been run; nothing where there is none.
function pageCommand(words, files) {
    if (words.some((word) => /^(-o|--output|--format|--help|-h|--explain|--summary|--map)/.test(word))) return null;
    const given = (option) => words.some((word) => word === option || word.startsWith(option + "="));
    if (words[0] === "train" && !given("--step")) {
        const folder = folderOf(words);
        return files.includes(`${folder}/run.jsonl`) && !given("--no-files") && !given("--log")
            ? ["plot", folder, "-o", pageFile] : null;
    }
    return [...words, "-o", pageFile];
}

async function run() {
    if (runs) return;
    runs = true;
    text.replaceChildren();
    maps.hidden = true;
    byId("save").hidden = true;
    byId("page-tab").disabled = true;
    select("text-tab");
    byId("run").disabled = true;
    byId("stop").hidden = false;
    state.textContent = "runs …";
    const start = performance.now();
    const spent = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
    try {
        const task = taskOf(line.value);
        await ready;
        if (task.refused) {
            showText({ err: `error: ${task.refused}\n` });
            state.textContent = "";
        } else if (task.write) {
            const { files } = await ask({ write: task.write, bytes: new TextEncoder().encode(task.text), appends: task.appends });
            showText({ out: `${task.write} is among the files.\n` });
            showFiles(files);
            state.textContent = "done";
        } else {
            const done = await ask({ words: task.words }, showText);
            showFiles(done.files ?? []);
            state.textContent = done.code === 0 ? `done in ${spent()}` : `exit code ${done.code}`;
            const page = done.code === 0 ? pageCommand(task.words, done.files) : null;
            if (page) {
                const made = await ask({ words: page });
                const bytes = made.code === 0 ? (await ask({ read: pageFile })).bytes : null;
                if (bytes && new TextDecoder().decode(bytes.subarray(0, 15)).toLowerCase() === "<!doctype html>") showPage(bytes);
            }
        }
    } finally {
        runs = false;
        byId("run").disabled = false;
        byId("stop").hidden = true;
        document.body.dataset.runs = Number(document.body.dataset.runs ?? 0) + 1;
    }
}

function stop() {
    worker.terminate();
    for (const { resolve } of waiting.values()) resolve({ code: 130, files: [], err: "" });
    waiting.clear();
    startWorker();
    showText({ err: "stopped; the files are gone\n" });
}

// ---- the form ----

function field({ label, option, kind, given, hint, from = 1, choices, list }) {
    const name = document.createElement("label");
    const input = document.createElement(choices ? "select" : "input");
    name.textContent = label;
    name.htmlFor = input.id = `field${option}`;
    input.name = option;
    if (choices) {
        for (const each of ["", ...choices]) input.append(new Option(each || "the default", each));
    } else {
        input.type = kind === "flag" ? "checkbox" : kind === "size" ? "number" : "text";
        if (kind === "size") input.min = from;
        if (kind !== "flag") input.value = given ?? "";
        if (hint) input.placeholder = hint;
        if (list) input.setAttribute("list", list);
    }
    return [name, input];
}

function chosen() {
    return new FormData(form).get("command");
}

function showFields() {
    byId("fields").replaceChildren(...commands[chosen()].flatMap(field));
    writeLine();
}

function writeLine() {
    line.value = lineOf(chosen(), Object.fromEntries(new FormData(form)));
}

async function listMistakes() {
    await ready;
    let json = "";
    await ask({ words: ["mistakes", "--format", "json"] }, ({ out }) => (json += out ?? ""));
    const list = document.createElement("datalist");
    list.id = "mistakes";
    for (const { name, formula } of JSON.parse(json).mistakes) {
        const option = new Option(formula, name);
        list.append(option);
    }
    document.body.append(list);
}

for (const command of Object.keys(commands)) {
    const label = document.createElement("label"), radio = document.createElement("input");
    radio.type = "radio";
    radio.name = "command";
    radio.value = command;
    radio.checked = command === "attention";
    label.append(radio, " ", command);
    byId("commands").append(label);
}
byId("commands").onchange = showFields;
byId("fields").oninput = writeLine;
form.onsubmit = (event) => {
    event.preventDefault();
    run();
};
line.onkeydown = (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    run();
};
byId("stop").onclick = stop;
byId("text-tab").onclick = () => select("text-tab");
byId("page-tab").onclick = () => select("page-tab");
form.onclick = ({ target }) => {
    const button = target.closest("button[data-line]");
    if (!button || runs) return;
    line.value = button.dataset.line;
    run();
};
byId("add").onchange = async ({ target }) => {
    await ready;
    for (const file of target.files) {
        const { files } = await ask({ write: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
        showFiles(files);
    }
};
startWorker();
showFields();
run();
listMistakes();
