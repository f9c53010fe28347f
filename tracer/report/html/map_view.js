// The map: all steps in order, each a small heat map, joined to the steps that it was made from. Scopes fold.
import {make, name, oncePerFrame, svg} from "./dom.js";
import {drawHeatMap, heatMapSize, outlineCells, outlineRegion} from "./heat_map.js";
import {lastPart, scopeOf} from "./labels.js";
import {paleness} from "./lights.js";
import {abs, floor, max, min} from "./shape.js";
import {Slice} from "./slice.js";
import {visible} from "./text.js";
import {updatedScope} from "./way_view.js";

const thumbnail = {
    width: 64,
    height: 44
},
      gutter = 26;

export class MapView {
    constructor(page, host) {
        this.page = page;
        this.host = host;
        this.items = new Map();   // tensor → {button, canvas, overlay, scope}
        this.scopes = new Map();  // path of a scope → {list, button}
        this.wires = svg("svg", {class: "wires", "aria-hidden": "true"});
        this.list = make("ul", "map-list");
        this.watcher = new IntersectionObserver((entries) => {
            for (const {target, isIntersecting} of entries)
                if (isIntersecting) this.draw(Number(target.dataset.item));
        }, {rootMargin: "200px"});
        host.append(make("div", "map-body", this.wires, this.list));
        for (const stop of page.stops) this.add(stop);
        this.wireSoon = oncePerFrame(() => this.wire());
        new ResizeObserver(this.wireSoon).observe(this.list);
    }

    // The list of a scope, made with those around it.
    listOf(scope) {
        if (scope === "") return this.list;
        if (this.scopes.has(scope)) return this.scopes.get(scope).list;
        const inner = scope.slice(0, -1), parent = this.listOf(scopeOf(inner));
        const list = make("ul", "map-list");
        const button = make(
            "button",
            {class: "scope", "aria-expanded": "true", onclick: () => this.fold(scope)},
            name(visible(lastPart(inner))));
        parent.append(make("li", {}, button, list));
        this.scopes.set(scope, {list, button});
        return list;
    }

    fold(scope, isOpen = this.scopes.get(scope).list.hidden) {
        const {list, button} = this.scopes.get(scope);
        list.hidden = !isOpen;
        button.setAttribute("aria-expanded", isOpen);
        this.wireSoon();
    }

    add(stop) {
        const {page} = this, canvas = make("canvas", {"aria-hidden": "true"}),
              overlay = make("canvas", {class: "overlay", width: 1, height: 1, "aria-hidden": "true"});
        const scope = stop.isParameter ? "parameters/" : scopeOf(stop.path);
        const shape = page.trace.shape(stop.tensor);
        const mark = make("span", "mark");
        const button = make(
            "button",
            {class: "stop", "data-item": stop.tensor, onclick: () => page.open(stop.tensor)},
            make("span", "thumbnail", canvas, overlay),
            make(
                "span", "stop-name",
                name(
                    visible(stop.isParameter ? stop.path : lastPart(stop.path)),
                    page.symbols.classOf(stop.tensor)),
                make("span", "shape", shape.length ? shape.join(" × ") : "number"), mark));
        const {rows, columns} = this.layout(stop.tensor),
                     size = heatMapSize(max(rows, 1), max(columns, 1), thumbnail);
        canvas.parentNode.style.height = size.height + "px";  // so that nothing moves when it is drawn
        canvas.style.width = size.width + "px";
        this.listOf(scope).append(make("li", {}, button));
        this.items.set(stop.tensor, {button, canvas, overlay, scope, mark, stop});
        this.watcher.observe(button);
    }

    // All numbers of a tensor as one matrix: those of the leading axes side by side, or one below the other.
    layout(tensor) {
        const {trace} = this.page, {rows, columns} = new Slice(trace.shape(tensor), 0);
        const matrices = rows * columns ? trace.size(tensor) / (rows * columns) : 0,
              isBeside = matrices * columns <= thumbnail.width;
        if (!isBeside)
            return {
                rows: rows * matrices,
                columns,
                elementAt: (i, j) => i * columns + j,
                cellOf: (at) => [floor(at / columns), at % columns]
            };
        const size = rows * columns;
        return {
            rows,
            columns: columns * matrices,
            elementAt: (i, j) => floor(j / columns) * size + i * columns + (j % columns),
            cellOf:
                (at) => [floor((at % size) / columns), floor(at / size) * columns + (at % columns)]
        };
    }

    source(tensor) {
        const {page} = this, {gradient} = page.state, {rows, columns, elementAt} = this.layout(tensor),
              valueAt = page.numbers.readerOf(tensor, gradient);
        return {
            rows,
            columns,
            scale: page.numbers.scaleOf(tensor, gradient),
            valueAt: (i, j) => valueAt(elementAt(i, j)),
            isHidden: page.numbers.hasHidden(tensor) && !gradient
                ? (i, j) => page.trace.isHidden(tensor, elementAt(i, j))
                : null
        };
    }

    draw(tensor) {
        const {button, canvas, overlay, isDrawn} = this.items.get(tensor);
        if (isDrawn) return;
        this.items.get(tensor).isDrawn = true;
        const isShown = this.page.isRevealed(tensor);
        button.classList.toggle("unknown", !isShown);
        const source = this.source(tensor);
        if (!isShown || source.rows * source.columns === 0) {
            canvas.width = canvas.height = overlay.width = overlay.height = 0;
            return;
        }
        const {width, height} = heatMapSize(source.rows, source.columns, thumbnail);
        drawHeatMap(canvas, source, width, height);
        overlay.width = canvas.width;
        overlay.height = canvas.height;
        overlay.style.width = canvas.style.width;
        overlay.style.height = canvas.style.height;
        this.lightOne(tensor);
    }

    // After the theme, the direction or what may be seen has changed.
    redraw() {
        for (const [tensor, item] of this.items) {
            const wasDrawn = item.isDrawn;
            item.isDrawn = false;
            if (wasDrawn) this.draw(tensor);
        }
    }

    // Marks what the chosen number was made from, and what depends on it.
    light() {
        for (const tensor of this.items.keys()) this.lightOne(tensor);
    }

    lightOne(tensor) {
        const {overlay, isDrawn, button} = this.items.get(tensor), {lights, state} = this.page;
        const from = lights.from.get(tensor), users = lights.users.get(tensor), far = lights.distancesOf(tensor, state.gradient);
        const nearest = far && !from ? far.reduce((least, distance) => (distance && distance < least ? distance : least), 255) : 0;
        const marks = [from && "is-from", far && !from && "is-far " + paleness(nearest), users && "is-user"];
        button.className = ["stop", button.matches(".unknown") && "unknown", ...marks].filter(Boolean).join(" ");
        if (!isDrawn || overlay.width === 0) return;
        overlay.getContext("2d").clearRect(0, 0, overlay.width, overlay.height);
        const {rows, columns, cellOf} = this.layout(tensor), cellsOf = (set) => [...set].map(cellOf);
        const style = getComputedStyle(this.host);
        if (far) {
            const {elementAt} = this.layout(tensor), isIn = (at) => far[at] && !(from?.has(at));
            outlineRegion(overlay, rows, columns, (i, j) => isIn(elementAt(i, j)), style.getPropertyValue("--from"),
                Number(getComputedStyle(button).getPropertyValue("--pale")) || 1);
        }
        if (users)
            outlineCells(overlay, rows, columns, cellsOf(users), style.getPropertyValue("--user"), true);
        if (from)
            outlineCells(overlay, rows, columns, cellsOf(from), style.getPropertyValue("--from"), false);
        if (state.tensor === tensor)
            outlineCells(overlay, rows, columns, cellsOf([state.at]), style.getPropertyValue("--ink"), false);
    }

    // Opens the scopes around the current step, and marks it.
    show(tensor) {
        for (const {button} of this.items.values()) button.removeAttribute("aria-current");
        const item = this.items.get(tensor);
        if (item) {
            item.button.setAttribute("aria-current", "step");
            for (let scope = item.scope; scope; scope = scopeOf(scope.slice(0, -1))) this.fold(scope, true);
            this.revealItem(item.button);
        }
        this.wireSoon();
    }

    // Only the map scrolls, and only where it has a height of its own.
    revealItem(button) {
        const {host} = this, box = button.getBoundingClientRect(), view = host.getBoundingClientRect(),
              around = 40;
        // Beside it the one before, whole.
        const before = button.parentNode.previousElementSibling?.getBoundingClientRect();
        if (host.scrollWidth > host.clientWidth) host.scrollLeft += (before?.width < box.width * 2 ? before : box).left - view.left - 16;
        if (host.scrollHeight <= host.clientHeight) return;
        if (box.top < view.top) host.scrollTop += box.top - view.top - around;
        else if (box.bottom > view.bottom) host.scrollTop += box.bottom - view.bottom + around;
    }

    mark(tensor, text) { this.items.get(tensor).mark.textContent = text; }

    // Folds all but the scope that is shown first, when there are many steps.
    foldMost(tensor) {
        if (this.items.size < 30)
            return this.scopes.has("parameters/") ? this.fold("parameters/", false) : undefined;
        const open = ["update/", "update/clip/", updatedScope(this.page)];
        for (const scope of this.scopes.keys()) this.fold(scope, open.includes(scope));
        this.show(tensor);
    }

    // Lines from each step to those it was made from; those of the current step stand out.
    wire() {
        const {page, wires, list} = this;
        wires.replaceChildren();
        const middle = (tensor) => {
            let {button, scope} = this.items.get(tensor);
            for (let outer = scope; outer; outer = scopeOf(outer.slice(0, -1)))
                if (this.scopes.get(outer).list.hidden) button = this.scopes.get(outer).button;
            const own = button.getBoundingClientRect(), base = list.getBoundingClientRect();
            return own.height ? {x: own.left - base.left + gutter, y: own.top - base.top + own.height / 2}
                              : null;
        };
        wires.setAttribute("width", gutter);
        wires.setAttribute("height", list.offsetHeight);
        const drawn = new Set();
        for (const {stop} of this.items.values())
            for (const source of page.symbols.sourcesOf(stop.tensor)) {
                if (stop.isParameter || !this.items.has(source) || this.items.get(source).stop.isParameter)
                    continue;
                const from = middle(source), to = middle(stop.tensor),
                      isCurrent = stop.tensor === page.state.tensor;
                if (!from || !to || from.y === to.y || drawn.has(`${from.y}:${to.y}`)) continue;
                drawn.add(`${from.y}:${to.y}`);
                const bend = max(2, gutter - 6 - min(gutter - 10, abs(to.y - from.y) / 12));
                const path = svg("path", {
                    d: `M${from.x} ${from.y} C${bend} ${from.y} ${bend} ${to.y} ${to.x} ${to.y}`,
                    class: isCurrent ? "wire current " + page.symbols.classOf(source) : "wire"
                });
                if (isCurrent) wires.append(path);
                else wires.prepend(path);
            }
    }
}
