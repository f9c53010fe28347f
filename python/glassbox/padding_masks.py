"""Masks of the source's padding, as the caller of a whole Transformer gives them: in which form a model takes them."""
import contextlib
import inspect
import re
import sys

from .translation import SOURCE, axis_of_positions

OF_TARGET = r"_*(?:tgt|trg|target|output)"
OF_OWN = "mask|pad|valid"
WORD, OTHER = 2, 1  # words of the little sentences that a form is tried on
HIDDEN = 2  # how many of the source's last words are padding there


def names_of(module, is_torch):
    """The parameters that take such a mask, behind source and target. Those of PyTorch's blocks are called padding: others are
    (query, key)."""
    names = list(inspect.signature(module.forward).parameters)[2:]
    own = [name for name in names if re.search("pad" if is_torch else OF_OWN, name) and not re.match(OF_TARGET, name)
           and not re.search("pad_?(?:id|idx|index|token)|look|causal|future", name)]
    return own if is_torch else [name for name in own if re.search(rf"pad|mem|{SOURCE}", name)]


# Of what is a word, (batch, position) as it is 1 or true: which of its meanings and shapes a mask has.
MEANINGS = {"keep": lambda is_word: is_word, "hide": lambda is_word: ~is_word, "add": lambda is_word: (~is_word).float() * -1e9}
SHAPES = {"(batch, key)": lambda mask: mask, "(batch, 1, key)": lambda mask: mask[:, None],
          "(batch, 1, 1, key)": lambda mask: mask[:, None, None]}


def forms_of(is_torch):
    """[(meaning, shape)], the likeliest first; PyTorch's has one."""
    if is_torch:
        return [("hide", "(batch, key)")]
    return [(meaning, shape) for meaning in MEANINGS for shape in reversed(SHAPES)]


class Padded:
    """A call of source and target that has a mask made of the source, whose padding is one word."""
    def __init__(self, module, words_of, names, form, word):
        self.module, self.words_of, self.names, self.form, self.word = module, words_of, names, form, word

    def __call__(self, source, target):
        return self.with_words(source, target, source != self.word)

    def with_words(self, source, target, is_word):
        """With what is a word said beside the source."""
        meaning, shape = self.form
        is_word = is_word.T if axis_of_positions(source, target) == 0 else is_word
        mask = SHAPES[shape](MEANINGS[meaning](is_word))
        return self.module(source, target, **{**self.words_of(source, target), **dict.fromkeys(self.names, mask)})

    def said(self):
        meaning, shape = self.form
        verb = "are" if len(self.names) > 1 else "is"
        return f"{', '.join(self.names)} {verb} {shape}, " + {"keep": "1 where a word is", "hide": "1 where the padding is",
                                                          "add": "added to the scores"}[meaning]


def hides(call):
    """Whether the words that its mask says are padding change nothing; None where it fails, or its mask changes nothing."""
    torch = sys.modules["torch"]
    for size, axis, target in (((2, 4), 1, (2, 3)), ((4, 2), 0, (3, 2))):
        with contextlib.suppress(Exception), torch.no_grad():
            target = torch.full(target, WORD, dtype=torch.long)
            source = torch.full(size, WORD, dtype=torch.long)
            is_word = torch.ones(size, dtype=torch.bool)
            is_word.narrow(axis, -HIDDEN, HIDDEN).fill_(False)
            other = torch.where(is_word, source, OTHER)
            all_seen, one, two = (call.with_words(each, target, words) for each, words in (
                (other, torch.ones_like(is_word)), (source, is_word), (other, is_word)))
            return None if torch.allclose(all_seen, two, atol=1e-6) else torch.allclose(one, two, atol=1e-6)
    return None


def given_to(module, words_of, is_torch, word):
    """The call that has such a mask in the form that the model takes, and whether it hides what it should; None where none does
    anything."""
    names, others = names_of(module, is_torch), []
    for form in forms_of(is_torch) if names else ():
        call = Padded(module, words_of, names, form, word)
        found = hides(call)
        if found:
            return call, True
        others += [call] if found is not None else []
    return (others[0], False) if others else None
