"""What a caller says in arguments= that a parameter takes, in the names of the layer: "tokens" of a mask are its ids."""
import contextlib

from .errors import Error
from .signature import MEMORY_MASK, PAIRS, STATE_WORDS, WEIGHTS, Fixed, is_mask, numbers_called, parameters_of, part_called, plain, what_is

AS_THEY_ARE = ("mask", "weights", MEMORY_MASK, *STATE_WORDS)


class Names:
    """Those of a layer: of its inputs, parameters and sizes, of its numbers, of the parts of its parameters; `steps()` has those of
    its steps."""
    def __init__(self, known, numbers, parts, steps):
        self.known, self.numbers, self.parts, self.steps = known, numbers, parts, steps

    def own(self, word):
        """The layer's own name for a usual one; None for what is none."""
        base = word.removesuffix(".T")
        if base in (*self.known, *self.numbers, *AS_THEY_ARE) or part_called(base, self.parts) is not None:
            return word
        if "m_before" not in self.known and self.is_step(base):  # an update starts from m and v, which its steps have after it
            return word
        if is_mask(base):
            return "mask"
        if self.parts and plain(base) in WEIGHTS:
            return "weights"
        options = numbers_called(base, self.numbers)
        if len(options) > 1:
            return next(pair for pair, each in PAIRS.items() if each == options)
        found = what_is(base, self.known) or (options[0] if options else None)
        return None if found is None else found + word[len(base):]

    def is_step(self, word):
        with contextlib.suppress(Error):  # of a case that other words of the caller complete
            return word in self.steps()
        return False


def in_own_names(arguments, function, names):
    """What the caller says, by the layer's own names. A text is no name where the parameter has another text by default."""
    parameters, found = parameters_of(function) or {}, {}
    for name, what in arguments.items():
        own = names.own(what) if isinstance(what, str) else None
        is_text = isinstance(what, str) and name in parameters and isinstance(parameters[name].default, str)
        found[name] = own or (Fixed(what) if is_text else what)
    return found
