"""Words that look like markup or turn the text around are shown, and do nothing. (That the numbers are right: numbers_shown.py.)"""

from functools import partial

import pages

LOOK = """() => ({
    scripts: document.scripts.length,
    strange: document.querySelectorAll("img, iframe, object, embed, link, meta:not([charset]):not([http-equiv]):not([name])").length,
    text: document.body.innerText + [...document.querySelectorAll("*")].map((each) => (each.tagName === "SCRIPT" || each.tagName === "STYLE" ? "" :
        [...each.attributes].map((a) => a.value).join(" ") + " " + [...each.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join(" "))).join(" "),
    ran: window.ran, title: document.title})"""

CLICK = """(tensor) => {
    lens.open(tensor);
    const seen = (%s)(), count = lens.all(".step [role=gridcell]").length;
    for (let i = 0; i < count; i += Math.ceil(count / 8)) {
        lens.all(".step [role=gridcell]")[i].click();
        seen.scripts = Math.max(seen.scripts, document.scripts.length);
        seen.strange += document.querySelectorAll("img, iframe, object, embed, link").length;
        seen.text += document.querySelector(".arithmetic").textContent;
    }
    return seen;
}""" % LOOK


def test(name, lab):
    import json
    made, texts = lab.pages[name], []
    data = json.dumps(made.source)
    assert made.source.count("</script>") == 2 and made.source.count("<script") == 2, "the file has other scripts"
    assert "\\u202e" in made.source or "\\u202E" in made.source or "\u202e" in made.source, data[:100]
    with lab.opened(name) as page:
        page.evaluate("() => (window.alert = () => (window.ran = true))")
        for tensor in page.evaluate("() => lens.stops()")[::8 if name == "hostile-transformer" and not pages.THOROUGH else 1]:
            seen = page.evaluate(CLICK, tensor)
            assert seen["scripts"] == 2 and seen["strange"] == 0 and not seen["ran"], seen
            texts.append(seen["text"])
        texts.append(page.evaluate("async () => JSON.stringify((await lens.everything(1)).map((each) => each.numbers.map((n) => n[5])))").replace("\\\\", "\\"))
        page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
        seen = page.evaluate(LOOK)
        assert seen["scripts"] == 2 and seen["strange"] == 0 and not seen["ran"], seen
        page.keyboard.press("p")
    everything = " ".join(texts)
    for bad in "\u202e\u202d\u2066\u2067\u200b":
        assert bad not in everything, f"U+{ord(bad):04X} is in the page as it is"
    assert "\\u202e" in everything, "U+202E is not shown by its number"
    words = pages.HOSTILE_WORDS if name == "hostile-words" else ["script", "alert"]
    for word in words:
        assert word.replace("\u202e", "\\u202e") in everything, f"{word} is not shown"


TESTS = [(f"hostile words: {name}", partial(test, name)) for name in pages.HOSTILE]
