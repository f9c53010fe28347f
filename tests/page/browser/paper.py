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
    if not shutil.which("pdftotext"):
        raise Skip("there is no pdftotext")
    text = subprocess.run(["pdftotext", "-layout", paper, "-"], capture_output=True, text=True, check=True).stdout
    count = len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))
    steps = [each["path"] for each in made.data["steps"]]
    plain = re.sub(r"\s+", "", text)
    missing = [each for each in steps if each.replace(" ", "") not in plain]
    assert not missing, f"not on paper: {missing}"
    assert len(steps) / 12 <= count <= 2 * len(steps) + 2, f"{count} pages for {len(steps)} steps"
    assert re.search(r"[-−]?\d\.\d{2}" if name != "text" else r"\d{2}", text), "no numbers"
    return f"{count} pages for {len(steps)} steps"


TESTS = [(f"paper: {name}", partial(test, name)) for name in ["attention", "encoder-block", "transformer", "training-step", "mistake", "text"]]
