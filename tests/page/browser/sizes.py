"""How large pages are, how fast 10⁶ numbers open and how smoothly they scroll. Alone on the machine: ALONE."""

from functools import partial

import pages

PAGE, A_NUMBER, A_STEP = 160_000, 5.4, 1200  # bytes
OPENS_WITHIN, FRAME_WITHIN = 2.0, 0.050  # seconds; hard limits only: the numbers are printed
SCROLL = """() => new Promise((done) => {
    const grid = lens.all(".step .grid-scroll:not(.quiet)").find((each) => each.scrollHeight > each.clientHeight);
    const times = [], begin = performance.now();
    let last = begin;
    const next = (now) => {
        times.push(now - last);
        last = now;
        grid.scrollTop += 47;
        grid.scrollLeft += 31;
        if (now - begin < 2000) requestAnimationFrame(next);
        else done({times: times.slice(2), top: grid.scrollTop, exact: lens.cells().length});
    };
    requestAnimationFrame(next);
})"""


def test_size(name, lab):
    """The page itself, its numbers, and what is said of each step: formula, sentence, shapes, equations."""
    made = lab.pages[name]
    numbers, steps, size = pages.stored_numbers(made.data), len(made.data["steps"]), made.html.stat().st_size
    if "other" in made.data:
        steps += len(made.data["other"]["steps"])
    start = made.source.index('id="trace">')
    data = len(made.source[start:made.source.index("</script>", start)].encode())
    page = size - data
    says = f"{size:,} bytes: {page:,} of page, {data:,} for {numbers:,} numbers of {steps} steps"
    assert page <= PAGE, says
    assert size <= PAGE + A_NUMBER * numbers + A_STEP * steps, says
    return says


def test_million(lab):
    made = lab.pages["million"]
    numbers = pages.stored_numbers(made.data)
    assert numbers >= 1_000_000, numbers
    opened = []
    for _ in range(3):
        with lab.opened("million", "#attention[0,0]") as page:
            opened.append(page.evaluate("() => window.shownAfter") / 1000)
            scrolled = page.evaluate(SCROLL)
            assert scrolled["top"] > 1000, scrolled["top"]
    times = sorted(each / 1000 for each in scrolled["times"])
    median, worst = times[len(times) // 2], times[-1]
    note = (f"{numbers:,} numbers, {made.html.stat().st_size / 1e6:.1f} MB; open after {', '.join(f'{each:.2f}' for each in opened)} s; "
            f"scrolling {1000 * median:.1f} ms a frame, 95 % within {1000 * times[int(0.95 * len(times))]:.1f} ms, the longest {1000 * worst:.0f} ms")
    assert min(opened) < OPENS_WITHIN, note
    assert median < FRAME_WITHIN, note
    return note


def test_million_numbers(lab):
    """Some windows of it are right, too."""
    import random

    from numbers_shown import same_bits
    made, chance = lab.pages["million"], random.Random(lab.seed)
    count = 0
    with lab.opened("million") as page:
        for path in ("logits", "attention", "values", "K"):
            shape = made.numbers[path].shape
            for _ in range(4):
                place = [chance.randrange(size) for size in shape]
                page.evaluate("(address) => (location.hash = address)", f"#{path}[{','.join(map(str, place))}]")
                page.wait_for_function("(path) => lens.state().title.startsWith(path)", arg=path)
                page.wait_for_timeout(60)
                cells = page.evaluate("() => lens.cells()")
                own = [each for each in cells if made.names.get(each[0]) == path]
                at = place[0] * shape[1] + place[1]
                assert any(each[1] == at for each in own), f"{path}{place} is not in its window"
                for tensor, at, gradient, side, exact, text in cells:
                    truth = made.truth(tensor, at, gradient)
                    if truth is not None:
                        assert same_bits(exact, truth), f"{path}, number {at}: {exact}, the file has {truth!r}"
                        count += 1
    return f"{count} numbers"


ALONE = [("size: 10⁶ numbers open and scroll", test_million)]
TESTS = [("size: windows on 10⁶ numbers", test_million_numbers)] + [(f"size: {name}", partial(test_size, name)) for name in pages.PAGES + ["million"]]
