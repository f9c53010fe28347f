"""Schedules as people have them: objects that count updates, and what makes them, with PyTorch and without."""
import math

import numpy as np
import pytest

import glassbox


def noam(step, size, warmup, least=min):
    return size**-0.5 * least(step**-0.5, step * warmup**-1.5)


class Optimiser:
    def __init__(self):
        self.param_groups = [{"lr": 0.5, "params": []}]

    def step(self):
        raise AssertionError("the caller's own optimiser makes no update in a check")

    def zero_grad(self):
        pass


class ScheduledOptim:
    """As in "attention-is-all-you-need-pytorch"."""
    power = -1.5

    def __init__(self, optimizer, lr_mul, d_model, n_warmup_steps):
        self._optimizer, self.lr_mul, self.d_model, self.n_warmup_steps, self.n_steps = optimizer, lr_mul, d_model, n_warmup_steps, 0

    def step_and_update_lr(self):
        self.n_steps += 1
        for group in self._optimizer.param_groups:
            group["lr"] = self.lr_mul * self._get_lr_scale()
        self._optimizer.step()

    def _get_lr_scale(self):
        return self.d_model**-0.5 * min(self.n_steps**-0.5, self.n_steps * self.n_warmup_steps**self.power)


class WithoutPower(ScheduledOptim):
    power = -0.5


class NoamOpt:
    """As in "The Annotated Transformer"."""
    least = min

    def __init__(self, model_size, factor, warmup, optimizer):
        self.optimizer, self._step, self.warmup, self.factor, self.model_size = optimizer, 0, warmup, factor, model_size

    def step(self):
        self._step += 1
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.step()

    def rate(self, step=None):
        return self.factor * noam(self._step if step is None else step, self.model_size, self.warmup, type(self).least)


class Largest(NoamOpt):
    least = max


class Asked:
    def __init__(self, d_model, warmup_steps=4000):
        self.d_model, self.warmup_steps = d_model, warmup_steps

    def __call__(self, step):
        return noam(step + 1, self.d_model, self.warmup_steps)


class Counting:
    ahead = 0

    def __init__(self, max_lr, warmup, total_steps):
        self.max_lr, self.warmup, self.total_steps, self.t = max_lr, warmup, total_steps, 0

    def step(self):
        self.t += 1

    def get_lr(self):
        share = (self.t + self.ahead - self.warmup) / (self.total_steps - self.warmup)
        return self.max_lr * (self.t / self.warmup if self.t < self.warmup else 0.5 * (1 + math.cos(math.pi * share)))


class OneAhead(Counting):
    ahead = 1


def set_rate(optimizer, step, d_model, warmup):
    for group in optimizer.param_groups:
        group["lr"] = noam(step, d_model, warmup)


PAPER = {"schedule": "inverse-sqrt"}


@pytest.mark.parametrize("given, words", [
    (ScheduledOptim, {}), (ScheduledOptim(Optimiser(), 2, 64, 20), {}), (NoamOpt, {}), (NoamOpt(64, 1, 20, Optimiser()), {}),
    (Asked, PAPER), (Asked(64, 20), PAPER), (set_rate, PAPER),
    (lambda step: noam(step, 64, 20), {**PAPER, "rate": 1, "dmodel": 64, "warmup": 20}), (Counting, {"schedule": "cosine"}),
    (Counting(0.1, 10, 100), {"schedule": "cosine"})])
def test_what_is_right_passes(given, words):
    result = glassbox.check("schedule", given, quiet=True, **words)
    assert result, result.text


@pytest.mark.parametrize("given, words, named", [
    (WithoutPower, {}, "rising/"), (WithoutPower(Optimiser(), 2, 64, 20), {}, "rising/"), (Largest, {}, "rising/largest"),
    (Largest(64, 1, 20, Optimiser()), {}, "rising/largest"), (OneAhead, {"schedule": "cosine"}, "cosine/one-ahead"),
    (OneAhead(0.1, 10, 100), {"schedule": "cosine"}, "cosine/one-ahead")])
def test_of_what_is_wrong_the_mistake_is_named(given, words, named):
    result = glassbox.check("schedule", given, quiet=True, **words)
    assert not result and named in result.text, result.text


def test_an_object_stays_as_it_was():
    given = NoamOpt(64, 1, 20, Optimiser())
    assert glassbox.check("schedule", given, quiet=True) and given._step == 0 and given.optimizer.param_groups[0]["lr"] == 0.5


def test_what_an_object_does_not_tell_is_asked():
    class Nameless:
        def step(self):
            pass

        def get_lr(self):
            return 0.1

    with pytest.raises(glassbox.Error, match="which schedule is this Nameless"):
        glassbox.check("schedule", Nameless(), quiet=True)
    with pytest.raises(glassbox.Error, match="Nameless does not tell its numbers: say rate=…, warmup=…, updates=…"):
        glassbox.check("schedule", Nameless(), schedule="cosine", quiet=True)


def test_a_rate_by_epochs_is_told():
    def rate(step, max_lr, warmup, total_steps):
        epoch = step // 10 * 10
        return max_lr * min(1, epoch / warmup) * (1 if epoch < warmup else 1 - (epoch - warmup) / (total_steps - warmup))

    result = glassbox.check("schedule", rate, schedule="linear", warmup=50, updates=500, quiet=True)
    assert not result and "its rate changes every 10 updates alone: is it counted in epochs?" in result.text


def test_how_a_step_is_read_is_said_of_what_is_wrong_too():
    result = glassbox.check("schedule", lambda step, d_model, warmup: noam(step, d_model, warmup, max), quiet=True, **PAPER)
    assert not result and "its step is read as t = n + 1" in result.text


# ---- of PyTorch ------------------------------------------------------------------------------------------------------------


def optimiser(torch, rate=0.1):
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(2))], lr=rate)


def with_warmup(decline):
    def get_schedule(optimizer, num_warmup_steps, num_training_steps, last_epoch=-1):
        from torch.optim.lr_scheduler import LambdaLR

        def lr_lambda(step):
            if step < num_warmup_steps:
                return step / num_warmup_steps
            return decline((step - num_warmup_steps) / (num_training_steps - num_warmup_steps))
        return LambdaLR(optimizer, lr_lambda, last_epoch)
    return get_schedule


def test_pytorchs_own_are_right():
    torch = pytest.importorskip("torch")
    kinds, linear = torch.optim.lr_scheduler, with_warmup(lambda share: max(0, 1 - share))
    halves = optimiser(torch)
    both = kinds.SequentialLR(halves, [kinds.LinearLR(halves, 1e-9, 1, 10), kinds.CosineAnnealingLR(halves, 90)], [10])
    for given, words in [(linear, {"schedule": "linear"}), (linear(optimiser(torch), 10, 100), {"schedule": "linear"}),
                         (kinds.CosineAnnealingLR(optimiser(torch), 50, eta_min=0.01), {}),
                         (kinds.OneCycleLR(optimiser(torch), max_lr=0.5, total_steps=60, pct_start=0.25), {}),
                         (both, {"schedule": "cosine", "warmup": 10, "updates": 100}),
                         (kinds.LambdaLR(optimiser(torch), lambda n: 1.0), {"schedule": "constant"})]:
        result = glassbox.check("schedule", given, quiet=True, **words)
        assert result, f"{type(given).__name__}: {result}"


def test_wrong_ones_of_pytorch_are_named():
    torch = pytest.importorskip("torch")
    twice = with_warmup(lambda share: 1 + math.cos(math.pi * share))
    for given in (twice, twice(optimiser(torch), 10, 100)):
        assert "cosine/no-half" in glassbox.check("schedule", given, schedule="cosine", quiet=True).text
    with pytest.raises(glassbox.Error, match="ReduceLROnPlateau follows a measured loss"):
        glassbox.check("schedule", torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser(torch)))
    with pytest.raises(glassbox.Error, match="StepLR is another schedule"):
        glassbox.check("schedule", torch.optim.lr_scheduler.StepLR(optimiser(torch), 10))


def test_the_tutorials_own_scheduler_is_read_as_the_one_it_prints():
    torch = pytest.importorskip("torch")

    class CosineWarmupScheduler(torch.optim.lr_scheduler._LRScheduler):
        def __init__(self, optimizer, warmup, max_iters):
            self.warmup, self.max_num_iters = warmup, max_iters
            super().__init__(optimizer)

        def get_lr(self):
            factor = 0.5 * (1 + np.cos(np.pi * self.last_epoch / self.max_num_iters)) * min(1, self.last_epoch / self.warmup)
            return [base * factor for base in self.base_lrs]

    for given in (CosineWarmupScheduler, CosineWarmupScheduler(optimiser(torch), 10, 100)):
        result = glassbox.check("schedule", given, quiet=True)
        assert result and "cosine-printed" in result.text
    assert not glassbox.check("schedule", CosineWarmupScheduler, schedule="cosine", quiet=True)


class OfFactor(ScheduledOptim):
    """Its init_lr is the factor d_model^−½, and no rate at the start."""
    def __init__(self, optimizer, d_model, n_warmup_steps):
        super().__init__(optimizer, 1, d_model, n_warmup_steps)
        self.init_lr = d_model**-0.5
        del self.d_model

    def _get_lr_scale(self):
        return self.init_lr * min(self.n_steps**-0.5, self.n_steps * self.n_warmup_steps**self.power)


def test_a_schedule_without_a_rate_at_the_start_is_told_none():
    given = OfFactor(Optimiser(), 512, 4000)
    assert glassbox.check("schedule", given, schedule="inverse-sqrt", rate=1, warmup=4000, dmodel=512, quiet=True)


@pytest.mark.parametrize("t, is_right", [(lambda n: n + 1, True), (lambda n: max(n, 1), False), (lambda n: max(n, 1e-9), True)])
def test_what_counts_by_itself_begins_with_no_update(t, is_right):
    torch = pytest.importorskip("torch")

    class NoamLR(torch.optim.lr_scheduler._LRScheduler):
        def __init__(self, optimizer, warmup_steps=10, d_model=64):
            self.warmup_steps, self.d_model = warmup_steps, d_model
            super().__init__(optimizer)

        def get_lr(self):
            step = t(self.last_epoch)
            return [rate * self.d_model**-0.5 * min(step**-0.5, step * self.warmup_steps**-1.5) for rate in self.base_lrs]

    result = glassbox.check("schedule", NoamLR, schedule="inverse-sqrt", warmup=10, dmodel=64, quiet=True)
    assert bool(result) == is_right and ("the same rate" in result.text) == (not is_right), result.text
