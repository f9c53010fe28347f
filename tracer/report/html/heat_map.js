// A matrix as a picture, a cell or a sample a number.
import {notFiniteColor} from "./colors.js";
import {floor, max, min} from "./shape.js";

const mostOutlines = 4000;

// source: {rows, columns, valueAt(row, column), isHidden(row, column), scale}. Numbers that share a pixel are
// sampled.
export function drawHeatMap(canvas, source, width, height) {
    const {rows, columns, scale} = source;
    const across = min(columns, width), down = min(rows, height);
    const image = new ImageData(max(across, 1), max(down, 1)), hidden = [];
    for (let y = 0, p = 0; y < down; ++y) {
        const row = floor((y * rows) / down);
        for (let x = 0; x < across; ++x, p += 4) {
            const column = floor((x * columns) / across);
            if (source.isHidden?.(row, column)) hidden.push([x, y]);
            const value = source.valueAt(row, column);
            const color = scale.hasColors ? scale.color(value)
                : Number.isFinite(value)  ? [150, 150, 150]
                                          : notFiniteColor;
            image.data[p] = color[0];
            image.data[p + 1] = color[1];
            image.data[p + 2] = color[2];
            image.data[p + 3] = 255;
        }
    }
    paint(canvas, image, width, height, hidden);
}

function paint(canvas, image, width, height, hidden) {
    const density = canvas.ownerDocument.defaultView.devicePixelRatio || 1;
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
    canvas.style.width = width + "px";
    canvas.style.height = height + "px";
    const small = canvas.ownerDocument.createElement("canvas");
    small.width = image.width;
    small.height = image.height;
    small.getContext("2d").putImageData(image, 0, 0);
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, canvas.width, canvas.height);
    hatch(context, hidden, canvas.width / image.width, canvas.height / image.height, density);
}

// Hidden scores are hatched on a quiet ground, whatever their fill.
function hatch(context, cells, width, height, density) {
    for (const [x, y] of cells) {
        context.save();
        context.beginPath();
        context.rect(x * width, y * height, width, height);
        context.clip();
        context.fillStyle = "#8883";
        context.clearRect(x * width, y * height, width, height);
        context.fillRect(x * width, y * height, width, height);
        context.strokeStyle = "#888";
        context.lineWidth = density;
        for (let at = -height; at < width; at += 4 * density) {
            context.moveTo(x * width + at, (y + 1) * height);
            context.lineTo(x * width + at + height, y * height);
        }
        context.stroke();
        context.restore();
    }
}

// Outlines cells: {row, column, style} of a map with so many rows and columns.
export function outlineCells(canvas, rows, columns, cells, color, dashed) {
    if (cells.length > 1 && cells.length === rows * columns)
        return outlineCells(canvas, 1, 1, [[0, 0]], color, dashed);
    const context = canvas.getContext("2d"), density = canvas.ownerDocument.defaultView.devicePixelRatio || 1;
    const width = canvas.width / columns, height = canvas.height / rows, line = 2 * density;
    context.save();
    context.strokeStyle = color;
    context.lineWidth = line;
    context.setLineDash(dashed ? [2 * density, 2 * density] : []);
    for (const [row, column] of cells.slice(0, mostOutlines)) {
        const w = max(width, 3 * density), h = max(height, 3 * density);
        context.strokeRect(column * width + line / 2, row * height + line / 2, w - line, h - line);
    }
    context.restore();
}

// Outlines the cells of a map for which `isIn(row, column)`, those that make a rectangle as one.
export function outlineRegion(canvas, rows, columns, isIn, color, alpha) {
    const context = canvas.getContext("2d"), line = canvas.ownerDocument.defaultView.devicePixelRatio || 1;
    const width = canvas.width / columns, height = canvas.height / rows;
    context.save();
    context.globalAlpha = alpha;
    // With a light line inside, to be seen on cells of its own colour.
    const close = ([from, end, first], row) => [["#fff", 2.5, line], [color, 1, 2 * line]].forEach(([style, inset, thick]) => {
        context.strokeStyle = style;
        context.lineWidth = thick;
        const by = inset * line;
        context.strokeRect(
            from * width + by, first * height + by, max((end - from) * width, 3 * line) - 2 * by,
            max((row - first) * height, 3 * line) - 2 * by);
    });
    let open = [];
    for (let i = 0; i <= rows; ++i) {
        const runs = [];
        for (let j = 0; i < rows && j < columns; ++j) {
            if (!isIn(i, j)) continue;
            if (runs.length && runs.at(-1)[1] === j) ++runs.at(-1)[1];
            else runs.push([j, j + 1, i]);
        }
        for (const each of open) {
            const goesOn = runs.find(([from, end]) => from === each[0] && end === each[1]);
            if (goesOn) goesOn[2] = each[2];
            else close(each, i);
        }
        open = runs;
    }
    context.restore();
}

// A size that shows each number as a square cell where there is room.
export function heatMapSize(rows, columns, most) {
    const cell = max(1, min(14, floor(most.width / columns), floor(most.height / rows)));
    const least = 6;
    return {
        width: max(least, min(most.width, cell * columns)),
        height: max(least, min(most.height, cell * rows))
    };
}
