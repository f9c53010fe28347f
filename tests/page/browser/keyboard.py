"""The keyboard alone reaches everything, the focus is always seen, and no key traps it."""

from functools import partial

MOST_TABS = 400


def press(page, key, seen):
    page.keyboard.press(key)
    focus = page.evaluate("() => lens.focused()")
    assert focus["isVisible"], f"after {key} nothing shows that {focus['name']} has the focus"
    seen.append(focus["name"])
    return focus


def to_numbers(page, seen):
    """Tabs from the beginning of the page to the numbers."""
    for _ in range(MOST_TABS):
        focus = press(page, "Tab", seen)
        if not focus["isBody"] and focus["role"] == "gridcell":
            assert focus["isOnScreen"], focus
            return focus
    raise AssertionError(f"no number was reached by {MOST_TABS} tabs: {seen[-5:]}")


def test_reach(name, lab):
    seen = []
    with lab.opened(name) as page:
        state = lambda: page.evaluate("() => lens.state()")
        focus = to_numbers(page, seen)
        first = state()

        # Every step, forth and back.
        stops = [each["tensor"] for each in lab.pages[name].data["steps"]]
        for _ in stops:
            press(page, "[", seen)
        visited = [int(state()["current"])]
        for _ in stops[1:]:
            press(page, "]", seen)
            visited.append(int(state()["current"]))
        assert visited == stops, f"] led through {visited}, the steps are {stops}"

        # A number of the last step, its first factor, and back.
        press(page, "Escape", seen)
        focus = page.evaluate("() => lens.focused()")
        assert focus["role"] == "gridcell", f"Escape leads to {focus['name']}, not to the numbers"
        before = focus["number"]
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End", "Home"):
            focus = press(page, key, seen)
            assert focus["role"] == "gridcell", f"{key} leaves the numbers for {focus['name']}"
        shape = lab.pages[name].data["tensors"][stops[-1]]["shape"]
        if shape and shape[-1] > 1:
            moved = press(page, "ArrowRight", seen)
            assert moved["number"][1] != before[1] or press(page, "ArrowLeft", seen)["number"][1] != before[1], "arrows do not move"
        chosen = state()
        focus = press(page, "Enter", seen)
        assert focus["number"] and focus["role"] == "button", f"Enter on a number leads to {focus['name']}"
        factor = focus["number"]
        focus = press(page, "Enter", seen)
        assert focus["role"] == "gridcell" and focus["number"][:3] == factor[:3], f"Enter on the factor {factor} leads to {focus}"
        press(page, "Backspace", seen)
        page.wait_for_function("(heading) => lens.state().heading === heading", arg=chosen["heading"])
        assert page.evaluate("() => lens.focused()")["role"] == "gridcell", "Backspace loses the focus"

        if lab.pages[name].data["scalar"]:
            press(page, "g", seen)
            assert "∂L/∂" in state()["title"], state()
            press(page, "g", seen)
            assert "∂L/∂" not in state()["title"], state()

        # Help opens, can be left, and gives the focus back.
        held = page.evaluate("() => lens.focused()")["name"]
        page.keyboard.press("?")
        assert page.evaluate("() => document.querySelector('dialog[aria-label=Keys]').open"), "? does not open the list of keys"
        press(page, "Tab", seen)
        page.keyboard.press("Escape")
        assert not page.evaluate("() => document.querySelector('dialog[aria-label=Keys]').open"), "Escape does not close the list of keys"
        assert page.evaluate("() => lens.focused()")["name"] == held, "the list of keys keeps the focus"

        # The quiz: an answer typed, and left again.
        press(page, "Escape", seen)
        press(page, "p", seen)
        assert page.evaluate("() => Boolean(document.querySelector('#quiz-answer'))") or state()["title"], state()
        field = page.evaluate("() => document.activeElement.id")
        assert field == "quiz-answer" or not page.evaluate("() => document.querySelector('#quiz-answer')"), f"the quiz does not take the focus: {field}"
    return f"{len(stops)} steps, {len(seen)} keys"


def test_no_trap(name, lab):
    """Tab goes all the way through and comes round again; so does Shift+Tab."""
    turns = []
    for key in ("Tab", "Shift+Tab"):
        with lab.opened(name) as page:
            seen = []
            page.keyboard.press("Tab")
            first = page.evaluate("() => { window.firstFocus = document.activeElement; return lens.focused().name; }")
            assert first != "body", "Tab leads nowhere"
            for _ in range(MOST_TABS):
                press(page, key, seen)
                if page.evaluate("() => document.activeElement === window.firstFocus"):
                    break
            else:
                raise AssertionError(f"{MOST_TABS} times {key} do not come round: {seen[-3:]}")
            turns.append(len(seen))
            gridcells = sum(each.startswith("gridcell") for each in seen)
            assert gridcells == 1, f"{gridcells} of the numbers are stops of {key}, one should be"
    assert abs(turns[0] - turns[1]) <= 1, f"Tab makes {turns[0]} stops, Shift+Tab {turns[1]}"
    return f"{turns[0]} stops"


SEEN = """() => {
    const chosen = lens.all(".step [role=gridcell].chosen").filter(lens.isSeen)[0];
    if (!chosen) return "no number is marked as chosen";
    const box = chosen.getBoundingClientRect(), top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return top && (top === chosen || chosen.contains(top)) ? "" : `${chosen.textContent} lies at ${Math.round(box.left)}, ${Math.round(box.top)} under ${top ? top.className : "nothing"}`;
}"""


def test_seen(width, height, lab):
    """The number that is chosen can be seen: from its address, and wherever the keys go; the pointer does not move it."""
    with lab.opened("windowed", "#attention[1,33,31]", width=width, height=height) as page:
        assert not (hidden := page.evaluate(SEEN)), f"by its address: {hidden}"
        page.keyboard.press("Escape")
        for key, times in (("ArrowDown", 6), ("ArrowRight", 8), ("ArrowUp", 30), ("ArrowLeft", 25), ("End", 1), ("PageDown", 3), ("Home", 1)):
            for _ in range(times):
                page.keyboard.press(key)
            page.wait_for_timeout(30)
            assert not (hidden := page.evaluate(SEEN)), f"after {times} times {key}: {hidden}"
        page.evaluate("() => lens.all('.step .grid-scroll:not(.quiet)')[0].scrollBy(0, -300)")
        page.wait_for_timeout(50)
        where = "() => lens.all('.step .grid-scroll:not(.quiet)')[0].scrollTop"
        before, box = page.evaluate(where), page.locator(".step .grid-scroll:not(.quiet)").first.bounding_box()
        for step in range(1, 6):
            page.mouse.move(box["x"] + box["width"] * step / 6, min(box["y"] + 50 + 10 * step, height - 200))
            page.wait_for_timeout(20)
        assert page.evaluate(where) == before, "the pointer scrolls the numbers"


NAMES = ["attention-grad", "encoder-block", "transformer", "diff"]
TESTS = ([(f"keyboard: the chosen number is seen, {width} × {height}", partial(test_seen, width, height)) for width, height in ((1400, 900), (700, 800))]
         + [(f"keyboard: everything in {name}", partial(test_reach, name)) for name in NAMES]
         + [(f"keyboard: no trap in {name}", partial(test_no_trap, name)) for name in ["attention", "encoder-block"]])
