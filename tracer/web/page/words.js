// A command line as a shell reads it.

// "--text 'a b'" → ["--text", "a b"]; null where a quote is left open.
export function wordsOf(line) {
    const words = [];
    let word = null, quote = "";
    for (let i = 0; i < line.length; ++i) {
        const c = line[i];
        if (quote) {
            if (c === quote) quote = "";
            else if (c === "\\" && quote === '"' && i + 1 < line.length && '"\\$`'.includes(line[i + 1])) word += line[++i];
            else word += c;
        } else if (c === "'" || c === '"') {
            quote = c;
            word = word ?? "";
        } else if (c === "\\" && i + 1 < line.length) {
            word = (word ?? "") + line[++i];
        } else if (/\s/.test(c)) {
            if (word !== null) words.push(word);
            word = null;
        } else {
            word = (word ?? "") + c;
        }
    }
    if (quote) return null;
    if (word !== null) words.push(word);
    return words;
}

// As one would type it.
export function quoted(word) {
    return /^[\w@%+=:,.\/-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

// What a line of a lesson asks for: { words } for a command, { write, text, appends } for printf … > FILE, or { refused }.
export function taskOf(line) {
    const words = wordsOf(line);
    if (!words) return { refused: "a quotation mark is not closed" };
    while (words.length && /^[A-Z_]+=/.test(words[0])) words.shift();
    if (words[0] === "$") words.shift();
    if (words[0] === "./dev") words.shift();
    if (words[0] === "tracer") words.shift();
    const redirected = words.findIndex((word) => word === ">" || word === ">>");
    if (words[0] === "printf" && redirected > 1 && redirected === words.length - 2) {
        const format = words[1].replaceAll("\\n", "\n").replaceAll("\\t", "\t"), values = words.slice(2, redirected);
        if (/%(?![s%])/.test(format.replaceAll("%%", ""))) return { refused: "the page knows only %s of printf's formats" };
        let text = "", left;
        do {
            left = values.length;
            text += format.replace(/%[s%]/g, (mark) => (mark === "%%" ? "%" : values.shift() ?? ""));
        } while (values.length && values.length < left);
        return { write: words.at(-1), text, appends: words[redirected] === ">>" };
    }
    if (words.some((word) => [">", ">>", "|", ";", "&&"].includes(word)))
        return { refused: "the page runs one command of tracer at a time: there is no shell here, so no > | ; &&" };
    return { words };
}
