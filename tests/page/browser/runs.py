"""The page of a training run: it opens where something is to be seen, plays from where training begins, and shows map and curves at once."""

import contextlib
import re
from pathlib import Path

RUN = Path(__file__).parents[3] / "docs" / "pictures" / "reversal"


@contextlib.contextmanager
def opened(lab, width, height):
    html = lab.pages.scratch / f"reversal-{width}.html"
    drawn = lab.pages.run("plot", RUN, "-o", html)
    assert drawn.returncode == 0, drawn.stderr
    with lab.browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        page.goto(html.as_uri())
        page.wait_for_selector(".run-maps canvas")
        yield page


def test_first_screen(lab):
    for width, height in ((1366, 768), (1280, 720), (1920, 1080)):
        with opened(lab, width, height) as page:
            title = page.locator("h1").text_content()
            assert title == "Learning to reverse 16 numbers: 100 % right", title
            assert "validation 100.00 %, first in epoch " in page.locator(".facts").first.text_content()
            assert "seed 42" in page.locator(".facts").first.text_content()
            sentence, largest = page.locator(".sentence").first.text_content(), float(re.search(r"row ([\d.]+)", page.locator(".run-maps .place").first.text_content())[1])
            assert "before training" not in sentence and largest > 0.25, (sentence, largest)
            count = int(re.search(r"(\d+) of 16 answers are right", sentence)[1])
            assert "[object" not in sentence, sentence
            assert page.locator(".down .wrong").count() == 16 - count, (sentence, count)
            maps, curves = page.locator(".run-maps").bounding_box(), page.locator(".curve").all()
            boxes = [each.bounding_box() for each in curves]
            assert all(each["x"] > maps["x"] + maps["width"] - 1 and each["y"] + each["height"] < height - 40 for each in boxes), (maps, boxes)
            steps = page.locator("section", has_text="Logged steps").last.bounding_box()
            assert steps["y"] >= max(each["y"] + each["height"] for each in boxes), "the table lies over the curves"
            zeros = page.locator(".chart").evaluate_all("(all) => all.map((each) => [...each.querySelectorAll('.tick')].filter((tick) => tick.textContent === '0').length)")
            assert all(zeros), f"axes without 0: {zeros}"
            letters = page.locator(".tick").first.evaluate("(each) => each.getBoundingClientRect().height")
            assert letters >= 11, f"{width}: letters of {letters} px"


def test_phone(lab):
    with opened(lab, 390, 844) as page:
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        box = page.locator(".run-maps canvas").first.bounding_box()
        assert box["x"] + box["width"] <= 390, box


def test_plays(lab):
    """What was measured at a few steps are points; a run plays from its first step to its last, whatever it opens at."""
    with opened(lab, 1280, 720) as page:
        assert page.locator("circle.dot").count() > 4 and page.locator("[stroke-dasharray]").count() == 0
        boxes = lambda: [each.bounding_box() for each in page.locator(".chart").all()]
        before, first = boxes(), page.locator(".position").text_content()
        page.get_by_role("button", name="Play").click()
        page.wait_for_function("() => document.querySelector('.position').textContent.startsWith('step 1 ')")
        page.wait_for_function("() => !document.querySelector('.position').textContent.startsWith('step 1 ')")
        assert page.locator(".sentence").first.text_content().count("before training") == 1 and page.locator(".down .wrong").count() > 4
        page.get_by_role("button", name="Stop").click()
        stopped = page.locator(".position").text_content()
        page.wait_for_timeout(150)
        assert page.locator(".position").text_content() == stopped != first and boxes() == before, "the charts jump"


TESTS = [("run: it plays", test_plays), ("run: map and curves on the first screen", test_first_screen), ("run: a phone", test_phone)]
