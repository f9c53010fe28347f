"""Where a page opens, and what its head says: the answer of a prediction, the loss of a training step."""

import base64
import json
import re
from pathlib import Path

PICTURE = Path(__file__).resolve().parents[3] / "docs/pictures/page.png"
WORDS = PICTURE.with_suffix(".txt")  # that stand on it
OTHER_FONTS = 20  # of 255, the mean difference of two machines' pictures; another step's page is 40 apart
# The mean difference of two pictures of one size, of the green of each pixel; -1 for two sizes.
APART = """async ([a, b]) => {
    const pixels = async (data) => {
        const image = new Image();
        image.src = "data:image/png;base64," + data;
        await image.decode();
        const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
        canvas.getContext("2d").drawImage(image, 0, 0);
        return canvas.getContext("2d").getImageData(0, 0, image.width, image.height);
    };
    const [x, y] = [await pixels(a), await pixels(b)];
    if (x.width !== y.width || x.height !== y.height) return -1;
    let sum = 0;
    for (let i = 1; i < x.data.length; i += 4) sum += Math.abs(x.data[i] - y.data[i]);
    return sum / (x.width * x.height);
}"""


def words(text):
    """Without numbers, of which other fonts leave room for more or fewer digits."""
    return " ".join(re.findall(r"[^\W\d_]+", text))


def test_picture(lab):
    with lab.opened("prediction", width=1280, height=720) as page:
        now = page.screenshot()
        says = page.evaluate("() => document.body.innerText")
    blank = lab.browser.new_page()
    try:
        apart = blank.evaluate(APART, [base64.b64encode(each).decode() for each in (now, PICTURE.read_bytes())])
    finally:
        blank.close()
    assert words(says) == words(WORDS.read_text()), "docs/pictures/page.png is of a page with other words: docs/pictures/make makes it again"
    assert 0 <= apart < OTHER_FONTS, f"docs/pictures/page.png is {apart:.1f} of 255 apart: docs/pictures/make makes it again"
    return f"{apart:.2f} of 255 apart"


def test_prediction(lab):
    made = lab.pages["prediction"]
    with lab.opened("prediction") as page:
        head = page.evaluate("() => document.querySelector('.masthead').innerText")
        heading = page.evaluate("() => lens.state().heading")
    answer = made.text.split("\n")[2]
    numbers, judged = answer.rsplit("   ", 1)
    said = f"{' '.join(numbers.split())} ({judged})"
    assert judged == "right" and said in " ".join(head.split()), f"{said!r} is not in {head!r}"
    # The first number of the answer, in the place that the text's table names.
    place, number, _ = made.text.split("place   predicted   probability\n")[1].split("\n")[0].split()
    assert heading.startswith(f"softmax[{place},{number}]"), heading
    return heading


def test_training_step(lab):
    made = lab.pages["training-step"]
    step = json.loads(lab.pages.run(*made.arguments, "--format", "json").stdout)
    with lab.opened("training-step") as page:
        state = page.evaluate("() => lens.state()")
        shown = page.evaluate("() => lens.arithmetic().number[4]")
        assert state["title"].startswith("L") and abs(float(shown) - step["loss"]) < 1e-5 * step["loss"], f"{state}, {shown}; the loss is {step['loss']}"
        assert "piece" not in page.evaluate("() => document.body.innerText")
        way = page.get_by_role("navigation", name="Way through the step").locator("button")
        assert way.all_text_contents() == ["L", "gradient", "clip", "g", "m", "v", "m_hat", "v_hat", "w"], way.all_text_contents()
        seen = page.evaluate("() => lens.all('.map .stop').filter((each) => lens.isSeen(each)).map((each) => each.querySelector('bdi').textContent)")
        assert {"L", "factor", "m_hat", "w"} <= set(seen), f"the update is closed: {seen}"
        lone = page.locator(".step [role=gridcell]")
        assert lone.evaluate("(each) => each.style.background") == "" and page.locator(".legend").count() == 0
        heads = page.evaluate("() => lens.all('.step .row-head, .step .column-head').filter(lens.isSeen).map((each) => each.textContent).join('')")
        assert heads == "", f"single numbers have axes: {heads}"
        way.last.click()
        assert page.evaluate("() => lens.state().heading").startswith("w[0,0]")
        # From a new weight back to the gradient of the loss, by the factors of the arithmetic alone.
        name = step["parameters"][0]["name"]
        page.evaluate("(address) => (location.hash = address)", f"#update/{name}/w[0,0]")
        page.wait_for_function("() => lens.state().title.startsWith('w')")
        path = []
        for wanted in ("m_hat", "m", "g", "gradient", "∂L/∂"):
            found = page.evaluate("""(wanted) => {
                const factor = lens.all(".arithmetic .lines .factor.label").find((each) => each.textContent.replace(/\\[.*/, "") === wanted ||
                    (wanted === "∂L/∂" && each.textContent.startsWith(wanted)));
                if (factor) factor.click();
                return factor ? factor.textContent : lens.all(".arithmetic .lines .factor.label").map((each) => each.textContent).join();
            }""", wanted)
            assert found.startswith(wanted), f"after {path} there is no factor {wanted}, but {found}"
            path.append(found)
        own = page.evaluate("() => lens.arithmetic().number")
        assert own[2], f"{path} leads to no gradient: {own}"
        gradient = step["parameters"][0]["gradient"][0][0]
        assert abs(float(own[4]) - gradient) <= 1e-6 * abs(gradient), f"∂L/∂w is {own[4]}, the step's is {gradient}"
    return " ← ".join(path)


TESTS = [("opening: the documents' picture of a page", test_picture), ("opening: a prediction", test_prediction), ("opening: a training step, back from a new weight", test_training_step)]
