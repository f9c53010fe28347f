"""The page uses the room that a screen has: nothing of a step is cut where it could be whole, numbers are large where there is
room, and what a number was made from stays in sight."""

from functools import partial

# What of a step is cut: boxes that would have to scroll, and numbers that lie outside of it.
CUT = """() => {
    const step = document.querySelector(".step"), box = step.getBoundingClientRect(), found = [];
    for (const each of [step, ...lens.all(".columns, .strip, .grid-scroll", step)])
        if (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
            found.push(`${each.className} shows ${each.clientWidth} × ${each.clientHeight} of ${each.scrollWidth} × ${each.scrollHeight}`);
    for (const each of lens.all(".cell[data-tensor], .checks", step).filter(lens.isSeen)) {
        const own = each.getBoundingClientRect();
        if (own.right > box.right || own.bottom > box.bottom || own.left < box.left || own.top < box.top) found.push(`${each.textContent} lies outside`);
    }
    return found;
}"""
# Whether a number can be seen: not scrolled away, and nothing before it.
SEEN = """(element) => {
    const box = element.getBoundingClientRect(), top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return Boolean(top && (top === element || element.contains(top)));
}"""
DIGITS = "() => parseFloat(getComputedStyle(lens.all('.step [role=gridcell]')[0]).fontSize)"


def test_whole(width, height, lab):
    made = lab.pages["attention"]
    with lab.opened("attention", width=width, height=height) as page:
        for step in made.data["steps"]:
            page.evaluate("(tensor) => lens.open(tensor)", step["tensor"])
            page.wait_for_timeout(30)
            assert not (cut := page.evaluate(CUT)), f"{step['path']}: {cut}"
            last = page.locator(".arithmetic .line").last.bounding_box()
            assert last["y"] + last["height"] <= height, f"{step['path']}: the arithmetic ends at {last}"
        page.evaluate("(tensor) => lens.open(tensor)", made.data["steps"][0]["tensor"])
        words = page.evaluate("() => lens.all('.stop-name bdi').map((each) => [each.textContent, each.getClientRects().length])")
        assert all(lines == 1 for _, lines in words), f"a name is broken: {words}"


def test_narrow_cells(lab):
    """A cell is as wide as what stands in it, and a little more."""
    with lab.opened("attention", width=1280, height=720) as page:
        for path in ("logits", "attention"):
            page.evaluate("(address) => (location.hash = address)", f"#{path}")
            page.wait_for_function("(path) => lens.state().title.startsWith(path)", arg=path)
            widest = page.evaluate("""() => Math.min(...lens.all(".step .cell").map((cell) => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return cell.getBoundingClientRect().width / range.getBoundingClientRect().width;
            }))""")
            assert 1 < widest < 1.25, f"{path}: the widest number leaves {widest:.2f} of its width as cell"


def test_grows(lab):
    sizes = {}
    for width, height in ((1024, 768), (1280, 720), (1920, 1080)):
        with lab.opened("attention", width=width, height=height) as page:
            sizes[width] = page.evaluate(DIGITS)
            if width == 1920:
                share = page.evaluate("() => document.querySelector('.product').getBoundingClientRect().width / document.querySelector('.step').clientWidth")
                assert share > 0.6, f"the product has {share:.2f} of the step's width"
    assert sizes[1024] >= 12 and sizes[1280] >= sizes[1024] and sizes[1920] >= 1.3 * sizes[1280], sizes
    return str(sizes)


def test_all_columns(lab):
    """Twelve columns beside four: the arithmetic then stands below, at every step."""
    with lab.opened("encoder-block", "#self_attn/qkv[0,0]", width=1400, height=900) as page:
        assert not (cut := page.evaluate(CUT)), cut
        assert page.locator(".step [role=gridcell]").count() == 36
        tops = set()
        for tensor in page.evaluate("() => lens.stops()"):
            page.evaluate("(tensor) => lens.open(tensor)", tensor)
            tops.add(page.locator(".arithmetic").bounding_box()["y"])
        assert len(tops) == 1 and tops.pop() > 400, f"the arithmetic jumps from step to step: {tops}"


def test_few_decimals(lab):
    """On a projector they are whole with two decimals, and with their heads' names above them; the arithmetic keeps its own."""
    with lab.opened("encoder-block", "#self_attn/qkv[0,0]", width=1280, height=720) as page:
        assert not (cut := page.evaluate(CUT)), cut
        texts = page.locator(".step [role=gridcell]").all_text_contents()
        assert len(texts) == 36 and all(len(each.partition(".")[2]) == 2 for each in texts), texts
        assert page.evaluate(DIGITS) >= 12
        assert page.locator(".bands span").all_text_contents() == ["Q[0]", "K[0]", "V[0]", "Q[1]", "K[1]", "V[1]"]
        assert page.locator(".arithmetic .line.numbers").first.evaluate(SEEN)
        assert len(page.locator(".big-value").text_content().partition(".")[2]) == 4


def test_more_columns(lab):
    """Where even so not all fit, it says how many more there are, and leads to them."""
    with lab.opened("encoder-block", "#self_attn/qkv[0,0]", width=1024, height=768) as page:
        shown = """() => { const right = document.querySelector(".columns").getBoundingClientRect().right;
            return lens.all(".step [role=gridcell]").filter((each) => each.getBoundingClientRect().right <= right).length / 3; }"""
        edge, seen = page.locator(".edge"), page.evaluate(shown)
        assert edge.count() == 1 and edge.text_content() == f"{12 - seen:.0f} more →" and seen >= 8, (seen, edge.all_text_contents())
        edge.click()
        page.wait_for_timeout(50)
        assert edge.text_content() == f"← {12 - seen:.0f} more"


def test_type(lab):
    """No letter is smaller than 11 pixels."""
    for name, address, width, height in (("encoder-block", "#self_attn/qkv[0,0]", 1280, 720), ("positional", "", 1366, 768), ("attention", "", 1024, 768)):
        with lab.opened(name, address, width=width, height=height) as page:
            small = page.evaluate("""() => lens.all("body *").filter((each) => lens.isSeen(each) && each.getClientRects().length && parseFloat(getComputedStyle(each).fontSize) < 10.99 &&
                [...each.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim())).map((each) => each.outerHTML.slice(0, 90))""")
            assert not small, f"{name}: {small[:4]}"


def test_factors(lab):
    """Where not all columns fit, the left factor stays, and the columns move together."""
    with lab.opened("encoder-block", "#self_attn/qkv[0,11]", width=1280, height=720) as page:
        def check(where):
            factors = page.locator(".product .cell.from").all()
            assert len(factors) == 9, f"{len(factors)} factors of a number with four products and a bias"
            hidden = [each.text_content() for each in factors + [page.locator(".product .cell.chosen").first] if not each.evaluate(SEEN)]
            assert not hidden, f"{where}: {hidden} cannot be seen"
        check("by its address")
        page.keyboard.press("Escape")
        for key in ("Home", "End", "ArrowLeft", "Home", "ArrowRight"):
            page.keyboard.press(key)
            page.wait_for_timeout(30)
            check(f"after {key}")


def test_phone(lab):
    made = lab.pages["attention"]
    with lab.opened("attention", width=400, height=800, has_touch=True) as page:
        title = page.locator(".masthead .title")
        assert title.bounding_box()["height"] < 45, f"the title takes {title.bounding_box()['height']} px"
        assert page.locator(".hint").text_content().startswith("Touch") and page.locator(".hint").bounding_box()["y"] < 100
        for row in (0, 4, 8):
            page.locator(".step [role=gridcell]").nth(row).tap()
            page.wait_for_timeout(50)
            bar, sheet = page.locator(".bar").bounding_box(), page.locator(".arithmetic").bounding_box()
            assert abs(sheet["y"] + sheet["height"] - bar["y"]) < 2 and bar["y"] + bar["height"] <= 801, f"sheet {sheet}, bar {bar}"
            line = page.locator(".arithmetic .line.numbers").first.bounding_box()
            assert sheet["y"] <= line["y"] and line["y"] + line["height"] <= bar["y"], f"the arithmetic lies at {line}, the sheet at {sheet}"
            assert page.locator(".step .cell.chosen").first.evaluate(SEEN), f"number {row} lies under its own arithmetic"
            chosen = page.locator(".step .cell.chosen").first.bounding_box()
            assert chosen["y"] + chosen["height"] <= sheet["y"] - 11 and sheet["height"] <= 361, f"number {row} ends at {chosen}, the sheet begins at {sheet}"
            worked = page.locator(".arithmetic div.worked").bounding_box()["height"]
            assert sheet["height"] <= worked + 26, f"the sheet has {sheet['height']} px for {worked} px of arithmetic"
        page.locator(".arithmetic .lines .factor").first.tap()  # a factor: the sheet stays, for its own arithmetic
        assert page.evaluate("() => lens.state().title").startswith("Q") and page.locator(".sheet").count() == 1
        page.locator(".arithmetic .close").tap()
        assert page.locator(".sheet").count() == 0 and page.locator(".arithmetic .close").is_hidden()
    return made.data["title"]


def test_phone_address(lab):
    """An address with a number opens its arithmetic."""
    with lab.opened("attention", "#attention[0,1]", width=400, height=800, has_touch=True) as page:
        sheet, line = (page.locator(each).first.bounding_box() for each in (".arithmetic.sheet", ".arithmetic .line.numbers"))
        assert sheet["y"] <= line["y"] and line["y"] + line["height"] <= sheet["y"] + sheet["height"], (sheet, line)
        assert page.locator(".step .cell.chosen").first.evaluate(SEEN)


def test_phone_bar(lab):
    """One line; what is used less, behind a button. Keys are of no use there, marks are."""
    with lab.opened("attention-grad", width=390, height=844, has_touch=True, is_mobile=True) as page:
        height = page.locator(".bar").bounding_box()["height"]
        assert height <= 48, f"the bar takes {height} px"
        predict = page.get_by_role("button", name="Predict")
        assert predict.count() == 0 and page.get_by_role("button", name="gradient").is_visible()
        page.get_by_role("button", name="More").tap()
        assert predict.is_visible() and page.get_by_label("decimals").is_visible()
        page.get_by_role("button", name="Marks").tap()
        assert page.get_by_role("dialog", name="Marks").is_visible() and page.locator("dialog kbd").count() == 0 and predict.count() == 0


def test_both_panes(lab):
    """On a projector a wide product and its arithmetic are whole; what is not says that it goes on."""
    for name, address in (("encoder-block", "#self_attn/qkv[0,0]"), ("multihead", "#qkv[0,0,0]"), ("encoder-block", "#norm1[0,0]")):
        with lab.opened(name, address, width=1280, height=720) as page:
            page.wait_for_timeout(60)
            last, pane = (page.locator(each).last.bounding_box() for each in (".arithmetic .line.result", ".arithmetic"))
            is_whole = last["y"] + last["height"] <= pane["y"] + pane["height"]
            assert is_whole or page.locator(".arithmetic.goes-on").count() == 1, f"{address}: the result lies at {last}, and nothing says so"
            assert is_whole or "norm1" in address, f"{address}: the arithmetic is cut"
            assert page.locator(".step.goes-on").count() == 0 and not (cut := page.evaluate(CUT)), cut


def test_opens_at_the_weights(lab):
    """A sentence opens at its attention: the largest weight of its last word."""
    with lab.opened("transformer") as page:
        assert page.evaluate("() => lens.state().heading").startswith("attention[0,0,"), page.evaluate("() => lens.state()")
        weights = page.locator(".own [role=gridcell]").all_text_contents()
        row = weights[-len(page.locator(".own .column-head").all_text_contents()):]
        assert page.locator(".own .cell.chosen").text_content() == max(row, key=lambda each: float(each.split("e")[0]) if "e" not in each else 0), row


def test_phone_opens(lab):
    """Two sides are both in sight; heads that are cut are cut between them, and there are four lines of arithmetic or more."""
    phone = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}
    for name in ("mistake", "diff"):
        with lab.opened(name, **phone) as page:
            chosen = page.locator(".sides .cell.chosen").all()
            assert page.evaluate("() => scrollY") == 0 and len(chosen) == 2 and all(each.evaluate(SEEN) for each in chosen), name
    for name in ("prediction", "attention", "multihead", "text", "positional", "training-step"):
        with lab.opened(name, width=360, height=740, has_touch=True, is_mobile=True) as page:
            sheet, own = (page.locator(each).first.bounding_box() for each in (".arithmetic.sheet", ".own .grid-body"))
            assert own["y"] + own["height"] <= sheet["y"] or sheet["height"] < 60, f"{name}: the numbers end at {own}, the sheet begins at {sheet}"
    with lab.opened("encoder-block", "#self_attn/qkv[0,0]", **phone) as page:
        bands, box = page.locator(".bands span").all(), page.locator(".columns").bounding_box()
        ends = [each.bounding_box()["x"] + each.bounding_box()["width"] for each in bands]
        assert any(abs(end - box["x"] - box["width"]) < 5 for end in ends), (ends, box)
        sheet, lines = page.locator(".sheet").bounding_box(), page.locator(".sheet .line").all()
        seen = [each for each in lines if each.bounding_box()["y"] + each.bounding_box()["height"] <= sheet["y"] + sheet["height"]]
        assert len(seen) >= 4, f"{len(seen)} lines"


SMALL = """() => lens.all("button, select, summary, input").filter((each) => each.offsetParent && !each.matches(".edge")).map((each) => { // with what a finger may touch around it
        const box = each.getBoundingClientRect(), around = getComputedStyle(each, "::before"), isWider = around.position === "absolute";
        return [each, isWider ? {width: parseFloat(around.width), height: parseFloat(around.height)} : box]; })
    .filter(([, box]) => box.height < 40 || box.width < 30).map(([each, box]) => `${each.textContent} ${box.width} × ${box.height}`)"""


def test_touch(lab):
    """What is touched is large enough, and the arithmetic is there at once."""
    for name in ("attention", "encoder-block", "training-step"):
        with lab.opened(name, width=390, height=844, has_touch=True, is_mobile=True) as page:
            assert not (small := page.evaluate(SMALL)), f"{name}: {small[:5]}"
            assert page.locator(".sheet").count() == 1 and page.locator(".step .cell.chosen").first.evaluate(SEEN), name
            assert page.evaluate("() => scrollY") == 0, f"{name}: its title is out of sight"
            legend = page.locator(".legend")
            assert legend.count() == 0 or legend.bounding_box()["height"] < 30, f"{name}: the legend is broken"
    with lab.opened("attention", width=844, height=390, has_touch=True, is_mobile=True) as page:
        step, arithmetic = (page.locator(each).bounding_box() for each in (".step", ".arithmetic"))
        assert arithmetic["x"] >= step["x"] + step["width"] - 1 and step["y"] < 130, f"on its side: {step}, {arithmetic}"


def test_heads(lab):
    """All heads of an attention stand beside the chosen one, for keys as well."""
    with lab.opened("multihead", "#attention[0,0,0,0]", width=1280, height=720) as page:
        heads = page.get_by_role("group", name="Heads").get_by_role("button")
        assert heads.count() == 2 and page.locator(".heads canvas").count() == 2
        heads.nth(1).press("Enter")
        assert page.evaluate("() => lens.state().heading").startswith("attention[0,1,0,0]"), page.evaluate("() => lens.state()")
        assert heads.nth(1).get_attribute("aria-pressed") == "true"


TESTS = ([(f"room: the worked example is whole, {width} × {height}", partial(test_whole, width, height)) for width, height in ((1280, 720), (1024, 768), (1920, 1080))]
         + [("room: cells are as narrow as their digits", test_narrow_cells), ("room: numbers grow with the screen", test_grows),
            ("room: all columns of a wide product", test_all_columns), ("room: its columns on a projector", test_few_decimals),
            ("room: how many more columns there are", test_more_columns), ("room: small type", test_type), ("room: factors stay in sight", test_factors),
            ("room: a phone shows the arithmetic of the number that was touched", test_phone),
            ("room: both panes on a projector", test_both_panes), ("room: opens at the weights", test_opens_at_the_weights), ("room: touch", test_touch), ("room: all heads", test_heads), ("room: what a phone shows at first", test_phone_opens),
            ("room: a phone shows the arithmetic of an address", test_phone_address), ("room: a phone's bar is one line", test_phone_bar)])
