"""A prompt in the forms that functions take: a row of a batch, (1, n), as it is, (n,), and a list of whole numbers."""
from .signature import is_word

ROWS, FLAT, LIST = "rows", "flat", "list"


def forms(batch):
    """The likeliest first; of a function that takes one sequence, as its caller says, the flat ones."""
    return (FLAT, LIST, ROWS) if batch is False else (ROWS, FLAT, LIST)


def is_taken(plan):
    """Whether a parameter takes the prompt as an array."""
    return any(is_word(what, "prompt") for what in plan.taken())


def in_form(prompt, form):
    """An array of ids, (1, n)."""
    if form == LIST:
        return [int(each) for each in prompt.reshape(-1)]
    return prompt.reshape(-1) if form == FLAT else prompt
