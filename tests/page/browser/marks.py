"""What is marked and said of a number: all that it was made from, the colours' scale, and what the page is."""

from functools import partial


MARKS = """() => Object.fromEntries(lens.all(".map .stop").map((each) =>
    [each.querySelector("bdi").textContent, [...each.classList].filter((name) => /^(is-|far-)/.test(name))]))"""


def followed(page):
    page.wait_for_function("() => document.querySelector('.around').textContent.includes('Goes back to')")


def test_made_from(lab):
    """README's values[0,1]: a column of V and a row of attention, and behind these a row of Q and all of K."""
    with lab.opened("attention", "#values[0,1]") as page:
        followed(page)
        marks = page.evaluate(MARKS)
        assert marks == {"V": ["is-from"], "attention": ["is-from"], "scaled": ["is-far", "far-2"], "logits": ["is-far", "far-3"],
                         "Q": ["is-far", "far-4"], "K": ["is-far", "far-4"], "values": []}, marks
        pale = page.evaluate("""() => ["far-2", "far-3", "far-4"].map((name) => Number(getComputedStyle(document.querySelector("." + name)).getPropertyValue("--pale")))""")
        assert pale == sorted(pale, reverse=True) and len(set(pale)) == 3, f"what is further is not paler: {pale}"
        said = page.evaluate("() => lens.all('.around li').map((each) => each.textContent)")
        assert said == ["Q: 2 of 6 numbers", "K: 6 of 6 numbers", "V: 3 of 6 numbers"], said
        painted = page.evaluate("""(tensor) => { const {width, height, canvas} = lens.all(`[data-item="${tensor}"] .overlay`)[0].getContext("2d").canvas;
            const data = lens.all(`[data-item="${tensor}"] .overlay`)[0].getContext("2d").getImageData(0, 0, width, height).data;
            const rows = [];
            for (let y = 0; y < height; ++y) for (let x = 0; x < width; ++x) if (data[(y * width + x) * 4 + 3]) rows.push(y / height);
            return rows.length ? [Math.min(...rows), Math.max(...rows)] : []; }""", lab.pages["attention"].data["steps"][0]["tensor"])
        assert painted and painted[0] < 0.1 and painted[1] < 0.5, f"of Q the first row is to be marked: {painted}"
        # In the step itself: of the arithmetic's numbers and of what lies behind.
        page.locator(".arithmetic .lines .factor").nth(0).click()
        followed(page)
        assert page.evaluate(MARKS)["values"] == ["is-user"] and page.evaluate(MARKS)["V"] == [], page.evaluate(MARKS)


def test_parameters(lab):
    made = lab.pages["encoder-block"]
    with lab.opened("encoder-block", "#norm2[0,1]") as page:
        followed(page)
        said = page.evaluate("() => lens.all('.around li').map((each) => each.textContent)")
        assert said[0] == "self_attn/x: 12 of 12 numbers", said
        assert said[1].split(":")[0] == f"{len(made.data['parameters'])} parameters", said
    with lab.opened("predictor", "#encoder/0/norm2[0,1]") as page:  # its blocks' own x was computed
        followed(page)
        inputs = page.evaluate("() => lens.all('.around > div button').map((each) => each.textContent)")
        assert len(inputs) == 1, f"what was computed is no input: {inputs}"


def test_still(lab):
    """What is followed later moves nothing that may be pressed by then."""
    where = "() => JSON.stringify(lens.all('.arithmetic .factor, .step .cell').filter(lens.isSeen).slice(0, 60).map((each) => each.getBoundingClientRect()))"
    for width, height in ((1400, 900), (1280, 720)):
        with lab.opened("encoder-block", width=width, height=height) as page:
            before = page.evaluate("(address) => { location.hash = address; return new Promise((done) => addEventListener('hashchange', () => done((%s)()), {once: true})); }" % where,
                                   "#self_attn/qkv[1,3]")
            followed(page)
            assert page.evaluate("() => lens.state().heading").startswith("qkv[1,3]")
            assert page.evaluate(where) == before, f"something moved, {width} × {height}"


def test_scale(lab):
    """Weights are coloured from 0 to 1, or up to the map's largest."""
    colour = "(element) => getComputedStyle(element).backgroundColor"
    with lab.opened("attention", "#attention[0,0]") as page:
        cells = page.locator(".step [role=gridcell]")
        largest = max(range(9), key=lambda i: float(cells.nth(i).get_attribute("data-exact")))
        switch, legend = page.locator(".switch[aria-label=Colours] button"), page.locator(".legend")
        assert switch.all_text_contents() == ["0 to 1", "this map"] and legend.text_content() == "01", legend.text_content()
        assert page.locator(".controls .quiet-note").text_content() == "▴ all equal: 1/3"
        assert [each.get_attribute("aria-pressed") for each in switch.all()] == ["true", "false"]
        mark = page.evaluate("() => parseFloat(document.querySelector('.legend-mark').style.left)")
        assert abs(mark - 100 / 3) < 0.1, mark
        before = cells.nth(largest).evaluate(colour)
        switch.nth(1).click()
        assert cells.nth(largest).evaluate(colour) == "rgb(254, 232, 56)" != before, "the largest is not the brightest"
        top = float(cells.nth(largest).get_attribute("data-exact"))
        assert legend.text_content().startswith(f"0{top:.2f}"), legend.text_content()
        page.locator(".switch[aria-label=Colours] button").nth(0).click()
        assert cells.nth(largest).evaluate(colour) == before
    with lab.opened("windowed", "#attention[0,0,0]") as page:  # 40 keys, none with a weight near 1
        assert page.locator(".switch[aria-label=Colours] button").nth(1).get_attribute("aria-pressed") == "true"
        colours = page.evaluate("""() => { const canvas = document.querySelector(".overview canvas");
            const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), seen = new Set();
            for (let i = 0; i < data.length; i += 4) seen.add(data.slice(i, i + 3).join());
            return [...seen]; }""")
        assert "254,232,56" in colours and len(colours) > 60, f"{len(colours)} colours"
    with lab.opened("attention-grad", "#attention[0,0]") as page:  # masked: rows have different numbers of keys
        assert page.locator(".legend").text_content() == "01", page.locator(".legend").text_content()


def test_one_scale(lab):
    """The numbers of a step and of what it was made from: equal ones have one colour, up to the limits in the legend."""
    parse = lambda text: float(text.replace("−", "-"))
    for name, address in (("attention", "#values[0,1]"), ("attention", "#logits[0,0]"), ("positional", "#output[0,0]"), ("attention-grad", "#K[0,0];gradient")):
        with lab.opened(name, address) as page:
            limit = parse(page.locator(".legend").text_content().rpartition("−")[2][4:])
            cells = page.evaluate("""() => lens.all(".step .cell[data-exact]").filter((each) => each.style.background && !each.matches(".hidden-score"))
                .map((each) => [Number(each.dataset.exact), each.style.background, each.dataset.tensor, "gradient" in each.dataset])""")
            weights = {str(each["tensor"]) for each in lab.pages[name].data["steps"] if each["kind"] == "weight"}
            numbers = sorted((value, colour) for value, colour, tensor, gradient in cells if gradient == address.endswith("gradient") and (gradient or tensor not in weights))
            largest = max(abs(value) for value, _ in numbers)
            assert abs(largest - limit) < 0.006, f"{address}: the legend goes to {limit}, the numbers to {largest}"
            same = {}
            for value, colour in numbers:
                assert same.setdefault(value, colour) == colour, f"{address}: {value} has two colours"
            others = page.locator(".beside").all_text_contents()
            assert others == (["weights: 01"] if "values" in address else [] if "gradient" not in address else others), others


def test_first_screen(name, beginning, lab):
    with lab.opened(name, width=1280, height=720) as page:
        title, facts = page.locator(".masthead .title").text_content(), page.locator(".masthead .facts").text_content()
        assert title == beginning, title
        assert "convention uva-jax (the JAX tutorial) · random numbers as JAX draws them, seed 42" in facts, facts
        hint = page.locator(".hint")
        assert hint.text_content() == "Click any number to see how it was made." and hint.bounding_box()["y"] < 40, hint.bounding_box()


def test_words(lab):
    """Words stand wherever rows or columns are theirs: also of operands, token ids and tables."""
    heads = lambda page, figure, kind: page.locator(".operand", has_text=figure).last.locator(f".{kind}-head:not(.corner)").all_text_contents()
    with lab.opened("transformer", "#source/embedding[0,0,0]") as page:
        assert heads(page, "tokens", "column")[:2] == ["je₀", "suis₁"], heads(page, "tokens", "column")
        rows = heads(page, "source_embedding.weight", "row")
        assert rows[0] == "0" and "3 je" in rows and "4 suis" in rows, rows
    with lab.opened("transformer", "#encoder/0/self_attn/logits[0,0,0,0]") as page:
        assert heads(page, "Q", "row")[:2] == ["je₀", "suis₁"] and heads(page, "K", "column")[:2] == ["je₀", "suis₁"], heads(page, "K", "column")
        corner = page.locator(".own .corner")
        assert corner.locator("span").all_text_contents() == ["key →", "query ↓"]
        cut = corner.evaluate("(each) => each.scrollWidth - each.clientWidth")
        assert cut <= 0, f"the corner's names are cut by {cut} px"


TESTS = [("marks: all that a number was made from", test_made_from), ("marks: down to the parameters", test_parameters), ("marks: nothing moves", test_still), ("marks: the scale of weights", test_scale), ("marks: one scale for all numbers", test_one_scale),
         ("marks: words of operands, tokens and tables", test_words)] + [
    (f"marks: the first screen of {name}", partial(test_first_screen, name, beginning))
    for name, beginning in (("attention", "Scaled dot-product attention"), ("encoder-block", "Encoder block"))]
