// What the keys do; the arrows belong to the grid.

export function keyPressed(page, event) {
    if (event.ctrlKey || event.altKey || event.metaKey || page.host.querySelector("dialog[open]")) return;
    const isNowhere = event.target === document.body;
    if (isNowhere && event.key.startsWith("Arrow")) page.step.focusNumber();
    const field = event.target.closest("input, select, textarea");
    if (event.key === "Escape") {
        if (page.lecture.isOn) return page.lecture.toggle();
        page.layout.closeSheet();
        page.step.focusNumber();
        return;
    }
    if (field && (field.type !== "range" || event.key.startsWith("Arrow"))) return;
    const action = actions[event.key];
    if (action && action(page, event) !== false) event.preventDefault();
}

const actions = {
    "[": (page) => page.stepBy(-1),
    "]": (page) => page.stepBy(1),
    "l": (page) => page.lecture.toggle(),
    "g": (page) => page.turn(!page.state.gradient),
    "p": (page) => page.togglePredict(),
    "?": (page) => page.help.toggle(),
    "Backspace": (page) => page.back(),
    // Of a number to its first factor; a factor is a button and opens by itself.
    "Enter"(page, event) {
        const isNumber = event.target === document.body || event.target.closest(".step [role=gridcell]");
        const factor = isNumber && page.arithmetic.firstFactor();
        if (!factor) return false;
        factor.focus();
    },
};
