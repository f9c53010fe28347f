"""The address brings back a place; the browser's back and forward work; a hostile one does nothing."""

from functools import partial

from numbers_shown import same_bits

HOSTILE = ["#<img src=x onerror=alert(1)>", "#%3Cscript%3Ealert(1)%3C/script%3E", "#attention[<b>,1]", "#javascript:alert(1)", "#__proto__[0]",
           "#constructor", "#attention[99999999999,1]", "#attention[0,1];gradient;right;x", "#%", "#tensor:99999999", "#" + "a" * 20000, "#[0,1]",
           "#attention[1e3,-0.5]"]


def chosen(page):
    return page.evaluate("() => lens.numberOf(document.querySelector('.arithmetic .big-value'))")


def test_place(lab):
    name, made = "attention-grad", lab.pages["attention-grad"]
    for address, path, at, gradient in (("#attention[1,0]", "attention", 3, False), ("#attention[1,0];gradient", "attention", 3, True),
                                        ("#values[-1,-1]", "values", 5, False), ("#K%5B2%2C1%5D;gradient", "K", 5, True)):
        with lab.opened(name, address) as page:
            tensor, own, is_gradient, side, exact, text = chosen(page)
            assert (made.names[tensor], own, is_gradient) == (path, at, gradient), f"{address} leads to {made.names[tensor]}, {own}, {is_gradient}"
            assert same_bits(exact, made.truth(tensor, own, is_gradient))
            assert page.evaluate("() => lens.state().title").startswith(("∂L/∂" if gradient else "") + path)
    with lab.opened("transformer", "#decoder/0/norm3[0,1,2]") as page:
        assert lab.pages["transformer"].names[chosen(page)[0]] == "decoder/0/norm3"
    with lab.opened(name) as page:  # an address typed later
        page.evaluate("() => (location.hash = '#logits[2,1]')")
        page.wait_for_function("() => lens.state().title.startsWith('logits')")
        assert chosen(page)[1] == 7
        # What the page writes into the address leads back to it.
        page.locator(".step [role=gridcell]").nth(2).click()
        address = page.evaluate("() => location.hash")
        number = chosen(page)
    with lab.opened(name, address) as page:
        assert chosen(page) == number, f"{address} does not lead back"


def test_history(lab):
    with lab.opened("attention-grad", "#values[1,1]") as page:
        places = [chosen(page)]
        for _ in range(3):
            page.locator(".arithmetic .lines .factor").first.click()
            places.append(chosen(page))
        assert len({tuple(each[:2]) for each in places}) == 4, places
        matches = "(number) => JSON.stringify(lens.numberOf(document.querySelector('.arithmetic .big-value'))) === JSON.stringify(number)"
        for place in reversed(places[:-1]):
            page.evaluate("() => history.back()")
            page.wait_for_function(matches, arg=place)
        for place in places[1:]:
            page.evaluate("() => history.forward()")
            page.wait_for_function(matches, arg=place)
        page.evaluate("() => history.go(-2)")
        page.wait_for_function(matches, arg=places[1])
        page.keyboard.press("Backspace")
        page.wait_for_function(matches, arg=places[0])


def test_hostile(address, lab):
    with lab.opened("attention-grad", address) as page:
        page.wait_for_timeout(30)
        assert page.evaluate("() => document.querySelectorAll('img, iframe, object, script:not([id]):not(:last-of-type)').length") == 0
        assert page.evaluate("() => document.scripts.length") == 2
        assert chosen(page)[4] and page.locator(".step [role=gridcell]").count() > 0, "nothing is shown"
        page.evaluate("(address) => (location.hash = address)", address + "x")
        page.keyboard.press("]")
        assert page.locator(".step [role=gridcell]").count() > 0


TESTS = [("address: a place, also of a gradient", test_place), ("address: back and forward", test_history)] + [
    (f"address: hostile, {address[:40]}", partial(test_hostile, address)) for address in HOSTILE]
