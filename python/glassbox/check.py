"""glassbox.check: a user's function or numbers for a layer, judged by `tracer check`."""
import numbers
import os

from . import dropping, labels, loops, made_objects, objects, schedulers, tokenizers
from .arrays import is_array, to_numpy
from .errors import Error, WrongNumbers, briefly
from .judging import BRIEFLY, Typed, judge
from .layer_names import OF_LABELS, ONE_STEP, of_loss, of_one_step, taken_for, with_own_keywords
from .modules import described, has_heads, unfit
from .of_function import MEANINGS, How, OfFunction
from .optimisers import check_optimiser, is_optimiser
from .options import Asked
from .own_inputs import suit
from .own_lines import as_written
from .probing import Case, probe_of
from .recording import Recorder
from .stepping import METHODS
from .steps_of import parts_of
from .wording import in_python


@briefly
def check(layer, given, /, *, arguments=None, returns=None, weights=None, framework=None, dtype=None, device=None,
          mask=None, batch=None, as_=None, steps=False, backward=False, effort=None, seconds=None, hide_expected=False,
          raise_on_wrong=False, quiet=False, batch_first=None, **keywords):
    """Checks a function, or numbers, for a layer, prints what `tracer check` prints, and gives back a Result.

    given      a function, which is called on an input that tells mistakes apart; an array, the layer's result; or
               a dict of arrays by the names of steps; an object, or its class; of adam also an optimiser
    arguments  {"queries": "Q"}: which parameter of the function takes which array, where its name does not say it;
               anything that is no name is passed as it is
    returns    the steps that the function gives back: "attention" or ("values", "attention")
    mask       what the function's mask means: "keep" (1 is seen), "hide" (1 is hidden) or "add" (0 and −∞); or the mask
               of the layer: "causal", "none", an array of 0 and 1
    batch      False: the function takes one sequence, without an axis for the batch; a number: of so many sequences
    batch_first  False: it takes and gives (position, batch, width); True: (batch, position, width), and nothing else
    steps      True: of a PyTorch module its own intermediates, too, as glassbox.record collects them
    backward   True: of a right function of PyTorch or JAX also the gradients of the sum of the result's squares
    effort     how many passes of the layer are spent on pairs of mistakes, if no single one fits; by default
               as many as take about 0.2 s
    seconds    the former effort: as many passes as take about this long
    weights    the layer's parameters, by PyTorch's names or as Flax has them
    keywords   inputs (x, Q, K, V, memory, …) as arrays, and the command's options: heads=4, convention="paper"
    """
    layer, options, said = taken_for(layer, lambda: has_heads(given))
    typed, keywords = keywords, {**options, **with_own_keywords(keywords)}
    if layer == "decode" and callable(given) and of_one_step(given, keywords):
        layer, said = "next-token", [ONE_STEP]
    if layer == "next-token" and callable(given) and of_loss(given):
        layer, said = "loss", [OF_LABELS]
    others = []  # of a class, what else may be made of it
    if isinstance(given, type) and not made_objects.takes_classes(layer, given):
        given, *others = made_objects.tokenizers_of(given, keywords) if layer == "bpe" else [made_objects.made(given, layer, keywords)]
    given = schedulers.in_its_place(given, keywords) if layer == "schedule" else objects.in_its_place(layer, given, keywords)
    of_optimiser = is_optimiser(layer, given)
    if isinstance(given, type) and not of_optimiser:
        raise Error(f"check: expected an object, {given.__name__}(…), got the class {given.__name__}")
    meaning = mask if isinstance(mask, str) and mask in MEANINGS else None
    if effort is not None and not (isinstance(effort, numbers.Integral) and effort >= 0):
        raise Error(f"check: effort is a whole number of passes, 0 or more, got {effort!r}")
    if seconds is not None and not (isinstance(seconds, numbers.Real) and seconds >= 0):
        raise Error(f"check: seconds is a number, 0 or more, got {seconds!r}")
    if effort is not None and seconds is not None:
        raise Error("check: seconds is the former effort: use only one of the two")
    search = BRIEFLY if effort is None and seconds is None else f"--seconds={seconds}" if effort is None else \
        f"--effort={effort}"
    if isinstance(batch, numbers.Integral) and not isinstance(batch, bool):
        keywords["batch"], batch = batch, None  # the command's own option
    elif batch not in (None, True, False):
        raise Error(f"check: batch is False for a function of one sequence, or how many there are, got {batch!r}")
    ignored = labels.ignored_in(keywords) if layer in labels.LAYERS and callable(given) else None
    asked = Asked({**keywords, **({} if mask is None or meaning else {"mask": mask})})
    asked.ignored = ignored
    with in_python("check", layer, {**typed, **keywords, "mask": mask}):
        suit(asked, layer, callable(given) and not is_array(given))
        if of_optimiser:
            how = How(arguments=arguments, returns=returns, framework=framework, dtype=dtype, device=device, batch=batch, as_=as_,
                      steps=steps, backward=backward, search=search, hide_expected=hide_expected, batch_first=batch_first)
            result = check_optimiser(given, asked, how, meaning, weights)
        elif layer == "bpe" and tokenizers.is_tokenizer(given):
            how = How(arguments=arguments, search=search, hide_expected=hide_expected)
            result = tokenizers.judged([given, *others], asked, how)
        elif loops.is_loop(layer, given, arguments or {}):
            result = loops.check_loop(given, asked, How(arguments=arguments, search=search, hide_expected=hide_expected))
        elif callable(given) and not is_array(given):
            given = dropping.prepared(given, asked.options) if layer == "dropout" else given
            how = How(arguments, returns, framework, dtype, device, batch, as_, steps, backward, search, hide_expected, batch_first)

            def checked(asked):
                return OfFunction(layer, given, asked, meaning, weights, how).result()

            result = given.judged(checked, asked) if isinstance(given, (schedulers.OfSteps, objects.OfBeams)) else checked(asked)
            result = as_written(result, given)
            result.remarks += getattr(given, "remarks", [])
        else:
            of_functions = {"arguments": arguments, "framework": framework, "dtype": dtype, "device": device,
                            "batch": batch, "batch_first": batch_first, "steps": steps or None, "backward": backward or None, "mask": meaning}
            refuse_without_function(of_functions)
            refuse_objects(layer, given)
            case = case_of(layer, asked, weights)
            remarks = given.remarks if isinstance(given, Recorder) else []
            submitted = as_submitted(given, returns, as_)
            try:
                result = judge(case, submitted, as_, hide_expected, remarks, search)
            except Error as problem:
                raise problem if weights is None else unfit(problem, weights, layer, asked.inputs) from None
            if isinstance(submitted, dict) and not asked.inputs:
                refuse_other_inputs(layer, result)
    result.remarks[:0] = said
    if not quiet:
        result.say()
    if raise_on_wrong and not result:
        raise WrongNumbers(result)
    return result


def case_of(layer, asked, weights):
    """The caller's own inputs and weights; what is not there the command draws."""
    arrays = {}
    if weights is not None:
        arrays, _ = described(weights, layer, asked)
    return Case(layer, asked.words(layer), asked.inputs, arrays, asked.mask)


def refuse_other_inputs(layer, result):
    """Steps of which none has the shape of the drawn ones were computed from an input that is not here."""
    submitted = [step for step in result.steps if step["verdict"] != "not submitted"]
    if len(submitted) < 2 or not all(step["difference"].startswith("its shape is") for step in submitted):
        return
    names = [f"{name}=…" for name in probe_of(layer, ()).inputs]
    raise Error(f"check: these numbers were computed from another input than the one that is drawn; give it, "
                f"{', '.join(names)} ({submitted[-1]['name']}: {submitted[-1]['difference']})")


def refuse_without_function(settings):
    for name, value in settings.items():
        if value is not None:
            raise Error(f"check: {name}={value!r}: requires a function, and numbers were given")


def refuse_objects(layer, given):
    """What is neither a function nor numbers: said by the methods that were looked for, not by the array it does not make."""
    is_known = is_array(given) or isinstance(given, (str, os.PathLike, list, tuple, numbers.Number, Recorder))
    if is_known or parts_of(given) is not None or hasattr(given, "__array__") or hasattr(given, "__dlpack__"):
        return
    name = type(given).__name__
    looked = f"none of the methods that an optimiser has ({', '.join(METHODS)}), and no __call__" if layer == "adam" else \
        "no __call__ and no forward"
    methods = [each for each in dir(given) if not each.startswith("_") and callable(getattr(given, each, None))]
    shown = f"pass the method that computes it: check(\"{layer}\", object.{methods[0] if len(methods) == 1 else 'METHOD'})" if methods else \
        "pass a function, or the numbers as an array"
    raise Error(f"check: expected a function or numbers, got {name}, which has {looked}; {shown}")


def as_submitted(given, returns, as_):
    if isinstance(given, (str, os.PathLike)):
        if returns is not None:
            raise Error("check: returns: requires a function or an array; as_ says the step of a file's only array")
        return os.path.abspath(given)
    parts = None if is_array(given) else parts_of(given)
    if parts is not None or isinstance(returns, str):
        if as_ is not None:
            raise Error("check: as_: requires one array without a name")
        if returns is not None and parts is not None:
            raise Error("check: returns: requires a function or an array; these have names")
    if isinstance(returns, str):
        return {returns: to_numpy(given, returns)}
    if returns is not None:
        raise Error(f"check: returns={returns!r}: expected the name of one step for an array")
    if parts is not None:
        return {name: to_numpy(each, name) for name, each in parts.items()}
    if isinstance(given, (list, tuple)) and not any(is_array(each) for each in given):
        return Typed(given)
    return {"": to_numpy(given, "the numbers")}
