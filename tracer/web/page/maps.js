// Attention maps of a run, those of its last epoch: one picture a head. Dark is 1, light is 0.
import {arraysOf} from "./npz.js";

export function showMaps(place, bytes) {
    const arrays = arraysOf(bytes);
    const epoch = Math.max(...[...arrays.keys()].map((path) => parseInt(path, 10)).filter(Number.isInteger));
    place.replaceChildren();
    for (const [path, { shape, values }] of arrays) {
        if (parseInt(path, 10) !== epoch || shape.length < 2) continue;
        const [rows, columns] = shape.slice(-2), maps = Math.min(values.length / (rows * columns), 8);
        for (let map = 0; map < maps; ++map) {
            const canvas = document.createElement("canvas"), caption = document.createElement("figcaption"), figure = document.createElement("figure");
            canvas.width = columns;
            canvas.height = rows;
            const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
            for (let i = 0; i < rows * columns; ++i) {
                const shade = Math.round(255 - 225 * Math.min(1, Math.max(0, values[map * rows * columns + i])));
                image.data.set([shade, shade, shade, 255], 4 * i);
            }
            context.putImageData(image, 0, 0);
            caption.textContent = `${epoch === 0 ? "before training" : `after epoch ${epoch}`}${maps > 1 ? `, head ${map}` : ""}`;
            canvas.setAttribute("role", "img");
            canvas.setAttribute("aria-label", `attention map ${caption.textContent}`);
            figure.append(canvas, caption);
            place.append(figure);
        }
    }
    place.dataset.epoch = epoch;
    place.hidden = false;
}
