"""A training loop with a real optimiser of PyTorch: it is run on a model whose gradients are known, and watched."""
import contextlib
import inspect
import re
import sys
import warnings

import numpy as np

from .calling import Raised, right_steps
from .errors import Error
from .judging import failed, in_a_sentence, judge_result
from .probing import Case, probe_of, value_of
from .scalars import number
from .signature import NUMBERS, plain

# What a loop takes, by the names that people have.
ROLES = {"optimiser": ("optimizer", "optim", "opt", "optimiser"), "model": ("model", "net", "network", "module"),
         "batches": ("loader", "dataloader", "trainloader", "traindataloader", "batches", "data", "dataset", "iterator", "traindata", "dl",
                     "microbatches", "trainbatches", "traindl", "trainiter"),
         "loss": ("criterion", "lossfn", "loss", "lossfunction", "lossfunc", "losscriterion"),
         "scheduler": ("scheduler", "lrscheduler", "sched"),
         "accumulated": ("accumulationsteps", "accumsteps", "gradientaccumulationsteps", "gradaccumsteps", "accumulate", "accum",
                         "accumgrad", "ngradaccum", "gradaccum", "accumulation", "k", "naccum", "accumiter", "microsteps"),
         "x": ("x", "inputs", "input", "xb", "images", "features", "src"),
         "y": ("y", "target", "targets", "labels", "yb"), "batch": ("batch",), "scaler": ("scaler", "gradscaler"),
         "epochs": ("epochs", "numepochs", "nepochs", "epoch"), "steps": ("steps", "numsteps", "maxsteps"), "device": ("device",),
         "max_norm": NUMBERS["max_norm"], "rate": NUMBERS["rate"]}
FIXED = {"epochs": 1, "device": "cpu"}
MICRO, LONG = 3, 8  # micro-batches of an update; of a loop that does not say it those with long gradients, before 16 with short ones
SHORT = 0.1  # the longest of these: their sum is not clipped either
BEFORE_BACKWARD = ("optimizer.step() comes before loss.backward(): the first update has no gradient, and each later one that of the "
                   "batch before")
CLEARED = "zero_grad() comes between backward() and step(): the update has no gradient left"
EARLY_CLIP = "the gradient is clipped before loss.backward(), which makes it: nothing is clipped"
LATE_CLIP = "the gradient is shortened after optimizer.step(), where it changes nothing"
EARLY_SCHEDULE = "scheduler.step() comes before optimizer.step(): the first update has the rate of the second"
NO_STEP = "optimizer.step() is never called: nothing is learned"
NO_CHANGE = "no parameter has changed: nothing is learned"
NOT_HANDED_ON = "the update has no gradient: optimizer.step() reads p.grad, which torch.autograd.grad does not set"
NO_BACKWARD = "loss.backward() is never called: there is no gradient"
OWN_UPDATE = ("it changes the parameters in its own lines, and not as w − η·g does: what update that is is not known here. Let the loop take "
              "the optimiser, as a parameter optimizer")
EACH_SCHEDULED = "scheduler.step() is called for every micro-batch: the rate falls as many times faster as an update has of them"
OWN_LOSS = ("its loss is in its own lines, and is not the mean square: what gradient it has is not known here. Let the loop take it, as a "
            "parameter criterion")


NEITHER, NOT_DIVIDED = "accumulated/not-cleared-nor-divided", "accumulated/not-divided"


def renamed(result, names, told):
    """The result with other mistakes of the same numbers, of which another result has the words."""
    answer = result.as_json
    result.wrong["mistakes"] = [names]
    answer["sentences"] = {**answer["sentences"], **told.as_json["sentences"]}
    answer["text"] = answer["text"].replace(lines_of(result, NEITHER), lines_of(told, NOT_DIVIDED))
    return result


def lines_of(result, name):
    """The formula and the sentence of a mistake in a text."""
    lines = result.as_json["text"].splitlines()
    place = next(place for place, line in enumerate(lines) if line.strip().startswith(f"{name}:"))
    return "\n".join(lines[place:place + 2])


def role_called(name):
    return next((role for role, words in ROLES.items() if plain(name) in words), None)


def roles_of(parameters, arguments):
    """{parameter: its role}, as the caller says it or its name; a value as it is."""
    said = {name: (isinstance(each, str) and role_called(each)) or each for name, each in arguments.items()}
    return {name: said.get(name) or role_called(name) for name in parameters}


def is_loop(layer, given, arguments):
    """Whether it is a function that takes an optimiser, or a model and what it learns from."""
    if layer != "training-step" or not inspect.isroutine(given):
        return False
    with contextlib.suppress(TypeError, ValueError):
        found = roles_of(inspect.signature(given).parameters, arguments)
        roles = {each for each in found.values() if isinstance(each, str)}
        return "optimiser" in roles or ("model" in roles and bool({"batches", "batch", "x"} & roles))
    return False


def check_loop(given, asked, how):
    """The result."""
    torch = sys.modules.get("torch")
    if torch is None:
        raise Error("check: a loop that takes an optimiser is run with one of PyTorch, which is not loaded here")
    case = probe_of("training-step", ())
    told = {name: number(asked.options.get(name, value_of(case.words, f"--{name.replace('_', '-')}"))) for name in ("rate", "max_norm")}
    loop = Loop(torch, given, case, told, how.arguments or {})
    try:
        loop.run()
        words = loop.said()
        return loop.with_what_else(in_a_sentence(case, words), how) if words else loop.judged(how)
    except Raised as problem:
        return failed(case, str(problem))


class Loop:
    """One run of a loop."""
    def __init__(self, torch, function, case, told, arguments):
        self.torch, self.function, self.told, self.arguments = torch, function, told, arguments
        self.parameters = dict(inspect.signature(function).parameters)
        self.roles = roles_of(self.parameters, arguments)
        gradients = case.inputs["gradients"].reshape(-1, case.inputs["gradients"].shape[-1])
        self.has_count = "accumulated" in self.roles.values()
        count = MICRO if self.has_count else LONG
        long = np.tile([*gradients, *(gradients[::-1, ::-1] * -1.5)], (count, 1))[:2 * count]  # of these the update is clipped
        short = SHORT * long[:, ::-1] / np.linalg.norm(long, axis=1).max()
        self.rows = [*long, *short[:MICRO]] if self.has_count else [*long[:LONG], *short]
        self.before = case.inputs["before"]
        self.events, self.updates = [], []  # what happened, in turn; (w before, .grad, w after, rate) of each update
        self.backwards = []  # the gradient that each backward() added
        self.gradients = []  # that of each pass, however it was asked for
        self.by_itself = False  # whether it has made an update without the optimiser
        self.watched, self.last = None, None  # the model's parameter, and its numbers when a batch began

    def model(self):
        torch, own = self.torch, self

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.nn.Parameter(torch.from_numpy(np.array(own.before, np.float32)))

            def forward(self, *given, **named):
                x = next(each for each in (*given, *named.values())
                         if isinstance(each, torch.Tensor) and each.shape[-1:] == self.weight.shape)
                result = (x * own.asked_for(self.weight)).sum(-1)
                asks_loss = any(plain(name) in ("labels", "targets", "y") for name in named) or len(given) > 1
                return result.mean() if asks_loss else result
        return Model()

    def optimiser(self, model):
        own = self

        class Watched(self.torch.optim.SGD):
            def step(self, closure=None):
                value = closure() if closure is not None else None
                parameter = self.param_groups[0]["params"][0]
                gradient = None if parameter.grad is None else parameter.grad.detach().numpy().copy()
                before = parameter.detach().numpy().copy()
                super().step()
                own.events.append("step")
                own.updates.append((before, gradient, parameter.detach().numpy().copy(), self.param_groups[0]["lr"]))
                own.last = own.updates[-1][2]
                return value

            def zero_grad(self, set_to_none=True):
                gradient = self.param_groups[0]["params"][0].grad
                own.events.append("zero" if gradient is not None and bool((gradient != 0).any()) else "zero nothing")
                own.note_change(gradient)
                super().zero_grad(set_to_none)
        return Watched(model.parameters(), lr=self.told["rate"])

    def note_change(self, gradient):
        """A gradient that is another one than in the step before it, by a factor, was shortened too late."""
        last = self.updates[-1][1] if self.updates else None
        since = self.events[:-1][::-1]
        is_fresh = "step" in since and not {"backward", "gradient"} & set(since[:since.index("step")])
        if is_fresh and last is not None and gradient is not None:
            now = gradient.detach().numpy()
            share = np.linalg.norm(now) / (np.linalg.norm(last) or 1)
            if 0 < share < 0.99 and np.allclose(now, last * share, rtol=1e-3, atol=1e-6):
                self.events.append("late clip")

    def scheduler(self, optimiser):
        own = self

        class Watched(self.torch.optim.lr_scheduler.LambdaLR):
            def step(self, *arguments):
                own.events.append("schedule")
                super().step(*arguments)
        before = list(self.events)
        made = Watched(optimiser, lambda n: 1 / (1 + n))
        self.events = before  # it makes a first step when it is made
        return made

    def batches(self, model):
        """(x, y) of each micro-batch; the loss of a square has x as its gradient with this y."""
        torch, own = self.torch, self

        class Batches:
            def __len__(self):
                return len(own.rows)

            def __iter__(self):
                for row in own.rows:
                    own.note_update()
                    x = torch.from_numpy(np.array(row, np.float32))[None]
                    own.events.append("batch")
                    yield x, (x * model.weight.detach()).sum(-1) - 0.5
        return Batches()

    def noted(self, gradient):
        self.events.append("backward")
        self.backwards.append(gradient.detach().numpy().copy())

    def asked_for(self, weight):
        """The parameter, whose gradient is noted however it is asked for: by torch.autograd.grad as well."""
        used = weight * 1
        with contextlib.suppress(RuntimeError, NotImplementedError):  # it needs none, or a transform has no hooks
            used.register_hook(self.noted_pass)
        return used

    def noted_pass(self, gradient):
        self.events.append("gradient")
        with contextlib.suppress(RuntimeError, NotImplementedError):
            self.gradients.append(gradient.detach().numpy().copy())

    def watch(self, model):
        """The model's parameter from now on."""
        model.weight.register_hook(self.noted)
        self.watched, self.last = model.weight, model.weight.detach().numpy().copy()

    def note_update(self):
        """A change since the last batch that no optimiser made is an update, too."""
        now = self.watched.detach().numpy().copy()
        if not np.array_equal(now, self.last):
            self.events.append("step")
            self.updates.append((self.last, (self.last - now) / self.told["rate"], now, self.told["rate"]))
            self.by_itself = True
        self.last = now

    def run(self):
        model = self.model()
        optimiser = self.optimiser(model)
        self.watch(model)
        batches = self.batches(model)
        made = {"model": model, "optimiser": optimiser, "batches": batches, "loss": lambda output, *_: output.mean(), "accumulated": MICRO,
                "steps": len(self.rows), "scaler": self.scaler(), **self.told, **FIXED}
        if "batches" in self.roles.values():
            self.call(made, optimiser)
            if self.groups() == [len(self.rows)]:  # they all are one update: several, each of few
                self.updates, self.events, self.backwards, self.gradients = [], [], [], []
                self.run_in_parts()
            return
        for x, y in batches:  # a function that makes one step
            self.call({**made, "x": x, "y": y, "batch": (x, y)}, optimiser)

    def run_in_parts(self):
        """Of a function that makes one update of all that it is given: another model, and as many calls as it needs."""
        rows = self.rows
        model = self.model()
        optimiser = self.optimiser(model)
        self.watch(model)
        made = {"model": model, "optimiser": optimiser, "loss": lambda output, *_: output.mean(), "scaler": self.scaler(), **self.told, **FIXED}
        for first in range(0, len(rows), MICRO):
            self.rows = rows[first:first + MICRO]
            self.call({**made, "batches": self.batches(model), "accumulated": MICRO, "steps": len(self.rows)}, optimiser)
        self.rows = rows

    def scaler(self):
        with warnings.catch_warnings():  # of its new name, which older versions do not know
            warnings.simplefilter("ignore")
            return self.torch.cuda.amp.GradScaler(enabled=False)

    def call(self, made, optimiser):
        words = {}
        for name, each in self.parameters.items():
            role = self.roles[name]
            if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
                continue
            if role == "scheduler":
                words[name] = self.scheduler(optimiser)
            elif isinstance(role, str) and role in made:
                words[name] = made[role]
            elif name in self.arguments:
                words[name] = self.arguments[name]
            elif each.default is each.empty:
                raise Error(f"arguments: what does the parameter {name!r} take? Say arguments={{{name!r}: …}}; there are "
                            f"{', '.join(ROLES)}, or a value")
        with self.torch.enable_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a schedule that steps too early, which is said below
            try:
                self.function(**words)
            except (Exception, SystemExit) as problem:  # whatever a student's function raises
                raise Raised.inside(self.function, problem) from None
        self.note_update()

    def said(self):
        """What is wrong with the order of things; "" if nothing is."""
        passes = {} if "backward" in self.events else {"gradient": "backward"}
        events = [passes.get(each, each) for each in self.events if each != "batch"]
        kinds = [each for each in events if each in ("backward", "step", "zero")]
        if "backward" not in events:
            return NO_BACKWARD
        if "step" not in events:
            return NO_STEP if "optimiser" in self.roles.values() else NO_CHANGE
        if kinds.index("step") < kinds.index("backward"):
            return BEFORE_BACKWARD
        if self.updates[0][1] is None or not np.any(self.updates[0][1]):
            return CLEARED if "zero" in kinds else NOT_HANDED_ON
        if "schedule" in events and events.index("schedule") < events.index("step"):
            return EARLY_SCHEDULE
        if "late clip" in events:
            return LATE_CLIP
        groups = self.groups()
        if self.has_count and groups[:2] == [1, 1]:
            return "optimizer.step() is called for every micro-batch, not for accumulation_steps of them"
        if len(groups) > 1 and groups[0] != groups[1]:
            return (f"the first update comes after {groups[0]} micro-batch{'es' * (groups[0] > 1)}, and the next after {groups[1]}: is "
                    "it made where (i + 1) % accumulation_steps is 0?")
        return ""

    def clips_early(self):
        """Whether its lines clip before they call backward()."""
        with contextlib.suppress(OSError, TypeError):
            return re.search(r"clip_grad.*\.backward\(", inspect.getsource(self.function), re.S) is not None
        return False

    def groups(self):
        """Of how many micro-batches each update is."""
        found, count = [], 0
        for event in self.events:
            count += event == "batch"
            if event == "step":
                found.append(count)
                count = 0
        return found

    def refuse_own_losses(self, k):
        """A loss in the loop's own lines is known where each gradient is that of the batch, or its share."""
        gradients = self.backwards or self.gradients
        shares = [float(gradient @ row / (row @ row)) for gradient, row in zip(gradients, self.rows)]
        is_known = all(np.allclose(gradient, share * row, rtol=1e-3, atol=1e-5)
                       for gradient, row, share in zip(gradients, self.rows, shares))
        if not is_known or not any(np.allclose(shares, each, rtol=1e-3) for each in (1, 1 / k, -1, -1 / k)):
            raise Error(f"check: {OWN_LOSS}")

    def judged(self, how):
        """An update of long gradients, which are clipped, and one of short ones, after the first: its gradient must be gone."""
        k = self.groups()[-1]
        if "loss" not in self.roles.values():
            self.refuse_own_losses(k)
        long, last = 2 * MICRO if self.has_count else LONG, len(self.updates) - 1
        places = list(dict.fromkeys([min(1, last), min(-(-long // k), last)]))
        results = [self.judged_update(place, k, how) for place in places]
        wrong = [each for each in results if not each]
        if self.by_itself and any(not each.is_named for each in wrong):
            raise Error(f"check: {OWN_UPDATE}")
        result = min(wrong, key=lambda each: (not each.is_named, len(each.explanations), each.size())) if wrong else results[0]
        if wrong:
            place = places[next(number for number, each in enumerate(results) if each is result)]
            result = self.simpler(result, results, self.updates[place][2])
            if "clipped/left-out" in result.mistakes and self.clips_early():
                return in_a_sentence(result.case, EARLY_CLIP)
        between = self.events[:len(self.events) - self.events[::-1].index("step")]
        if k > 1 and between.count("schedule") > len(self.updates):
            result.remarks.append(EACH_SCHEDULED)
        each = f"{k} micro-batch{'es' * (k > 1)}"
        result.remarks.append(f"{len(self.updates)} updates of {each} were made, and {len(results)} of them compared")
        return result

    def with_what_else(self, result, how):
        """What is said of a clip that changes nothing, and what is wrong beside it."""
        if result.sentence != LATE_CLIP:
            return result
        self.told = {**self.told, "max_norm": 1e9}
        with contextlib.suppress(Error):
            beside = self.judged(how)
            if not beside and beside.is_named and not beside.said:
                beside.remarks.insert(0, f"two slips: {LATE_CLIP}; and, with nothing clipped:")
                return beside
        return result

    def case_of(self, place, k, limit):
        """What the layer is given for an update."""
        before, _, _, rate = self.updates[place]
        left = self.updates[place - 1][1] if place else np.zeros_like(before)
        rows = np.stack(self.rows[place * k:(place + 1) * k])
        words = [f"--rate={rate:.9g}", f"--max-norm={limit:.9g}"]
        return Case("training-step", words, {"before": before, "gradients": rows.astype(np.float32), "left": left}, {})

    def simpler(self, result, others, after):
        """The same, where the gradients that are left need no part in it: numbers that are cut do not tell whether they are added."""
        names = result.explanations[0] if len(result.explanations) == 1 else []
        told = next((each for each in others if NOT_DIVIDED in each.mistakes), None)
        if NEITHER not in names or told is None:
            return result
        own = [NOT_DIVIDED if name == NEITHER else name for name in names]
        case = result.case.changed(words=[*result.case.words, f"--mistake={','.join(own)}"])
        is_same = np.allclose(right_steps(case)["update/w"], after, rtol=1e-5, atol=1e-6)
        return renamed(result, own, told) if is_same else result

    def judged_update(self, place, k, how):
        after = self.updates[place][2]
        limits = [self.told["max_norm"]] if "max_norm" in self.roles.values() else [1e9, *self.own_limits()]
        results = []
        for limit in limits:
            case = self.case_of(place, k, limit)
            results.append(judge_result(case, {"update/w": after}, None, how.hide_expected, [], "--effort=0" if self.by_itself else how.search))
            if results[-1]:
                break
        return min(results, key=lambda each: (not each, not each.is_named, each.size()))

    def own_limits(self):
        """The norms that it has in its own lines: clip_grad_norm_(…, 1.0)."""
        with contextlib.suppress(OSError, TypeError):
            return [float(each) for each in re.findall(r"clip_grad_norm_?\([^\n]*?,\s*(?:max_norm\s*=\s*)?([\d.]+)\s*\)",
                                                       inspect.getsource(self.function))]
        return []
