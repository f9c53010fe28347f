// Runs commands, one after the other, each in a program of its own; the files that they write are kept for the next.
// createTracer, the program's own script, stands before this one.
"use strict";

const home = "/home";
let program = null;
const files = new Map(); // path below home → bytes

const send = (message) => self.postMessage(message);

// Bytes as they come → whole lines of text.
function lines(channel, id) {
    let bytes = [];
    const decoder = new TextDecoder();
    const flush = () => {
        if (bytes.length) send({ id, [channel]: decoder.decode(new Uint8Array(bytes)) });
        bytes = [];
    };
    return {
        flush,
        write: (byte) => {
            bytes.push(byte);
            if (byte === 10 || bytes.length > 65536) flush();
        },
    };
}

function restore(FS) {
    FS.mkdirTree(home);
    for (const [path, bytes] of files) {
        FS.mkdirTree(home + "/" + path.split("/").slice(0, -1).join("/"));
        FS.writeFile(home + "/" + path, bytes);
    }
    FS.chdir(home);
}

function keep(FS, folder = home) {
    if (folder === home) files.clear();
    for (const name of FS.readdir(folder)) {
        if (name === "." || name === "..") continue;
        const path = folder + "/" + name;
        if (FS.isDir(FS.stat(path).mode)) keep(FS, path);
        else files.set(path.slice(home.length + 1), FS.readFile(path));
    }
}

// Tells when the attention maps of a training run have been written anew: by a rename, so that they are whole.
function watchMaps(FS, id) {
    const rename = FS.rename;
    FS.rename = (from, to) => {
        rename(from, to);
        if (to.endsWith("maps.npz")) send({ id, maps: FS.readFile(to) });
    };
}

async function run(id, words) {
    const out = lines("out", id), err = lines("err", id);
    const instance = await self.createTracer({
        instantiateWasm: (imports, ready) => {
            WebAssembly.instantiate(program, imports).then((made) => ready(made));
            return {};
        },
        preRun: [(module) => {
            // No threads: the one that says how far a long command is, neither.
            Object.assign(module.ENV, { GLASSBOX_COMMAND: "tracer", GLASSBOX_NUM_THREADS: "1", GLASSBOX_PATIENCE: "0", HOME: home });
            restore(module.FS);
            watchMaps(module.FS, id);
        }],
        stdin: () => null,
        stdout: out.write,
        stderr: err.write,
    });
    let code;
    try {
        code = instance.callMain(words);
    } catch (error) {
        code = 2;
        send({ id, err: `error: the program ended: ${error.message || error}\n` });
    }
    out.flush();
    err.flush();
    keep(instance.FS);
    return code;
}

// { id, words } runs a command; { id, write, bytes, appends } writes a file; { id, read } reads one.
async function answer({ id, start, words, write, bytes, appends, read }) {
    if (start) {
        program = await WebAssembly.compile(start);
        return {};
    }
    if (words) return { code: await run(id, words), files: [...files.keys()].sort() };
    if (write !== undefined) {
        const before = appends && files.get(write) || new Uint8Array();
        const all = new Uint8Array(before.length + bytes.length);
        all.set(before);
        all.set(bytes, before.length);
        files.set(write, all);
        return { files: [...files.keys()].sort() };
    }
    return { bytes: files.get(read) || null };
}

let last = Promise.resolve();
self.onmessage = ({ data }) => {
    last = last.then(() => answer(data)).then((result) => send({ id: data.id, done: true, ...result }),
        (error) => send({ id: data.id, done: true, code: 2, err: `error: ${error.message || error}\n` }));
};
