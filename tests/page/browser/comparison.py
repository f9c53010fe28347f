"""Two sides: the first step and number that differ are marked, and are those that the command's text names."""

import math
import re

from evaluate import as_float32


def test_diff(lab):
    made = lab.pages["diff"]
    step = re.search(r"The first that differs: (\S+)", made.text).group(1)
    path, place, left, right = re.search(r"^ +(\S+)\[([\d,]+)\] is (\S+) in \S+ and (\S+) in", made.text, re.M).groups()
    assert step == path
    with lab.opened("diff") as page:
        state = page.evaluate("() => lens.state()")
        assert state["title"].startswith(step) and state["heading"].startswith(f"{step}[{place}]"), f"it opens at {state}"
        marks = page.evaluate("() => lens.all('.map .stop').map((each) => [each.querySelector('bdi').textContent, each.querySelector('.mark').textContent])"
                              ".filter(([, mark]) => mark)")
        assert [name for name, mark in marks if "first" in mark] == [step.split("/")[-1]], marks
        page.evaluate("(address) => (location.hash = address)", f"#{path}")
        page.wait_for_function("(path) => lens.state().title.startsWith(path)", arg=step)
        note = page.evaluate("() => lens.all('.step .remark').map((each) => each.textContent).join(' ')")
        assert f"The largest difference: [{place}]" in note and "first step that differs" in note, note
        why = re.search(r"^   \S+\[[\d,]+\] is .*\n   (.*)\n      (.*)", made.text, re.M)
        assert all(part in note for part in why.groups()), f"the reason {why.groups()} is not under the matrices: {note}"
        at = None
        sides, written = {}, {}
        for tensor, at, gradient, side, exact, text in page.evaluate("() => lens.cells()"):
            sides.setdefault(side, {})[at] = exact
            written.setdefault(side, {})[at] = text
        shape = made.data["tensors"][made.data["steps"][[each["path"] for each in made.data["steps"]].index(path)]["tensor"]]["shape"]
        number = 0
        for size, index in zip(shape, place.split(",")):
            number = number * size + int(index)
        for side, text in (("left", left), ("right", right)):
            shown = float(sides[side][number])
            assert abs(shown - float(text)) <= 1e-6 * abs(shown), f"{side}: {shown} on the page, {text} in the text"
        first = min(at for at in sides["left"] if abs(float(sides["left"][at]) - float(sides["right"][at])) > 1e-6 * max(1, abs(float(sides["left"][at]))))
        named = ",".join(str(first // math.prod(shape[axis + 1:]) % size) for axis, size in enumerate(shape))
        assert f"The first number that differs: [{named}]" in note, f"number {first}, [{named}]: {note}"
        marked = set(page.evaluate("() => lens.all('.step .cell.differs').filter(lens.isSeen).map((each) => Number(each.dataset.at))"))
        apart = {at for at in sides["left"] if abs(float(sides["left"][at]) - float(sides["right"][at])) > 1e-6 * max(1, abs(float(sides["left"][at])))}
        assert marked == apart, f"marked are {sorted(marked)}, {sorted(apart)} differ"
        # Where numbers differ, the digits that are shown do, and these are marked.
        tails = dict(page.evaluate("() => lens.all('.step .cell.differs[data-side=left]').filter(lens.isSeen)"
                                   ".map((each) => [each.dataset.at, each.querySelector('.apart').textContent])"))
        for number in apart:
            own, other = written["left"][number], written["right"][number]
            assert own != other, f"both sides of number {number} read {own}"
            tail = tails[str(number)]
            head = own[:len(own) - len(tail)]
            assert own.endswith(tail) and other.startswith(head) and tail[0] != other[len(head)], f"marked is {tail!r} of {own}, beside {other}"
        # Beside each other, not below.
        boxes = page.evaluate("() => lens.all('.step figure.side').map((each) => each.getBoundingClientRect()).map(({top, left}) => [top, left])")
        assert len(boxes) == 2 and boxes[0][0] == boxes[1][0] and boxes[0][1] < boxes[1][1], boxes
        # The difference is a view of its own.
        page.locator(".switch[aria-label=Sides] button").nth(3).click()
        for tensor, at, gradient, side, exact, text in page.evaluate("() => lens.cells()"):
            if at in sides["left"] and at in sides["right"]:
                apart = as_float32(sides["right"][at]) - as_float32(sides["left"][at])
                assert abs(float(exact) - apart) < 1e-12, f"difference at {at}: {exact}, {apart}"
    return f"{step}[{place}], {len(marks)} steps differ"


def test_mistake(lab):
    made = lab.pages["mistake"]
    with lab.opened("mistake") as page:
        marks = page.evaluate("() => lens.all('.map .stop').map((each) => [each.querySelector('bdi').textContent, each.querySelector('.mark').textContent])"
                              ".filter(([, mark]) => mark)")
        state = page.evaluate("() => lens.state()")
        assert state["title"].startswith("attention") and state["heading"].startswith("attention["), f"it opens at {state}"
        assert marks and marks[0] == ["attention", "differs first"] and [name for name, _ in marks] == ["attention", "values"], marks
        page.evaluate("() => (location.hash = '#attention[0,0]')")
        page.wait_for_function("() => lens.state().title.startsWith('attention')")
        text = page.evaluate("() => document.querySelector('.step').innerText")
        assert "first step that differs" in text, text
    return f"{len(marks)} steps differ"


TESTS = [("comparison: two conventions", test_diff), ("comparison: a mistake", test_mistake)]
