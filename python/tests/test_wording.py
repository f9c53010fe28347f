"""What cannot be done is said in the words of Python, by each of the functions."""
import numpy as np
import pytest

import glassbox
from glassbox.judging import with_its_softmax, with_its_time

RUN = {"Q": np.ones((2, 2))}
ASKED = {
    "check": lambda layer, **words: glassbox.check(layer, lambda q, k, v: v, **words),
    "trace": glassbox.trace,
    "probe": glassbox.probe,
    "compare": lambda layer, **words: glassbox.compare(RUN, RUN, layer, **words)
}


@pytest.mark.parametrize("what", ASKED)
def test_a_misspelt_layer_is_told(what):
    with pytest.raises(glassbox.Error) as raised:
        ASKED[what]("atention")
    assert str(raised.value) == f"{what}: no layer has the name 'atention'; did you mean 'attention'?"
    with pytest.raises(glassbox.Error, match=f"{what}: expected the name of a layer first"):
        ASKED[what](len)


@pytest.mark.parametrize("what", ASKED)
@pytest.mark.parametrize("word, meant", [("sequence", "seq"), ("headz", "heads"), ("nheads", "heads"), ("zzz", "")])
def test_a_keyword_is_told_as_it_was_typed(what, word, meant):
    with pytest.raises(glassbox.Error) as raised:
        ASKED[what]("multihead", **{word: 3})
    hint = f"; did you mean {meant!r}?" if meant else ""
    assert str(raised.value) == f"{what}: the layer multihead has no keyword {word!r}{hint}"


@pytest.mark.parametrize("name, layer", [("cross_entropy", "loss"), ("AdamW", "adam"), ("mha", "multihead"),
                                         ("positional_encoding", "positional"), ("clip_grad_norm", "clip"),
                                         ("layer_norm", "layer-norm"), ("ffn", "feed-forward")])
def test_everyday_names_lead_to_the_layer(name, layer):
    for what in set(ASKED) - {"check"}:  # which takes it
        with pytest.raises(glassbox.Error, match=rf"no layer has the name '{name}'; .*'{layer}'"):
            ASKED[what](name)


def test_options_in_messages_are_keywords():
    steps = glassbox.trace("encoder", heads=2)
    for ask in (lambda: steps.explain("norm1[0,0]"), lambda: steps.gradients("no"), lambda: steps.page(zzz=1),
                lambda: steps.map(zzz=1)):
        with pytest.raises(glassbox.Error) as raised:
            ask()
        assert "--" not in str(raised.value)
    from glassbox.wording import as_keywords
    assert as_keywords("(--effort 60 tries more)") == "(effort=60 tries more)"
    assert as_keywords("with --convention paper: check") == 'with convention="paper": check'
    assert as_keywords("--no-bias requires -- nothing") == "no_bias requires -- nothing"


def test_the_value_of_a_keyword_is_told_with_its_name():
    with pytest.raises(glassbox.Error, match="^no_bias: takes no value, got '3'"):
        glassbox.trace("multihead", no_bias=3)


class Failing:
    def __init__(self):
        raise ValueError("no")


def test_classes_and_what_is_no_run():
    class Layer:
        pass

    with pytest.raises(glassbox.Error, match="got Layer, which has no __call__ and no forward"):
        glassbox.check("attention", Layer)
    with pytest.raises(glassbox.Error, match=r"expected an object, Failing\(…\), got the class Failing, which fails: ValueError: no"):
        glassbox.check("attention", Failing)
    for value in (1, Layer):
        with pytest.raises(glassbox.Error, match="weights: expected a module"):
            glassbox.trace("multihead", weights=value)
    with pytest.raises(glassbox.Error, match="expected two runs.*the first is int"):
        glassbox.compare(1, "x")
    with pytest.raises(glassbox.Error, match="the second is a class"):
        glassbox.compare(RUN, Layer)
    with pytest.raises(glassbox.Error, match="inputs are arrays by name"):
        glassbox.compare(RUN, RUN, "attention", inputs=3)


@pytest.mark.parametrize("search, said", [("--seconds=0.3", "--effort 110000 tries more, for up to 10 s"),
                                          ("--effort=20", "--effort 110000 tries more, for up to 10 s"),
                                          ("--effort=110000", "--effort 649183 tries more, for up to a minute")])
def test_another_effort_says_how_long_it_takes(search, said):
    assert with_its_time("927 of 18795 pairs were tried (--effort 649183 tries more).", search) == \
        f"927 of 18795 pairs were tried ({said})."


def test_whose_softmax_does_not_show_is_said():
    text = "✓ logits\nNot all steps were submitted: 4 mistakes would not show in these numbers (attention/overflow, softmax/wrong-axis, " \
        "softmax/left-out and 1 more).\n"
    assert "(attention/overflow, softmax/wrong-axis, softmax/left-out of the output's softmax, after the logits and 1 more)" in \
        with_its_softmax(text)
