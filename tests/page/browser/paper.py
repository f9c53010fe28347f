"""On paper stand all steps."""

import re
import shutil
import subprocess
from functools import partial


class Skip(Exception):
    pass


def test(name, lab):
    made = lab.pages[name]
    with lab.opened(name) as page:
        paper = made.folder / "paper.pdf"
        page.pdf(path=str(paper), format="A4")
        page.emulate_media(media="screen")
        assert page.locator(".step [role=gridcell]").count() > 0, "after printing nothing is left on the screen"
    text = text_of(paper)
    count = len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))
    steps = [each["path"] for each in made.data["steps"]]
    plain = re.sub(r"\s+", "", text)
    missing = [each for each in steps if each.replace(" ", "") not in plain]
    assert not missing, f"not on paper: {missing}"
    assert len(steps) / 12 <= count <= 2 * len(steps) + 2, f"{count} pages for {len(steps)} steps"
    assert re.search(r"[-−]?\d\.\d{2}" if name != "text" else r"\d{2}", text), "no numbers"
    return f"{count} pages for {len(steps)} steps"


def text_of(paper):
    if not shutil.which("pdftotext"):
        raise Skip("there is no pdftotext")
    return subprocess.run(["pdftotext", "-layout", paper, "-"], capture_output=True, text=True, check=True).stdout


def test_sides(lab):
    """Of two sides that differ both are printed, with as many digits as differ."""
    made = lab.pages["diff"]
    with lab.opened("diff") as page:
        cells = page.evaluate("() => lens.cells()")
        page.pdf(path=str(made.folder / "paper.pdf"), format="A4")
    plain = re.sub(r"\s+", " ", text_of(made.folder / "paper.pdf"))
    missing = [text for tensor, at, gradient, side, exact, text in cells if text not in plain]
    assert cells and not missing, f"not on paper: {missing[:5]}"
    for label in (made.data["label"], made.data["other"]["label"]):
        assert plain.count(label) > 2, f"{label} stands over no printed matrix"
    return f"{len(cells)} numbers"


def test_run(lab):
    """A run's page has its title on paper, and not every row of its table."""
    html = lab.pages.of_run()
    context = lab.browser.new_context()
    page = context.new_page()
    page.goto(html.as_uri())
    rows = page.locator(".ledger tbody tr").count()
    first = page.evaluate("() => document.querySelector('main').firstElementChild.getAttribute('aria-label')")
    words = page.evaluate("() => [...document.querySelectorAll('.across span, .down span')].map((each) => each.textContent)")
    title = page.evaluate("() => document.querySelector('.masthead .title').textContent")
    page.pdf(path=str(html.with_suffix(".pdf")), format="A4")
    context.close()
    assert first == "Attention", f"the page opens with {first}"
    assert len(words) == 10 and all(each.isdigit() for each in words), f"on the map's axes stand {words}"
    text = text_of(html.with_suffix(".pdf"))
    count = len(re.findall(rb"/Type\s*/Page\b", html.with_suffix(".pdf").read_bytes()))
    assert title in text, "no title on paper"
    assert rows > 100 and count <= 4, f"{count} pages for {rows} rows"
    return f"{count} pages for {rows} rows"


TESTS = [(f"paper: {name}", partial(test, name)) for name in ["attention", "encoder-block", "transformer", "training-step", "mistake", "text"]]
TESTS += [("paper: both sides", test_sides), ("paper: a run", test_run)]
