"""The command in the browser (build/web/index.html, which ./dev web makes), beside the same command on this machine."""

import gzip
import json
import re
import shlex
import subprocess
from contextlib import contextmanager
from pathlib import Path

from paper import Skip

PAGE = Path(__file__).parents[3] / "build" / "web" / "index.html"
# One or more blocks computed in another way: `deep` of tests/support/compare.h. Measured: 1.8e-6.
DEEP = 5e-5

RUNS = [
    "attention --seq 3 --dk 2",
    "attention --Q '1 0; 0 1' --K '1 .5; -1e-3 1' --V '1 2; 3 4' --mask causal",
    "attention --rng torch --seed 7 --convention uva-torch",
    "attention --mistake scaled/no-root",
    "multihead --seq 40 --dmodel 64 --heads 8",
    "multihead --convention report --text 'the cat sat' --grad",
    "encoder-block --seq 3 --dmodel 4 --heads 2 --dff 8 --grad",
    "encoder-block --norm pre --activation gelu --mask causal",
    "transformer --text 'je suis étudiant' --target 'i am' --grad",
    "transformer --layers 2 --dmodel 16 --text 'a b c|d e' --target 'x y|z' --convention paper",
]
ERRORS = [
    "multihead --heads 3",
    "attention --Q '1 0; 0 x' --K '1 0; 0 1' --V '1 2; 3 4'",
    "attention --mistake attention/over-querys",
    "encoder-blok",
    "attention --seq -1",
]


@contextmanager
def opened(lab, url=None):
    """The page after its first run, which must say nothing and ask for nothing."""
    if not PAGE.exists():
        raise Skip("./dev web has not made build/web")
    context = lab.browser.new_context(viewport={"width": 1400, "height": 900})
    context.set_default_timeout(60000)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(url or PAGE.as_uri())
        finished(page, 1)
        yield page
        assert not said, f"said {said[:3]}"
        outside = [each for each in asked[1:] if not each.startswith("blob:")]
        assert not outside, f"asked for {outside[:3]}"
    finally:
        context.close()


def finished(page, runs, timeout=60000):
    page.wait_for_function("(runs) => Number(document.body.dataset.runs) === runs", arg=runs, timeout=timeout)


def runs_of(page):
    return page.evaluate("() => Number(document.body.dataset.runs)")


def run(page, line, timeout=60000):
    """What a command prints in the page, and what the page says of it."""
    before = runs_of(page)
    page.locator("#line").fill(line)
    page.locator("#run").click()
    finished(page, before + 1, timeout)
    return page.locator("#text").text_content(), page.locator("#state").text_content()


def native(lab, line):
    return subprocess.run([lab.pages.tracer, *shlex.split(line)], cwd=lab.pages.scratch, capture_output=True, text=True, timeout=120,
                          env={"GLASSBOX_COMMAND": "tracer", "PATH": ""})


def numbers_in(value, path=""):
    """(path, number) of all of a JSON, but the differences that finite differences leave, which are rounding."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in ("finite_differences", "check", "checks"):
                yield from numbers_in(each, f"{path}/{key}")
    elif isinstance(value, list):
        for i, each in enumerate(value):
            yield from numbers_in(each, f"{path}/{i}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def test_numbers(lab):
    worst, count = 0, 0
    with opened(lab) as page:
        for line in RUNS:
            ours, state = run(page, line + " --format json")
            assert state.startswith("done"), f"{line}: {ours}"
            ran = native(lab, line + " --format json")
            assert ran.returncode == 0, ran.stderr
            found, expected = (dict(numbers_in(json.loads(text))) for text in (ours, ran.stdout))
            assert found.keys() == expected.keys(), f"{line}: other steps"
            for path, number in expected.items():
                if "difference" in path:
                    continue
                off = abs(found[path] - number) / (1 + abs(number))
                worst, count = max(worst, off), count + 1
                assert off <= DEEP, f"{line}: {path} is {found[path]}, not {number}"
    return f"{count} numbers, off by at most {worst:.1e}"


def test_errors(lab):
    with opened(lab) as page:
        for line in ERRORS:
            text, state = run(page, line)
            ran = native(lab, line)
            assert text == ran.stdout + ran.stderr, f"{line}: {text!r}, not {ran.stderr!r}"
            assert state == f"exit code {ran.returncode}", state
        text, _ = run(page, "attention --text 'open")
        assert "quotation mark" in text, text


def test_form(lab):
    with opened(lab) as page:
        line = page.locator("#line")
        assert line.input_value() == "attention --seq 3 --dk 2", line.input_value()
        page.get_by_label("Q", exact=True).fill("1 0; 0 1")
        page.get_by_label("K", exact=True).fill("1 0; 0 1")
        page.get_by_label("V", exact=True).fill("1 2; 3 4")
        page.get_by_label("mistake").fill("scaled/no-root")
        assert line.input_value() == "attention --Q '1 0; 0 1' --K '1 0; 0 1' --V '1 2; 3 4' --mistake scaled/no-root", line.input_value()
        page.wait_for_function("() => document.querySelectorAll('#mistakes option').length > 500")
        page.get_by_label("transformer").check()
        page.get_by_label("sentence").fill("it's me")
        page.get_by_label("seed").fill("7")
        page.get_by_label("convention").select_option("paper")
        assert line.input_value().startswith("transformer --text 'it'\\''s me' --target 'i am' --dmodel 8 "), line.input_value()
        assert line.input_value().endswith(" --seed 7 --convention paper"), line.input_value()
        before = runs_of(page)
        page.locator("#run").click()
        finished(page, before + 1)
        frame = page.frame_locator("#page")
        frame.locator(".step h1").wait_for()
        assert "Transformer" in frame.locator(".masthead").inner_text()
        assert frame.locator(".step [role=gridcell]").count() > 0, "the page shows no numbers"
        page.locator("#text-tab").click()
        assert "convention paper" in page.locator("#text").inner_text()


def test_stop(lab):
    with opened(lab) as page:
        before = runs_of(page)
        page.locator("#line").fill("train reverse")
        page.locator("#run").click()
        page.locator("#maps canvas").wait_for()
        page.locator("#stop").click()
        finished(page, before + 1)
        assert "stopped" in page.locator("#text").text_content()
        text, state = run(page, "attention --seq 3 --dk 2")
        assert state.startswith("done") and "values" in text, text


def test_lessons(lab):
    """Each command of each lesson's "Run" part, in order: later ones read files of earlier ones."""
    with opened(lab) as page:
        lines = page.locator("#lessons button[data-line]").evaluate_all("(all) => all.map((each) => each.dataset.line)")
        assert page.locator("#lessons details").count() == 15
        assert len(lines) > 30, lines
        for line in lines:
            if line == "train reverse":  # in full; here for one epoch, which the next commands only need
                line += " --epochs 1"
            if "--backend cuda" in line or "--backend xtensor" in line:  # not in a browser
                continue
            text, state = run(page, line)
            assert state.startswith("done"), f"{line}: {text}"
    return f"{len(lines)} commands"


def test_training(lab):
    with opened(lab) as page:
        page.get_by_text("Training: a model").click()
        before = runs_of(page)
        page.evaluate("() => { window.epochs = []; new MutationObserver(() => window.epochs.push(document.getElementById('maps').dataset.epoch))"
                      ".observe(document.getElementById('maps'), { attributes: true, attributeFilter: ['data-epoch'] }); }")
        page.locator("button[data-line^='train reverse --epochs']").last.click()
        finished(page, before + 1, 120000)
        epochs = page.evaluate("() => window.epochs")
        assert epochs == [str(each) for each in range(len(epochs))] and len(epochs) >= 5, f"maps of epochs {epochs}"
        # Of the darkness of the last map, the share on the anti-diagonal and beside it.
        share = page.evaluate("""() => {
            const canvas = document.querySelector("#maps canvas"), n = canvas.width;
            const { data } = canvas.getContext("2d").getImageData(0, 0, n, n);
            let near = 0, all = 0;
            for (let i = 0; i < n * n; ++i) {
                const dark = 255 - data[4 * i];
                all += dark;
                if (Math.abs(Math.floor(i / n) + i % n - (n - 1)) <= 1) near += dark;
            }
            return near / all;
        }""")
        assert share > 0.8, f"{share:.0%} of the attention is near the anti-diagonal"
        text = page.locator("#text").text_content()
        accuracy = float(re.search(r"test: ([\d.]+) %", text).group(1))
        seconds = float(re.search(r"^([\d.]+) s$", text, re.M).group(1))
        assert accuracy > 99, text
        assert seconds < 30, f"{seconds} s"
        page.frame_locator("#page").get_by_text("Curves").first.wait_for()
    return f"{accuracy} % in {seconds} s; {share:.0%} of the attention is near the anti-diagonal"


def test_files(lab):
    """The reader's own arrays, and what a command writes."""
    import io
    import numpy
    with opened(lab) as page:
        file = io.BytesIO()
        numpy.savez(file, x=numpy.arange(12, dtype="float32").reshape(3, 4) / 8)
        page.get_by_text("Files", exact=True).click()
        page.locator("#add").set_input_files({"name": "mine.npz", "mimeType": "application/zip", "buffer": file.getvalue()})
        page.get_by_role("button", name="mine.npz").wait_for()
        text, state = run(page, "multihead --input mine.npz -o out.npz")
        assert state.startswith("done"), text
        with page.expect_download() as download:
            page.get_by_role("button", name="out.npz").click()
        ours = numpy.load(download.value.path())
        (Path(lab.pages.scratch) / "mine.npz").write_bytes(file.getvalue())
        ran = native(lab, "multihead --input mine.npz -o web-out.npz")
        assert ran.returncode == 0, ran.stderr
        theirs = numpy.load(Path(lab.pages.scratch) / "web-out.npz")
        assert ours.files == theirs.files
        for name in theirs.files:
            numpy.testing.assert_allclose(ours[name], theirs[name], DEEP, DEEP)


def test_size(lab):
    if not PAGE.exists():
        raise Skip("./dev web has not made build/web")
    size = sum(len(gzip.compress(each.read_bytes(), 9)) for each in PAGE.parent.rglob("*") if each.is_file())
    assert size < 2_000_000, f"{size} bytes compressed"
    return f"{size / 1e6:.2f} MB compressed"


TESTS = [("web: lessons", test_lessons), ("web: numbers", test_numbers), ("web: errors", test_errors), ("web: form", test_form),
         ("web: files", test_files), ("web: stop", test_stop), ("web: size", test_size)]
ALONE = [("web: training", test_training)]  # its time counts
