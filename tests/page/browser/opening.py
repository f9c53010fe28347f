"""Where a page opens, and what its head says: the answer of a prediction, the loss of a training step."""

import json


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


TESTS = [("opening: a prediction", test_prediction), ("opening: a training step, back from a new weight", test_training_step)]
