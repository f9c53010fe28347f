"""Lecture mode: one step in large type, the arithmetic line by line."""

from accessibility import assert_clean

LOOK = """() => ({
    lines: lens.all(".arithmetic .line").filter((line) => lens.isSeen(line) && line.textContent).map((line) => line.className.replace("line ", "")),
    number: lens.isSeen(document.querySelector(".arithmetic .big-value")), chosen: document.querySelector(".step .cell.chosen").textContent,
    around: lens.all(".masthead, .map, .bar").filter((each) => getComputedStyle(each).display !== "none").map((each) => each.className),
    title: document.querySelector(".step h1").textContent, font: parseFloat(getComputedStyle(document.documentElement).fontSize),
    moves: document.getAnimations().length})"""


def test_lines(lab):
    with lab.opened("attention", "#logits[0,1]", width=1280, height=720) as page:
        usual = page.evaluate(LOOK)
        assert usual["number"] and len(usual["lines"]) == 5 and len(usual["around"]) == 3, usual
        page.keyboard.press("l")
        seen = page.evaluate(LOOK)
        assert seen["lines"] == [] and not seen["number"] and seen["chosen"] == "?" and seen["around"] == [], seen
        assert page.locator(".sentence").is_visible() and page.locator(".legend").is_visible()
        cell = page.locator(".step .cell.chosen").first
        assert cell.evaluate("(each) => each.style.background") == "" and cell.get_attribute("title") == "", "the colour gives the answer away"
        assert seen["font"] >= 1.3 * usual["font"] and seen["title"] == usual["title"], (usual["font"], seen["font"])
        for count in range(1, 6):
            page.keyboard.press("ArrowRight" if count % 2 else "PageDown")
            seen = page.evaluate(LOOK)
            assert seen["lines"] == usual["lines"][:count] and seen["moves"] == 0, seen
            assert seen["number"] == (count == 5) and seen["chosen"] == (usual["chosen"] if count == 5 else "?"), seen
        page.keyboard.press("ArrowLeft")
        assert page.evaluate(LOOK)["lines"] == usual["lines"][:4] and page.evaluate(LOOK)["chosen"] == "?"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")  # the next step
        seen = page.evaluate(LOOK)
        assert seen["title"].startswith("scaled") and seen["lines"] == [], seen
        page.keyboard.press("ArrowLeft")  # and back to the end of this one
        seen = page.evaluate(LOOK)
        assert seen["title"].startswith("logits") and len(seen["lines"]) == 5 and seen["chosen"] == usual["chosen"], seen
        page.keyboard.press("Escape")
        assert page.evaluate(LOOK)["around"] == usual["around"] and page.evaluate(LOOK)["number"], "Escape does not leave"
        assert page.evaluate("() => lens.focused().role") == "gridcell"
        page.keyboard.press("l")
        page.keyboard.press("ArrowRight")
        page.locator(".step [role=gridcell]").nth(8).click()  # another number begins anew
        seen = page.evaluate(LOOK)
        assert seen["lines"] == [] and seen["chosen"] == "?" and page.evaluate("() => lens.state().heading").startswith("logits[2,2]"), seen
        page.get_by_role("button", name="Next line").click()
        assert len(page.evaluate(LOOK)["lines"]) == 1
        page.keyboard.press("l")
        assert page.evaluate(LOOK)["around"] == usual["around"], "l does not leave"
        page.keyboard.press("?")
        assert page.locator("dialog[open] dt", has_text="l").count() and "lecture" in page.locator("dialog[open]").inner_text()


def test_ends(lab):
    """Before the first line of the first step, and after the last of the last, nothing happens."""
    made = lab.pages["attention"]
    with lab.opened("attention", "#Q[1,1]") as page:
        page.keyboard.press("l")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("() => lens.state().heading").startswith("Q[1,1]")
        for _ in range(60):
            page.keyboard.press(" ")
        seen = page.evaluate(LOOK)
        assert seen["title"].startswith(made.data["steps"][-1]["path"]) and seen["number"], seen


def test_whole(lab):
    """Twelve columns are whole on a projector."""
    with lab.opened("encoder-block", "#self_attn/qkv[0,9]", width=1280, height=720) as page:
        page.keyboard.press("l")
        page.wait_for_timeout(50)
        columns = page.locator(".columns").evaluate("(each) => [each.scrollWidth, each.clientWidth]")
        assert columns[0] <= columns[1] + 1, f"{columns[1]} of {columns[0]} px"
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.keyboard.press("ArrowRight")
            assert_clean(page, f"the lecture, {scheme}")


DIGITS = "() => parseFloat(getComputedStyle(lens.all('.step [role=gridcell]')[0]).fontSize)"
BELOW = """() => { const step = document.querySelector(".step"), bottom = step.getBoundingClientRect().bottom;
    return lens.all(".cell[data-tensor]", step).filter((each) => each.getBoundingClientRect().bottom > bottom + 1).length; }"""


def test_large(lab):
    """Numbers as large as the room: on a projector they are read from the last row, and none is cut."""
    sizes = {}
    for width, height in ((1024, 768), (1280, 720), (1920, 1080)):
        for address in ("#self_attn/logits[0,1,1]", "#norm1[0,1]"):
            with lab.opened("encoder-block", address, width=width, height=height) as page:
                page.keyboard.press("l")
                page.wait_for_timeout(50)
                sizes[f"{address} {width}"] = page.evaluate(DIGITS)
                assert page.evaluate(BELOW) == 0, f"{address}, {width} × {height}: rows are cut"
    assert min(sizes.values()) >= 18 and sizes["#norm1[0,1] 1920"] >= 30, sizes
    return str(sizes)


def test_words(lab):
    """The words of a number's place stand under its name, and its lines are no wider than their room."""
    with lab.opened("prediction", width=1280, height=720) as page:
        page.keyboard.press("l")
        for _ in range(2):
            page.keyboard.press("ArrowRight")
        boxes = [page.locator(each).bounding_box() for each in (".number-heading", ".worked > .place", ".worked > .lines")]
        name, words, lines = boxes
        assert lines["x"] > name["x"] + name["width"] - 1 and words["y"] > name["y"] and lines["x"] + lines["width"] <= 1280, boxes
        assert page.evaluate("() => { const each = document.querySelector('.arithmetic'); return each.scrollWidth - each.clientWidth; }") <= 1


def test_formula_stays(lab):
    """Where there is no room for all lines, the formula and the newest ones are seen whole, above the buttons."""
    for name, address in (("encoder-block", "#norm1[0,0]"), ("prediction", "")):
        with lab.opened(name, address, width=1280, height=720) as page:
            page.keyboard.press("l")
            for _ in range(len(page.evaluate("() => lens.all('.arithmetic .line').filter((line) => line.textContent)"))):
                page.keyboard.press("ArrowRight")
                lines = [each.bounding_box() for each in page.locator(".arithmetic .line:visible").all()]
                room, buttons = (page.locator(each).bounding_box() for each in (".arithmetic .lines", ".lecture-controls"))
                assert page.locator(".arithmetic .line.symbols").is_visible() and len(lines) >= 1
                last = max(each["y"] + each["height"] for each in lines)
                assert last <= room["y"] + room["height"] + 1 and last <= buttons["y"] + 1, f"{name}: {lines[-1]} in {room}, buttons {buttons}"


def test_motion(lab):
    """Lines appear in motion only for those who have not asked for less of it."""
    with lab.opened("attention", "#logits[0,1]") as page:
        moves = lambda: page.evaluate("() => getComputedStyle(lens.all('.arithmetic .line').filter(lens.isSeen)[0]).animationName")
        page.keyboard.press("l")
        page.keyboard.press("ArrowRight")
        assert moves() == "none"
        page.emulate_media(reduced_motion="no-preference")
        assert moves() == "appear"


TESTS = [("lecture: line by line", test_lines), ("lecture: its ends", test_ends), ("lecture: all columns, and axe", test_whole), ("lecture: as large as the room", test_large), ("lecture: a number with words", test_words), ("lecture: the formula stays", test_formula_stays), ("lecture: motion", test_motion)]
