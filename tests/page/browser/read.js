// What a page shows, read from its document alone: none of its own code is called. Loaded before the page's script.
window.lens = (() => {
    const all = (selector, from = document) => [...from.querySelectorAll(selector)];
    const frame = () => new Promise((done) => requestAnimationFrame(() => done()));
    const isSeen = (element) => !element.closest("[hidden]");

    // Gradients by finite differences stand in a figure of their own.
    const isBesideGradient = (element) => Boolean(element.closest("figure.side") && element.dataset.gradient !== undefined);

    // A number with its place: [tensor, element number, is a gradient, side, exact value, text]
    function numberOf(element) {
        const {tensor, at, gradient, side, exact} = element.dataset;
        const isDifference = isBesideGradient(element);
        return [Number(tensor), Number(at), gradient !== undefined, isDifference ? "difference" : side || "", exact, element.textContent];
    }

    const cells = () => all(".step .cell[data-tensor]").filter(isSeen).map(numberOf);

    // All numbers of the slice that is shown; of a window on many, those at some places of it.
    async function cellsOfSlice(random) {
        const found = cells();
        for (const scroll of all(".step .grid-scroll")) {
            const down = scroll.scrollHeight - scroll.clientHeight, across = scroll.scrollWidth - scroll.clientWidth;
            if (down < 2 && across < 2) continue;
            const isBeside = scroll.classList.contains("quiet");  // another step's numbers
            const stops = isBeside ? [[1, 1]] : [[0, 0], [0, 1], [1, 0], [1, 1], [random(), random()], [random(), random()]];
            for (const [y, x] of stops) {
                scroll.scrollTop = y * down;
                scroll.scrollLeft = x * across;
                await frame();
                await frame();
                found.push(...all(".cell[data-tensor]", scroll).filter(isSeen).map(numberOf));
            }
            scroll.scrollTop = scroll.scrollLeft = 0;
        }
        return found;
    }

    const selectors = () => all(".step .controls label select, .step .controls label input");

    function choose(control, value) {
        control.value = value;
        control.dispatchEvent(new Event("change", {bubbles: true}));
    }

    // Every slice of the step that is shown: `f` is called at each.
    async function eachSlice(f) {
        const counts = selectors().map((each) => (each.tagName === "SELECT" ? each.options.length : Number(each.max) + 1));
        const place = counts.map(() => 0);
        for (;;) {
            place.forEach((index, axis) => Number(selectors()[axis].value) === index || choose(selectors()[axis], index));
            await f(place);
            let axis = counts.length - 1;
            while (axis >= 0 && ++place[axis] === counts[axis]) place[axis--] = 0;
            if (axis < 0) return;
        }
    }

    const stops = () => all(".map .stop").map((each) => Number(each.dataset.item));

    function open(tensor) {
        document.querySelector(`.map .stop[data-item="${tensor}"]`).click();
    }

    function randomFrom(seed) {
        let state = seed >>> 0 || 1;
        return () => {
            state ^= state << 13;
            state ^= state >>> 17;
            state ^= state << 5;
            return (state >>> 0) / 4294967296;
        };
    }

    // Every number on every step, in both directions: {gradient, tensor, title, numbers} a step
    async function everything(seed) {
        const random = randomFrom(seed), steps = [];
        for (const gradient of [false, true]) {
            const button = all(".switch[aria-label=Direction] button")[gradient ? 1 : 0];
            if (!button && gradient) break;
            if (button) button.click();
            for (const tensor of stops()) {
                open(tensor);
                const step = {gradient, tensor, title: document.querySelector(".step h1").textContent, numbers: [], isWindowed: false};
                await eachSlice(async () => {
                    step.numbers.push(...(await cellsOfSlice(random)));
                    const main = document.querySelector(".step .grid-scroll:not(.quiet)");
                    if (main && (main.scrollHeight > main.clientHeight + 1 || main.scrollWidth > main.clientWidth + 1)) step.isWindowed = true;
                });
                steps.push(step);
            }
        }
        return steps;
    }

    // A part of a line as text in which each number with a known value is ⟦value|kind|text⟧.
    function written(node) {
        if (node.nodeType === Node.TEXT_NODE) return node.textContent;
        if (node.tagName === "SUB" || node.tagName === "VAR") return `⟨${node.textContent}⟩`;
        if (node.classList && node.classList.contains("more")) return "⟦more⟧";
        if (node.dataset && node.dataset.exact !== undefined) {
            const kind = node.classList.contains("label") ? "label" : node.classList.contains("factor") ? "factor" : "worked";
            return `⟦${node.dataset.exact}|${kind}|${node.textContent}⟧`;
        }
        return [...node.childNodes].map(written).join("");
    }

    // The arithmetic of the chosen number, with all terms of its sums.
    function arithmetic() {
        for (let i = 0; i < 200; ++i) {
            const more = document.querySelector(".arithmetic .more");
            if (!more) break;
            more.click();
        }
        const lines = all(".arithmetic .line").map((line) => ({kind: line.className, sign: line.querySelector(".equals").textContent,
            text: written(line.querySelector(".terms"))}));
        const value = document.querySelector(".arithmetic .big-value");
        const says = document.querySelector(".arithmetic .says");
        return {label: document.querySelector(".arithmetic h2 bdi").textContent, number: value ? numberOf(value) : null, lines,
            says: says ? says.textContent : "", factors: all(".arithmetic .lines .factor").map(numberOf),
            users: all(".arithmetic .users .factor").map(numberOf), remarks: all(".arithmetic .remark").map((each) => each.textContent)};
    }

    // How the focused element shows that it has the focus.
    function focused() {
        const element = document.activeElement;
        if (!element || element === document.body) return {isBody: true, name: "body", isVisible: true};
        const own = getComputedStyle(element), after = getComputedStyle(element, "::after"), box = element.getBoundingClientRect();
        const hasOutline = own.outlineStyle !== "none" && parseFloat(own.outlineWidth) >= 2;
        const hasBorder = after.content !== "none" && after.borderTopStyle !== "none" && parseFloat(after.borderTopWidth) >= 2;
        const role = element.getAttribute("role") || element.tagName.toLowerCase();
        return {isBody: false, role, name: `${role}.${element.className} "${element.textContent.slice(0, 30)}"`, isVisible: hasOutline || hasBorder,
            isOnScreen: box.width > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
            number: element.dataset.tensor === undefined ? null : numberOf(element)};
    }

    const state = () => ({title: document.querySelector(".step h1").textContent,
        current: (document.querySelector(".map .stop[aria-current]") || {dataset: {item: "-1"}}).dataset.item,
        heading: (document.querySelector(".arithmetic h2") || {textContent: ""}).textContent, hash: location.hash});

    return {all, numberOf, cells, eachSlice, choose, selectors, stops, open, everything, arithmetic, focused, state, frame, isSeen};
})();
