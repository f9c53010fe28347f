"""glassbox.trace: every step of a layer, as the command shows it."""
import html
import warnings
from collections.abc import Mapping

import numpy as np

from . import engine
from .errors import Error, briefly
from .modules import described, unfit
from .options import Asked, as_words
from .own_inputs import suit
from .probing import Case
from .wording import in_python
from .workspace import Workspace

EMBEDDED_BYTES = 4_000_000  # of a page in a notebook; what is larger is shown as a table
NON_FINITE = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}


class Text(str):
    """Text that a notebook and a prompt show as it is."""
    def __repr__(self):
        return str(self)


class Figure:
    """A figure: SVG in a notebook, characters at a prompt."""
    def __init__(self, svg, text):
        self.svg, self.text = svg, text

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return self.text

    def save(self, file):
        with open(file, "w", encoding="utf-8") as out:
            out.write(self.svg)


class Step(np.ndarray):
    """A step's numbers, with its name, formula and sentence. What is computed from it is a plain array."""

    name = formula = sentence = ""

    def __new__(cls, entry):
        step = np.array(numbers(entry["values"]), dtype=np.float32).reshape(entry["shape"]).view(cls)
        step.name, step.formula, step.sentence = entry["name"], entry["formula"], entry.get("sentence", "")
        return step

    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array[()] if return_scalar or array.shape == () else np.asarray(array)


def numbers(values):
    """Nested lists, in which words stand for what JSON has no number for."""
    if isinstance(values, list):
        return [numbers(each) for each in values]
    return NON_FINITE.get(values, values)


class ByName(dict):
    """By paths, or by the end of a path where only one has it: "x" is "self_attn/x"."""
    inputs = {}  # what was submitted, which may be the x of no step

    def __missing__(self, name):
        if name in self.inputs:
            return self.inputs[name]
        ends = [path for path in self if str(path).endswith(f"/{name}")]
        if len(ends) == 1:
            return self[ends[0]]
        raise Missing(f"no step {name!r}: " +
                      (f"it may be {', '.join(ends)}" if ends else f"there are {', '.join(self)}"))


class Missing(Error, KeyError):
    """There is no step of this name. (A KeyError, for a Mapping's `in` and `get` ask by it.)"""

    __str__ = Exception.__str__


class Steps(Mapping):
    """The steps of one pass by their names, in order: steps["attention"] is an array with .formula and .sentence."""
    def __init__(self, case, answer):
        self._case, self._answer = case, answer
        self._steps = ByName((entry["name"], Step(entry)) for entry in answer["steps"])
        self._steps.inputs = case.inputs

    def __getitem__(self, name):
        return self._steps[name]

    def __iter__(self):
        return iter(self._steps)

    def __len__(self):
        return len(self._steps)

    @property
    def result(self):
        """The last step."""
        return list(self._steps.values())[-1]

    @property
    def as_json(self):
        return self._answer

    def explain(self, number, depth=None):
        """The arithmetic behind one number: explain("attention[0,1]")."""
        return text_of(self._case, explain=number, depth=depth)

    def gradients(self, scalar=None):
        """∂scalar/∂step of every step, and of every parameter as "weights/NAME"; of the sum of the last step if no
        scalar is named, as "sumsq(output)"."""
        with in_python("gradients", self._case.layer, {}), Workspace() as folder:
            words = [
                self._case.layer, *self._case.place(folder), "--grad", *as_words({"scalar": scalar}), "-o", "grad.npz"
            ]
            engine.run(words, folder.path)
            return ByName((name.removeprefix("grad/"), array)
                          for name, array in folder.read("grad.npz").items()
                          if name.startswith("grad/"))

    def map(self, **options):
        """Every attention map."""
        with in_python("map", self._case.layer, options), Workspace() as folder:
            words = [self._case.layer, *self._case.place(folder), *as_words(options)]
            engine.run([*words, "--map=maps.svg"], folder.path)
            svg = (folder.path / "maps.svg").read_text(encoding="utf-8")
            return Figure(svg, engine.run([*words, "--map"], folder.path).text)

    def page(self, file=None, **options):
        """The page for the browser: written to a file, or given back as a string."""
        with in_python("page", self._case.layer, options), Workspace() as folder:
            engine.run([self._case.layer, *self._case.place(folder), *as_words(options), "-o", "trace.html"],
                       folder.path)
            text = (folder.path / "trace.html").read_text(encoding="utf-8")
        if file is None:
            return text
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return None

    @property
    def text(self):
        """What `tracer LAYER` prints."""
        return text_of(self._case)

    def __repr__(self):
        lines = [f"{self._case.layer}: {len(self)} steps"]
        width = max(len(name) for name in self)
        for name, step in self._steps.items():
            lines.append(f"{name:<{width}}  {str(step.shape):<14} {step.formula}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self):
        page = self.page()
        if len(page) <= EMBEDDED_BYTES:
            return (
                f'<iframe srcdoc="{html.escape(page, quote=True)}" '
                'style="width:100%;height:640px;border:1px solid #ccc"'
                f' title="{html.escape(self._case.layer)}, step by step"></iframe>')
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{step.shape}</td><td>{html.escape(step.formula)}</td>"
                       f"<td>{html.escape(step.sentence)}</td></tr>" for name, step in self._steps.items())
        return f"<table><tr><th>step</th><th>shape</th><th>formula</th><th></th></tr>{rows}</table>"


def text_of(case, **options):
    """What `tracer LAYER` prints for a case, with these options beside its own."""
    with in_python("trace", case.layer, options), Workspace() as folder:
        return Text(engine.run([case.layer, *case.place(folder), *as_words(options)], folder.path).text)


@briefly
def trace(layer, *, weights=None, mask=None, **keywords):
    """Every step of a layer: trace("encoder-block", x=x, weights=model.state_dict(), heads=4).

    weights    a PyTorch module, a state_dict, {name: array} or Flax's parameters; none: drawn, as the tutorials do
    mask       "causal", "window:N", or an array of 0 (hidden) and 1
    keywords   inputs (x, Q, K, V, memory, source, …) as arrays, and the command's options: heads=4, convention="paper"
    """
    asked = Asked({**keywords, **({} if mask is None else {"mask": mask})})
    with in_python("trace", layer, {**keywords, "mask": mask}):
        suit(asked, layer)
        return traced(layer, weights, asked)


def traced(layer, weights, asked):
    arrays, result = described(weights, layer, asked) if weights is not None else ({}, None)
    case = Case(layer, asked.words(layer), asked.inputs, arrays, asked.mask)
    steps = steps_of_case(case, weights, asked)
    share = share_of(weights)
    if result is None or "x" not in asked.inputs or not says_other(result, steps, share):
        return steps
    whose = type(weights).__name__
    if asked.mask is None and not {"mask", "lengths"} & set(asked.options):
        hiding = steps_of_case(case.changed(words=[*case.words, "--mask=causal"]), weights, asked)
        if not says_other(result, hiding, share):
            warnings.warn(f"trace: read with mask=\"causal\": {whose} hides later keys", stacklevel=5)
            return hiding
        far = float(np.max(np.abs(result - steps.result)))
        warnings.warn(f"trace: {whose} itself gives different numbers for this x, by up to {far:.2g}: it does more than "
                      f"the layer {layer}, or another thing; glassbox.check(\"{layer}\", module) says which", stacklevel=5)
    return steps


def share_of(module):
    """How far a module's result may be off for rounding and the sources' habits, such as ε; much in half precision."""
    is_half = any(str(each.dtype).endswith("16") for each in getattr(module, "parameters", list)())
    return 5e-2 if is_half else 2e-3


def says_other(result, steps, share):
    """Whether a module's own result is another than the last step, by more than this share of it."""
    last = np.asarray(steps.result)
    if result.size != last.size or not np.all(np.isfinite(result)):
        return False
    return float(np.max(np.abs(result.reshape(last.shape) - last))) > share * max(1, float(np.max(np.abs(last))))


def steps_of_case(case, weights, asked):
    with Workspace() as folder:
        try:
            answer = engine.run([case.layer, *case.place(folder), "--format", "json"], folder.path).as_json
        except Error as problem:
            raise problem if weights is None else unfit(problem, weights, case.layer, asked.inputs) from None
    if "steps" not in answer:
        raise Error(f"trace: {case.layer} shows no steps")
    return Steps(case, answer)
