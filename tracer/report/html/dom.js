// Elements, made without markup: text from the data is only ever text.

// make("button", {class: "factor", onclick: f}, "text", child, …), and for a class alone make("p", "facts", "text")
export function make(tag, given = {}, ...children) {
    const attributes = typeof given === "string" ? {class: given} : given;
    const element = document.createElement(tag);
    if (tag === "button") element.type = "button";  // none sends a form, unless it says so
    for (const [attribute, value] of Object.entries(attributes)) {
        const isState = attribute.startsWith("aria-") && typeof value === "boolean";
        if (value === undefined || value === null || (value === false && !isState)) continue;
        if (attribute.startsWith("on")) element.addEventListener(attribute.slice(2), value);
        else element.setAttribute(attribute, value === true && !isState ? "" : value);
    }
    element.append(
        ...children.flat(9).filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
}

// A name from the data: its direction is its own, and it may be broken after its dots and slashes, but in no number.
export function name(text, attributes = {}) {
    const parts = text.split(/(?<=[/_]|\.(?!\d))/);
    return make("bdi", attributes, parts.map((part, i) => (i ? [make("wbr"), part] : part)));
}

export function svg(tag, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
}

// At most once a frame, however often it is called.
export function oncePerFrame(f) {
    let isDue = false;
    return () => {
        if (isDue) return;
        isDue = true;
        requestAnimationFrame(() => {
            isDue = false;
            f();
        });
    };
}

export const isDarkTheme = () => matchMedia("(prefers-color-scheme: dark)").matches;

export const isTouched = () => matchMedia("(pointer: coarse)").matches;
