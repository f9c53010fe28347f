"""Functions that change parameters: a clipping writes into their gradients, an optimiser into them."""
import numpy as np

from .calls import Job, numbers, option_word, those_given

UPDATES = 3  # of an optimiser that are looked at: a wrong count or average shows in the second


def with_gradient(parameters):
    return [each for each in parameters if getattr(each, "grad", None) is not None]


def gradients_of(parameters, padded=False):
    """One row a parameter where all have one size, so that a mistake parameter by parameter can be told. Where they have
    not: all in one row, or padded with zeros, which add nothing to a length."""
    rows = [numbers(each.grad, "gradient").reshape(-1) for each in with_gradient(parameters)]
    if not rows:
        return np.zeros((0, 0), np.float32)
    if padded or len({row.size for row in rows}) == 1:
        longest = max(row.size for row in rows)
        return np.stack([np.pad(row, (0, longest - row.size)) for row in rows])
    return np.concatenate(rows)[None, :]


def listed(call):
    """The parameters: a generator would be used up."""
    name = call.mapped.parameters
    call.replace(name, list(call.scope[name]))
    return call.scope[name]


def clip_job(mapped, scope, parameters, padded=False):
    gradient = gradients_of(parameters, padded)
    options = those_given(mapped.options, lambda entry: option_word(entry, scope))
    return Job(mapped, options, {"gradient": gradient})


def write_gradients(parameters, rows):
    import torch

    flat, begin = rows.reshape(-1), 0
    for each in with_gradient(parameters):
        size = each.grad.numel()
        part = torch.from_numpy(flat[begin:begin + size].copy()).reshape(each.grad.shape)
        each.grad.copy_(part.to(each.grad.dtype))
        begin += size


def update_job(mapped, scope, before, gradient, m, v, update):
    options = those_given(mapped.options, lambda entry: option_word(entry, scope))
    inputs = {"before": before, "gradient": gradient}
    if m is not None:
        inputs.update(m_before=m, v_before=v)
    return Job(mapped, {**options, "update": update}, inputs)


class Updates:
    """Those of one parameter, as an optimiser made them. The averages between them are the command's: the optimiser keeps
    its own under names that are not known."""

    def __init__(self, mapped):
        self.mapped, self.seen = mapped, []

    def add(self, scope, before, gradient, after):
        self.seen.append((scope, before, gradient, after))

    def jobs(self, asked, mistake=None):
        """The averages are those of a pass with a mistake, where one is named."""
        m = v = None
        for number, (scope, before, gradient, after) in enumerate(self.seen, 1):
            job = update_job(self.mapped, scope, before, gradient, m, v, number)
            job.results = {next(iter(self.mapped.results)): after}
            yield job
            arrays = asked.compute(job, mistake, ("m", "v", "w"))
            if arrays is None:
                return
            m, v = arrays["m"], arrays["v"]

    def all_come_from(self, asked, mistake):
        """Whether it gives the numbers of every update, made in every update."""
        (step, *_), count = self.mapped.results, 0
        for job in self.jobs(asked, mistake):
            arrays = asked.compute(job, mistake, ("m", "v", "w"))
            if arrays is None or not np.allclose(arrays[step], job.results[step], rtol=1e-5, atol=1e-6):
                return False
            count += 1
        return count == len(self.seen)

    def size(self):
        return sum(3 * before.nbytes for _, before, _, _ in self.seen)


def parameters_of(optimiser):
    for group in optimiser.param_groups:
        for parameter in with_gradient(group["params"]):
            yield group, parameter


def watched(mapped, cls, keep):
    """The class, whose first updates are kept: keep(updates) takes those of one parameter once."""
    def step(self, *args, **kwargs):
        kept = self.__dict__.setdefault("_glassbox_updates", {})
        looked_at = [(dict(group), parameter, numbers(parameter), numbers(parameter.grad))
                     for group, parameter in parameters_of(self)
                     if id(parameter) not in kept or len(kept[id(parameter)].seen) < UPDATES]
        result = cls.step(self, *args, **kwargs)
        for group, parameter, before, gradient in looked_at:
            if id(parameter) not in kept:
                kept[id(parameter)] = Updates(mapped)
                keep(kept[id(parameter)])
            group.pop("params")
            kept[id(parameter)].add({"group": group}, before, gradient, numbers(parameter))
        return result

    return type(cls.__name__, (cls,), {"step": step, "__module__": cls.__module__, "__doc__": cls.__doc__})


def served(mapped, compute):
    """An optimiser whose updates are the command's: compute(job, steps) gives arrays by step."""
    import torch

    class Served(torch.optim.Optimizer):
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
            super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

        def step(self, closure=None):
            loss = closure() if closure else None
            for group, parameter in parameters_of(self):
                state = self.state[parameter]
                state["t"] = state.get("t", 0) + 1
                job = update_job(mapped, {"group": group}, numbers(parameter), numbers(parameter.grad), state.get("m"),
                                 state.get("v"), state["t"])
                arrays = compute(job, ("m", "v", "w"))
                state["m"], state["v"] = arrays["m"], arrays["v"]
                with torch.no_grad():
                    parameter.copy_(torch.from_numpy(arrays["w"]))
            return loss

    return Served
