// Text from the data, made safe to look at: what would change the direction of the text around it, or cannot
// be seen, is written by its number, \u202e.
const invisible =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export function visible(text) {
    return String(text)
        .replace(invisible, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))
        .replace(/\t/g, "\\t")
        .replace(/\n/g, "\\n");
}

export function counted(n, noun) { return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`; }
