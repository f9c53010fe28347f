"""Of mistakes that give the same numbers the one that stands in the author's own lines goes first: a fill of -1e-20, or of 0."""
import ast
import functools
import json
import re
import textwrap

from . import engine
from .errors import Error
from .layouts import classes_of, text_of

FILLS = ("masked_fill", "masked_fill_", "where", "putmask", "full_like", "select")
SMALL = 1e-3  # what is almost 0
ALSO = re.compile(r"^   Also explained by ([^.]*)\.(.*)$", re.MULTILINE)


def fills_in(text):
    """The numbers that masked_fill, where and assignments put in an array, as a text of Python has them; None for the product of
    scores and mask."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in FILLS:
            yield from filter(lambda each: each is not None, map(number_of, [*node.args, *(each.value for each in node.keywords)]))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and number_of(node.value) is not None:
            yield number_of(node.value)
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Mult) and any(map(is_mask, ast.iter_child_nodes(node))):
            yield None


def number_of(node):
    """A number as it stands there: -1e-20, float("-1e-20"); None for anything else."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("float", "tensor", "array", "float32"):
        node = node.args[0] if node.args else node
    try:
        value = ast.literal_eval(node)
        return float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else None
    except ValueError:
        return None


def is_mask(node):
    return isinstance(node, ast.Name) and "mask" in node.id.lower()


OF_FILLS = {"masked/zero": lambda fill: fill == 0, "masked/tiny": lambda fill: fill is not None and 0 < abs(fill) < SMALL,
            "masked/multiplied": lambda fill: fill is None}


def name_alone(name):
    """Without the step that it is in: cross_attn/masked: masked/zero."""
    return name.rpartition(": ")[2]


@functools.lru_cache(maxsize=None)
def described(name):
    """The command's own words for a mistake."""
    return json.loads(engine.run(["mistakes", name, "--format", "json"]).text)["mistakes"][0]


def as_written(result, function):
    """The result, in which the name that the author's lines show goes first."""
    found = ALSO.search(result.as_json["text"])
    if result or found is None or len(result.explanations) != 1 or len(result.explanations[0]) != 1:
        return result
    own, others = result.explanations[0][0], found[1].split(", ")
    if name_alone(own) not in OF_FILLS:
        return result
    fills = [fill for each in classes_of(function) for fill in fills_in(text_of(each))]
    shown = [name for name in (own, *others) if any(map(OF_FILLS.get(name_alone(name), lambda fill: False), fills))]
    if shown and own not in shown:
        try:
            exchange(result.as_json, own, shown[0], described(name_alone(own)), described(name_alone(shown[0])))
        except Error:  # a command without these names
            return result
    return result


def exchange(answer, own, other, before, after):
    """One name in the place of another, in the command's answer and its text."""
    def exchanged(name):
        return {own: other, other: own}.get(name, name)

    for step in answer["steps"]:
        step["mistakes"] = [[exchanged(name) for name in together] for together in step["mistakes"]]
    answer["sentences"] = {exchanged(name): after["sentence"] if name == own else text for name, text in answer["sentences"].items()}
    answer["seen_with"] = answer.get("seen_with", "").replace(own, other)
    text = ALSO.sub(lambda found: f"   Also explained by {', '.join(map(exchanged, found[1].split(', ')))}.{found[2]}", answer["text"])
    text = text.replace(f"   {own}: {before['formula']}", f"   {other}: {after['formula']}").replace(before["sentence"], after["sentence"])
    answer["text"] = text.replace(before["seen"], after["seen"]) if before["seen"] and after["seen"] else text
