"""Predict mode: right and wrong answers, the second try, the score."""


def ask(page):
    return page.evaluate("""() => { const form = document.querySelector(".quiz");
        return form ? {question: form.querySelector("label").textContent, score: form.querySelector(".score").textContent,
            said: form.querySelector(".said").textContent, cells: document.querySelectorAll(".step .cell").length} : null; }""")


def answer(page, text):
    page.locator("#quiz-answer").fill(text)
    page.keyboard.press("Enter")


def said(page):
    return page.evaluate("() => [...document.querySelectorAll('.step .said')].map((each) => each.textContent).join(' ')")


def truth_of(made, question, path):
    import re
    place = [int(i) for i in re.search(r"\[([\d,]*)\]\?", question).group(1).split(",")]
    return float(made.numbers[path][tuple(place)])


def test(lab):
    made = lab.pages["attention"]
    with lab.opened("attention", "#logits[0,0]") as page:
        page.keyboard.press("p")
        asked = ask(page)
        assert asked and "shape" in asked["question"] and asked["cells"] == 0, f"the numbers are to be hidden until the answer: {asked}"
        assert page.evaluate("() => !document.querySelector('.arithmetic .big-value')"), "the arithmetic tells the answer"
        answer(page, "3 3")  # right at once
        assert "Right" in said(page), said(page)
        asked = ask(page)
        assert "1 of 1 right" in asked["score"], asked
        truth = truth_of(made, asked["question"], "logits")
        answer(page, str(truth + 7))
        assert "again" in said(page) and ask(page)["question"] == asked["question"], said(page)
        assert "1 of 1 right" in ask(page)["score"], "the first miss counts already"
        answer(page, f"{truth:.4f}".replace("-", "−"))  # on the second try, with the page's own minus
        assert "Right" in said(page) and "2 of 2 right, 1 on the second try" in said(page), said(page)
        assert page.locator(".step [role=gridcell]").count() == 9, "the numbers stay hidden"

        page.keyboard.press("]")  # scaled: twice wrong
        assert ask(page), "the next step asks nothing"
        answer(page, "3 2")
        answer(page, "2 3")
        assert "(3, 3)" in said(page) and "Right" not in said(page), said(page)
        assert "2 of 3 right" in ask(page)["score"], ask(page)
        truth = truth_of(made, ask(page)["question"], "scaled")
        answer(page, f"{truth + 0.9e-4:.6f}")  # as near as asked for
        assert "Right" in said(page) and "3 of 4 right" in said(page), said(page)

        page.keyboard.press("]")  # attention: shown without an answer
        page.locator(".quiz button.plain").click()
        page.locator(".quiz button.plain").click()
        assert page.locator(".step [role=gridcell]").count() == 9
        page.keyboard.press("Escape")
        page.keyboard.press("p")  # and left
        assert ask(page) is None
        page.keyboard.press("]")
        assert ask(page) is None and page.locator(".step [role=gridcell]").count() > 0


def test_too_near(lab):
    """A wrong number that is near is still wrong."""
    made = lab.pages["attention"]
    with lab.opened("attention", "#scaled[0,0]") as page:
        page.keyboard.press("p")
        answer(page, "3, 3")
        truth = truth_of(made, ask(page)["question"], "scaled")
        answer(page, f"{truth + 2.1e-4:.6f}")
        assert "again" in said(page), said(page)
        answer(page, "no idea")
        assert "Not quite" in said(page), said(page)


TESTS = [("predict: answers, second try, score", test), ("predict: near is not right", test_too_near)]
