// The place in the address: #encoder/0/norm1[0,1];gradient
import {elementOf, placeOf} from "./shape.js";

const unnamed = /^tensor:(\d+)$/;

export function addressOf(name, shape, {at, gradient, side}) {
    const path = name.split("/").map(encodeURIComponent).join("/");
    const place = shape.length ? `[${placeOf(shape, at).join(",")}]` : "";
    return "#" + path + place + (gradient ? ";gradient" : "") + (side === "right" ? ";right" : "");
}

// {name, place, gradient, side}, or null for what is no address
export function parseAddress(hash) {
    let text = hash.replace(/^#/, "").replace(/%2C/gi, ",");
    if (!text.includes("["))
        text = text.replace(/%5B([-\d,]*)%5D(?=;|$)/i, "[$1]");  // as some programs pass it on
    const match = /^([^[\];]+)(?:\[([-\d,\s]*)\])?((?:;[a-z]+)*)$/.exec(text);
    if (!match) return null;
    const words = match[3].split(";");
    try {
        const place =
            match[2] === undefined || match[2].trim() === "" ? null : match[2].split(",").map(Number);
        return {
            name: decodeURIComponent(match[1]),
            place,
            gradient: words.includes("gradient"),
            side: words.includes("right") ? "right" : "left"
        };
    } catch {
        return null;  // a % that stands for nothing
    }
}

// The tensor with this path, or with the only path that ends with it; -1 where there is none.
export function tensorNamed(trace, name) {
    const byNumber = unnamed.exec(name);
    if (byNumber) return Number(byNumber[1]) < trace.tensors.length ? Number(byNumber[1]) : -1;
    const all = [
        ...trace.data.steps.map(({path, tensor}) => [path, tensor]),
        ...trace.data.parameters.map(({name: own, tensor}) => [own, tensor])
    ];
    const exactly = all.find(([path]) => path === name);
    if (exactly) return exactly[1];
    const ending = all.filter(([path]) => path.endsWith("/" + name));
    return ending.length === 1 ? ending[0][1] : -1;
}

// The element number of a place; negative indices count from the end. null where it is outside.
export function elementAt(shape, place) {
    if (!place) return 0;
    if (place.length !== shape.length) return null;
    const own = place.map((i, axis) => (i < 0 ? i + shape[axis] : i));
    return own.every((i, axis) => Number.isInteger(i) && i >= 0 && i < shape[axis]) ? elementOf(shape, own)
                                                                                    : null;
}
