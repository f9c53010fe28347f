"""What a trained model answers: rows say what they chose, padding is folded, and of many classes the likeliest stand first."""

import pages

pages.COMMANDS["translation"] = (["predict", "translate", "je suis étudiant", "--trained"], "Prediction: translate")
ROWS = "() => lens.all('.step .grid-scroll:not(.quiet) .row-head:not(.corner)').filter(lens.isSeen).map((each) => each.textContent)"


def test_rows(lab):
    with lab.opened("prediction", width=1366, height=768) as page:
        assert page.evaluate(ROWS) == ["11 → 1", "12 → 7", "13 → 3", "14 → 5", "15 → 2"], page.evaluate(ROWS)
        small = [each for each in page.locator(".step [role=gridcell]").all_text_contents() if "e" in each or each == "0"]
        assert not small, f"weights that differ from their column: {small}"
        page.get_by_role("button", name="11 rows before").click()
        rows = page.evaluate(ROWS)
        assert len(rows) == 16 and rows[0] == "0 → 0", rows
        page.get_by_role("button", name="with the rows of padding").click()
        page.evaluate("() => (location.hash = '#softmax[3,0]')")  # one of them
        page.wait_for_function("() => lens.state().heading.startsWith('softmax[3,0]')")
        assert len(page.evaluate(ROWS)) == 16


def test_attention(lab):
    """Its attention is that of the row that answers, under the names that the probabilities have."""
    with lab.opened("prediction", width=1366, height=768) as page:
        page.get_by_role("button", name="Its attention").click()
        assert page.evaluate("() => lens.state().heading").startswith("attention[0,11,4]"), page.evaluate("() => lens.state()")
        assert page.evaluate(ROWS) == ["11 → 1", "12 → 7", "13 → 3", "14 → 5", "15 → 2"], page.evaluate(ROWS)
        assert page.locator(".arithmetic .place").text_content() == "To write “1” it reads “1” with 0.58."
        page.evaluate("() => (location.hash = '#self_attn/scaled[0,11,4]')")
        page.wait_for_function("() => lens.state().title.startsWith('scaled')")
        assert page.locator(".arithmetic .place").text_content() == "to write “1”, key “1”"
    with lab.opened("translation", width=1366, height=768) as page:
        assert page.evaluate("() => lens.state().heading").startswith("attention[0,"), page.evaluate("() => lens.state()")
        assert page.locator(".arithmetic .place").text_content().startswith("To write “I” it reads “je” with 0.")
        assert page.evaluate(ROWS)[:2] == ["0 → I", "1 → ␣am"], page.evaluate(ROWS)
        page.get_by_role("button", name="Its probabilities").click()
        assert page.evaluate("() => lens.state().heading").startswith("softmax[0,0,43]")


def test_likeliest(lab):
    made = lab.pages["translation"]
    with lab.opened("translation", "#softmax[0,0,43]", width=1366, height=768) as page:
        softmax = made.numbers["softmax"][0]
        shown = page.evaluate("""() => lens.all(".step figure figure .grid-row").map((row) => lens.all(".cell", row).map((each) => [Number(each.dataset.at), each.textContent]))""")
        assert len(shown) == 6 and all(len(row) == 5 for row in shown), shown
        for i, row in enumerate(shown):
            best = sorted(range(900), key=lambda j: -softmax[i, j])[:5]
            assert sorted(softmax[i, at - 900 * i] for at, _ in row) == sorted(softmax[i, best]), f"row {i}: {row}"
        assert [row[0][1] for row in shown][:2] == ["1.00 I", "1.00 ␣am"], shown
        written = [text.split(" ")[0] for row in shown for _, text in row[1:]]
        assert not any(text == "0.00" for text in written) and sum("." in text for text in written) > 10, written
        page.locator(".step figure figure .cell").nth(6).click()
        assert page.evaluate("() => lens.state().heading").startswith("softmax[0,1,")


TESTS = [("predictions: rows of answers, padding folded", test_rows), ("predictions: its attention", test_attention), ("predictions: the likeliest of 900", test_likeliest)]
