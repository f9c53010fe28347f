"""Every number that a page shows is the one that the same command writes to other files, bit by bit."""

import json
from functools import partial

import pages
from evaluate import is_shown_as, parsed_number


DIFFERENCE = 2e-3  # finite differences and gradients, of numbers beyond 1 in proportion


def same_bits(text, truth):
    import numpy
    own = truth.dtype.type(parsed_number(text))
    return bool(own == truth and numpy.signbit(own) == numpy.signbit(truth)) or bool(numpy.isnan(own) and numpy.isnan(truth))


def check(made, steps):
    """Returns how many different numbers were compared, and how many no other file has."""
    places, compared, unknown = made.data["precision"], set(), set()
    others = right_side(made)
    for step in steps:
        for tensor, at, gradient, side, exact, text in step["numbers"]:
            if side == "right":
                truth = others(tensor, at)
            elif side == "difference":  # no file has them; they are close to the gradient
                near = float(made.truth(tensor, at, True))
                assert abs(parsed_number(exact) - near) <= DIFFERENCE * max(1, abs(near)), f"{made.names[tensor]}, number {at}: difference {exact}, gradient {near}"
                continue
            else:
                truth = made.truth(tensor, at, gradient)
            what = f"{made.names.get(tensor, tensor)}, number {at}{' of the gradient' if gradient else ''} {side}"
            if truth is None:
                unknown.add((tensor, at, gradient, side))
                continue
            key = (tensor, at, gradient, side)
            assert same_bits(exact, truth), f"{what}: shown is {exact}, the file has {truth!r}"
            if key not in compared:
                own = text.split(" ")[0]  # behind it stands a word
                few = 2  # decimals of a matrix that is too wide for all
                assert is_shown_as(own, float(truth), few if len(own.partition(".")[2]) == few else places), f"{what}: {exact} is written {own}"
            compared.add(key)
    return compared, unknown


def right_side(made):
    """The other side's numbers: of a mistake's page what is right, without the mistake."""
    if made.name != "mistake":
        return lambda tensor, at: None
    import numpy
    at_mistake = made.arguments.index("--mistake")
    plain = made.arguments[:at_mistake] + made.arguments[at_mistake + 2:]
    path = made.folder / "right.npz"
    if not path.exists():
        import subprocess
        subprocess.run([made.tracer, *plain, "-o", path], check=True, capture_output=True, timeout=60)
    numbers = dict(numpy.load(path))
    return lambda tensor, at: made.truth(tensor, at, False, numbers)


def test(name, lab):
    made = lab.pages[name]
    with lab.opened(name) as page:
        title = page.title()
        assert title.startswith(made.title), title
        assert title == made.data["title"], title
        assert "".join(made.text.split("\n")[0].split()).startswith("".join(title.split())) or name in ("training-step", "diff", "mistake"), made.text[:80]
        refused = page.evaluate("fetch('https://example.org/').then(() => 'fetched', (error) => 'refused ' + error)")
        assert refused.startswith("refused"), refused
        assert any("Content Security Policy" in each or "violates" in each for each in page.log.said), page.log.said
        page.log.said.clear()
        steps = json.loads(page.evaluate("async (seed) => JSON.stringify(await lens.everything(seed))", lab.seed))  # as text: that is faster
    paths = [each["path"] for each in made.data["steps"]]
    assert len(steps) >= len(paths) * (2 if name in pages.HAS_GRADIENTS else 1), f"{len(steps)} steps shown of {len(paths)}"
    if name in ("diff", "million"):  # no other file has its numbers; see comparison.py
        return f"{sum(len(each['numbers']) for each in steps)} seen"
    compared, unknown = check(made, steps)
    whole = 0
    for step in steps:
        own = {at for tensor, at, gradient, side, *_ in step["numbers"] if tensor == step["tensor"] and gradient == step["gradient"] and side != "right"}
        size = 1
        for length in made.data["tensors"][step["tensor"]]["shape"]:
            size *= length
        is_window = step["isWindowed"] and {0, size - 1} <= own
        assert len(own) == size or is_window, f"{step['title']}: {len(own)} of {size} numbers were shown"
        whole += len(own) == size
    assert name in ("windowed", "text", "hostile-text") or len(compared) > 40, f"only {len(compared)} numbers"
    return f"{len(compared)} numbers, {len(unknown)} without a name, {whole} of {len(steps)} steps whole"


TESTS = [(f"numbers: {name}", partial(test, name)) for name in pages.PAGES + pages.HOSTILE]
