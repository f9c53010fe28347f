"""axe finds nothing, light and dark, wide and narrow; nothing makes the page itself scroll sideways, at 400 % zoom either."""

from functools import lru_cache, partial
from pathlib import Path

import pages

NARROW, WIDE = 320, 1400


@lru_cache
def axe():
    import axe_playwright_python
    return Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")


def assert_clean(page, where):
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(axe())
    found = page.evaluate("""() => axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations.map((each) =>
        `${each.id}: ${each.nodes.length} × ${each.help}: ${each.nodes[0].html.slice(0, 160)} ${each.nodes[0].any.map((a) => a.message)[0] || ""}`))""")
    assert not found, f"{where}: {found}"


def assert_fits(page, where):
    wide = page.evaluate("""() => {
        const most = document.documentElement.clientWidth, all = document.scrollingElement.scrollWidth;
        const outside = lens.all("body *").filter((each) => lens.isSeen(each) && each.getBoundingClientRect().right > most + 1
            && !each.closest(".grid-scroll, .product, .overview, svg, dialog, .unseen"));
        return all > most ? `${all} px in ${most}: ${outside.slice(0, 3).map((each) => each.tagName + "." + each.className)}` : "";
    }""")
    assert not wide, f"{where} scrolls sideways: {wide}"


def views(page, name):
    """Puts the page into the states that look different, one after the other."""
    yield "as it opens"
    if page.evaluate("() => lens.all('.switch[aria-label=Direction] button').length"):
        page.keyboard.press("g")
        yield "gradient"
        page.keyboard.press("g")


def test(name, scheme, lab):
    for width, height in ((WIDE, 900), (NARROW, 800))[:2 if scheme == "light" else 1]:  # colours do not depend on the width
        with lab.opened(name, width=width, height=height, scheme=scheme) as page:
            for view in views(page, name):
                where = f"{name}, {scheme}, {width} px, {view}"
                assert_clean(page, where)
                assert_fits(page, where)


def test_states(lab):
    """What only appears when it is asked for: the list of keys, the quiz, all steps."""
    for scheme in ("light", "dark"):
        with lab.opened("encoder-block", scheme=scheme) as page:
            for tensor in page.evaluate("() => lens.stops()")[:: 4 if pages.THOROUGH else 8]:
                page.evaluate("(tensor) => lens.open(tensor)", tensor)
                assert_clean(page, f"step {tensor}, {scheme}")
            page.keyboard.press("?")
            assert_clean(page, f"the list of keys, {scheme}")
            page.keyboard.press("Escape")
            page.evaluate("(tensor) => lens.open(tensor)", lab.pages["encoder-block"].data["steps"][5]["tensor"])
            page.keyboard.press("p")
            assert_clean(page, f"the quiz, {scheme}")
            page.locator("#quiz-answer").fill("1")
            page.keyboard.press("Enter")
            assert_clean(page, f"the quiz after a wrong answer, {scheme}")


def test_fits(name, lab):
    """Each step, of hundreds some of every kind, narrow and at 400 % zoom: 1400 × 900 are then 350 × 225."""
    for width, height, zoom in ((NARROW, 800, 1), (350, 225, 4)):
        with lab.opened(name, width=width, height=height, zoom=zoom) as page:
            stops = page.evaluate("() => lens.stops()")
            for tensor in stops[:: 1 if pages.THOROUGH else 1 + len(stops) // 20]:
                page.evaluate("(tensor) => lens.open(tensor)", tensor)
                assert_fits(page, f"{name}, step {tensor}, {width} px")
            page.keyboard.press("?")
            assert_fits(page, f"{name}, the list of keys, {width} px")


DARK = ["encoder-block", "mistake", "training-step", "text"]  # which have all that has a colour
TESTS = ([(f"axe: {name}, {scheme}", partial(test, name, scheme)) for name in pages.PAGES for scheme in ("light", "dark")
          if scheme == "light" or name in DARK or pages.THOROUGH]
         + [("axe: keys, quiz and steps", test_states)]
         + [(f"narrow: {name}", partial(test_fits, name)) for name in ["encoder-block", "transformer", "training-step", "diff", "text", "windowed", "hostile-words"]])
