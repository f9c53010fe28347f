"""Random clicks: the arithmetic that is shown, worked out by the test from the operands that are shown, gives the number;
and the operands are the numbers of the command's other files."""

import random
from functools import partial

import evaluate
import pages
from numbers_shown import right_side, same_bits

CLICKS = {"attention": 20, "attention-grad": 30, "multihead": 20, "encoder-block": 40, "predictor": 20, "decoder-block": 20, "transformer": 20,
          "training-step": 20, "mistake": 15, "diff": 15, "positional": 16, "windowed": 20}  # 250; in .ci/full 2,000

OPEN = """([tensor, gradient, slice]) => {
    const button = lens.all(".switch[aria-label=Direction] button")[gradient ? 1 : 0];
    if (button && button.getAttribute("aria-pressed") !== "true") button.click();
    lens.open(tensor);
    lens.selectors().forEach((_, axis) => {
        const control = lens.selectors()[axis], count = control.tagName === "SELECT" ? control.options.length : Number(control.max) + 1;
        lens.choose(control, Math.floor(slice[axis % slice.length] * count));
    });
}"""
# Where to press: the middle of one of the elements that can be seen whole.
AIM = """async ([selector, share]) => {
    const find = () => lens.all(selector).filter(lens.isSeen), first = find();
    if (!first.length) return null;
    first[Math.min(first.length - 1, Math.floor(share * first.length))].scrollIntoView({block: "nearest", inline: "nearest"});
    await lens.frame();
    await lens.frame();  // a window on many numbers has moved
    const found = find(), element = found[Math.min(found.length - 1, Math.floor(share * found.length))];
    const box = element.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    const top = document.elementFromPoint(x, y);
    if (!top || !(element === top || element.contains(top))) return {hidden: true};
    return {x, y, number: lens.numberOf(element)};
}"""


def test(name, lab):
    made, chance = lab.pages[name], random.Random(f"{lab.seed} {name}")
    seen = {"clicks": 0, "worked": 0, "operands": 0, "nameless": 0, "followed": 0, "covered": 0}
    others = right_side(made)

    def look(page, pressed):
        page.log.assert_silent(made.url)
        try:
            arithmetic = page.evaluate("() => lens.arithmetic()")
        except Exception:
            page.wait_for_timeout(100)
            page.log.assert_silent(made.url)  # an error of the page says more
            raise
        number = arithmetic["number"]
        # (The arithmetic of --diff's right side is of that side's own tensors.)
        own = slice(1, 3) if name == "diff" and "right" in (number[3], pressed[3]) else slice(0, 3)
        assert number[own] == pressed[own], f"pressed {pressed}, chosen is {number}"
        assert number[4] == pressed[4], f"{arithmetic['label']} is {pressed[4]} among the numbers and {number[4]} beside its arithmetic"
        seen["clicks"] += 1
        try:
            seen["worked"] += evaluate.check(arithmetic)
        except AssertionError as error:
            raise AssertionError(f"{error}; remarks {arithmetic['remarks']}") from None
        for tensor, at, gradient, side, exact, text in arithmetic["factors"]:
            # (Of --diff no other file has the numbers.)
            truth = None if name == "diff" else others(tensor, at) if side == "right" else made.truth(tensor, at, gradient)
            seen["operands"] += 1
            if truth is None:
                seen["nameless"] += 1
            else:
                assert same_bits(exact, truth), f"{arithmetic['label']}: its operand {made.names[tensor]}, number {at}, is {exact}, the file has {truth!r}"

    with lab.opened(name) as page:
        stops = page.evaluate("() => lens.stops()")
        while seen["clicks"] < CLICKS[name] * (8 if pages.THOROUGH else 1):
            gradient = name in pages.HAS_GRADIENTS and chance.random() < 0.5
            page.evaluate(OPEN, [chance.choice(stops), gradient, [chance.random() for _ in range(3)]])
            for _ in range(3):
                aim = page.evaluate(AIM, [".step [role=gridcell]", chance.random()])
                if aim is None:
                    break
                if "hidden" in aim:
                    seen["covered"] += 1
                    continue
                page.mouse.click(aim["x"], aim["y"])
                look(page, aim["number"])
            # And from a number to one that it was made from, down to an input.
            while chance.random() < 0.7:
                aim = page.evaluate(AIM, [".arithmetic .lines .factor", chance.random()])
                if aim is None or "hidden" in aim:
                    break
                page.mouse.click(aim["x"], aim["y"])
                look(page, aim["number"])
                seen["followed"] += 1
    assert seen["worked"] > 0.3 * seen["clicks"], seen
    assert seen["covered"] < 0.1 * seen["clicks"] + 3, f"numbers that lie under something: {seen}"
    return ", ".join(f"{count} {what}" for what, count in seen.items() if count)


TESTS = [(f"clicks: {name}", partial(test, name)) for name in CLICKS]
