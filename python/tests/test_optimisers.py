"""Optimisers as people have them, classes and objects that keep their own averages: right ones pass, of wrong ones the mistake
is named, and what cannot be taken is refused with what to type."""
from collections import namedtuple

import math

import numpy as np
import pytest

import glassbox


def adam(count=lambda t: t, denominator=lambda v, eps: np.sqrt(v) + eps, share=lambda b: b, shared=False):
    """A class of NumPy with step(grads), right or with a mistake."""
    class Adam:
        def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
            self.params, self.lr, self.betas, self.eps, self.t = params, lr, betas, eps, 0
            self.m, self.v = ([np.zeros_like(each) for each in params] for _ in range(2))
            if shared:
                self.m, self.v = [self.m[0]] * len(params), [self.v[0]] * len(params)

        def step(self, grads):
            self.t += 1
            (b1, b2), t = self.betas, count(self.t)
            for p, g, m, v in zip(self.params, grads, self.m, self.v):
                m[...] = share(b1) * m + (1 - share(b1)) * g
                v[...] = b2 * v + (1 - b2) * g**2
                p -= self.lr * m / (1 - b1**t) / denominator(v / (1 - b2**t), self.eps)

    return Adam


class OfDictionaries:
    """As "Deep Learning from Scratch" has it, with an ε in its own lines."""
    def __init__(self, lr=0.001, beta1=0.9, beta2=0.999):
        self.lr, self.beta1, self.beta2, self.iter, self.m, self.v = lr, beta1, beta2, 0, None, None

    def update(self, params, grads):
        if self.m is None:
            self.m, self.v = ({key: np.zeros_like(each) for key, each in params.items()} for _ in range(2))
        self.iter += 1
        rate = self.lr * np.sqrt(1 - self.beta2**self.iter) / (1 - self.beta1**self.iter)
        for key in params:
            self.m[key] += (1 - self.beta1) * (grads[key] - self.m[key])
            self.v[key] += (1 - self.beta2) * (grads[key]**2 - self.v[key])
            params[key] -= rate * self.m[key] / (np.sqrt(self.v[key]) + 1e-7)


class OfOneArray:
    """It returns the new w."""
    def __init__(self, learning_rate=0.001, b1=0.9, b2=0.999):
        self.learning_rate, self.b1, self.b2, self.t, self.m, self.v = learning_rate, b1, b2, 0, None, None

    def update(self, w, grad_wrt_w):
        self.m, self.v = (np.zeros_like(w), np.zeros_like(w)) if self.m is None else (self.m, self.v)
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * grad_wrt_w
        self.v = self.b2 * self.v + (1 - self.b2) * grad_wrt_w**2
        return w - self.learning_rate * self.corrected(self.m, self.b1) / (np.sqrt(self.corrected(self.v, self.b2)) + 1e-8)

    def corrected(self, average, beta):
        return average / (1 - beta**self.t)


class WithoutPower(OfOneArray):
    def corrected(self, average, beta):
        return average / (1 - beta)


class WithoutCorrection(OfOneArray):
    def corrected(self, average, beta):
        return average


class OfPairs:
    """It is told the number of the update, and has a weight and a bias."""
    def __init__(self, eta=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8):
        self.eta, self.beta1, self.beta2, self.epsilon = eta, beta1, beta2, epsilon
        self.m_dw = self.v_dw = self.m_db = self.v_db = 0

    def update(self, t, w, b, dw, db):
        self.m_dw = self.beta1 * self.m_dw + (1 - self.beta1) * dw
        self.m_db = self.beta1 * self.m_db + (1 - self.beta1) * db
        self.v_dw = self.beta2 * self.v_dw + (1 - self.beta2) * dw**2
        self.v_db = self.beta2 * self.v_db + (1 - self.beta2) * db**2
        return (self.stepped(w, self.m_dw, self.v_dw, t), self.stepped(b, self.m_db, self.v_db, t))

    def stepped(self, w, m, v, t):
        return w - self.eta * m / (1 - self.beta1**t) / (np.sqrt(v / (1 - self.beta2**t)) + self.epsilon)


class OfGradientsInside:
    """Its parameters have their gradients with them."""
    def __init__(self, parameters, lr=0.1, beta1=0.9, beta2=0.95, eps=1e-8):
        self.parameters, self.lr, self.beta1, self.beta2, self.eps, self.t = parameters, lr, beta1, beta2, eps, 0
        self.m, self.v = ([0 * p.data for p in parameters] for _ in range(2))

    def step(self):
        self.t += 1
        for i, p in enumerate(self.parameters):
            self.m[i] = self.beta1 * self.m[i] + (1 - self.beta1) * p.grad
            self.v[i] = self.beta2 * self.v[i] + (1 - self.beta2) * p.grad**2
            p.data = p.data - self.lr * self.m[i] / (1 - self.beta1**self.t) / (
                (self.v[i] / (1 - self.beta2**self.t))**0.5 + self.eps)


class Momentum:
    """Its momentum is in its own lines, and its velocity has the rate inside."""
    def __init__(self, lr=0.01):
        self.lr, self.v = lr, {}

    def update(self, params, grads):
        for key in params:
            self.v[key] = 0.9 * self.v.get(key, 0) - self.lr * grads[key]
            params[key] += self.v[key]


class Descent:
    __slots__ = ("lr", )

    def __init__(self, lr=0.1):
        self.lr = lr

    def update(self, w, dw):
        return w - self.lr * dw


@pytest.mark.parametrize("given", [adam(), adam()([np.ones((3, 2))]), OfDictionaries, OfDictionaries(), OfOneArray, OfOneArray(), OfPairs,
                                   OfGradientsInside, Momentum, Descent, Descent(0.3)])
def test_what_is_right_passes(given):
    result = glassbox.check("adam", given, quiet=True)
    assert result and "3 updates in a row" in result.text, result.text


@pytest.mark.parametrize("given, mistakes", [
    (adam(count=lambda t: t + 1), ["m_hat/one-ahead", "v_hat/one-ahead"]), (adam(denominator=lambda v, eps: v + eps), ["w/no-root"]),
    (adam(denominator=lambda v, eps: np.sqrt(v + eps)), ["w/epsilon-inside"]), (adam(share=lambda b: 1 - b), ["m/forgets"]),
    (adam(share=lambda b: 1 - b)([np.ones((3, 2))]), ["m/forgets"]), (WithoutPower, ["m_hat/no-power", "v_hat/no-power"]),
    (WithoutCorrection, ["w/hats-forgotten"])])
def test_of_what_is_wrong_the_mistake_is_named(given, mistakes):
    result = glassbox.check("adam", given, quiet=True)
    assert not result and result.mistakes == mistakes, result.text


def test_a_later_update_shows_what_the_first_does_not():
    class Adam(OfOneArray):  # in the first update 1 − βᵗ is 1 − β
        corrected = WithoutPower.corrected

    result = glassbox.check("adam", Adam, quiet=True)
    assert not result and "of its 3 updates in a row, update 3" in result.text


def test_of_what_two_parameters_share_is_told():
    result = glassbox.check("adam", adam(shared=True), quiet=True)
    assert not result and "right with one parameter, but not with two" in result.sentence


def test_a_count_that_begins_at_0_is_told():
    result = glassbox.check("adam", adam(count=lambda t: t - 1), quiet=True)
    assert not result and "m_hat/from-zero" in result.text


def test_an_object_stays_as_it_was():
    given = adam()([np.ones((3, 2))])
    assert glassbox.check("adam", given, quiet=True)
    assert given.t == 0 and np.all(given.params[0] == 1) and not np.any(given.m[0])


Transform = namedtuple("GradientTransformation", "init update")


def transform(sign=-1, lr=0.1, b1=0.9, b2=0.999, eps=1e-8):
    """As optax has them."""
    def update(grads, state, params=None):
        t, m, v = state
        m = [b1 * a + (1 - b1) * g for a, g in zip(m, grads)]
        v = [b2 * a + (1 - b2) * g**2 for a, g in zip(v, grads)]
        return ([sign * lr * a / (1 - b1**(t + 1)) / (np.sqrt(b / (1 - b2**(t + 1))) + eps) for a, b in zip(m, v)], (t + 1, m, v))

    return Transform(lambda params: (0, [0 * each for each in params], [0 * each for each in params]), update)


def test_what_says_what_to_add_is_taken_too():
    assert glassbox.check("adam", transform(), optimiser="adam", rate=0.1, quiet=True)
    assert not glassbox.check("adam", transform(sign=1), optimiser="adam", rate=0.1, quiet=True)
    assert not glassbox.check("adam", transform(), optimiser="adam", rate=0.2, quiet=True)
    with pytest.raises(glassbox.Error, match="say them, with optimiser=\"adam\" and rate"):
        glassbox.check("adam", Transform(lambda params: (), lambda grads, state, params=None: (grads, state)), quiet=True)


def own_adam(learning_rate, b1=0.9, b2=0.999, eps=1e-8, is_corrected=True):
    """What makes such a pair; its numbers are in what its functions keep."""
    def update(grads, state, params=None):
        t, m, v = state[0] + 1, *([b * a + (1 - b) * g**k for a, g in zip(old, grads)] for old, b, k in zip(state[1:], (b1, b2), (1, 2)))
        c1, c2 = (1 - b1**t, 1 - b2**t) if is_corrected else (1, 1)
        return [-learning_rate * a / c1 / (np.sqrt(b / c2) + eps) for a, b in zip(m, v)], (t, m, v)
    return (lambda params: (0, [0 * each for each in params], [0 * each for each in params])), update


def uncorrected(learning_rate, b1=0.9, b2=0.999, eps=1e-8):
    return own_adam(learning_rate, b1, b2, eps, is_corrected=False)


def test_what_makes_a_pair_and_the_pair_tell_their_numbers():
    for given in (own_adam, own_adam(0.1), Transform(*own_adam(0.1, b1=0.8))):
        result = glassbox.check("adam", given, quiet=True)
        assert result, result.text
    for given in (uncorrected, uncorrected(0.1)):
        assert glassbox.check("adam", given, quiet=True).mistakes == ["w/hats-forgotten"]
    assert not glassbox.check("adam", own_adam(0.1), rate=0.2, quiet=True)


class OfPairsInOne:
    """As Keras has it: it is told of pairs, and changes variables."""
    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7):
        self.learning_rate, self.beta_1, self.beta_2, self.epsilon = learning_rate, beta_1, beta_2, epsilon
        self.iterations, self.m, self.v = 0, {}, {}

    def apply_gradients(self, grads_and_vars):
        self.iterations += 1
        for grad, var in grads_and_vars:
            self.m[id(var)] = self.beta_1 * self.m.get(id(var), 0) + (1 - self.beta_1) * grad
            self.v[id(var)] = self.beta_2 * self.v.get(id(var), 0) + (1 - self.beta_2) * grad**2
            var.assign_sub(self.learning_rate * self.hat(self.m[id(var)], self.beta_1) / (
                np.sqrt(self.hat(self.v[id(var)], self.beta_2)) + self.epsilon))

    def hat(self, average, beta):
        return average / (1 - beta**self.iterations)


class InPlace(OfPairsInOne):
    def apply_gradients(self, grads_and_vars):
        pairs = [(grad, var.copy(), var) for grad, var in grads_and_vars]
        for grad, _, var in pairs:
            var -= 0 * grad
        super().apply_gradients([(grad, var) for grad, _, var in pairs])


class OfPairsUncorrected(OfPairsInOne):
    def hat(self, average, beta):
        return average


def test_pairs_of_gradients_and_variables():
    for given in (OfPairsInOne, OfPairsInOne(), InPlace):
        result = glassbox.check("adam", given, quiet=True)
        assert result, result.text
    assert glassbox.check("adam", OfPairsUncorrected, quiet=True).mistakes == ["w/hats-forgotten"]


# ---- of optax --------------------------------------------------------------------------------------------------------------


def test_optax_own_are_right():
    optax = pytest.importorskip("optax")
    clipped = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.1))
    for given, words in [(optax.adam, {}), (optax.adamw, {}), (optax.sgd, {}), (optax.adam(1e-3), {}), (optax.adam(0.1), {}),
                         (optax.adam(0.1), {"optimiser": "adam", "rate": 0.1}), (optax.adamw(1e-3, weight_decay=0.01), {}),
                         (optax.sgd(0.1), {}), (optax.sgd(0.1, momentum=0.9), {}), (clipped, {}), (clipped, {"max_norm": 1.0})]:
        result = glassbox.check("adam", given, quiet=True, **words)
        assert result, result.text
    assert glassbox.check("clip", optax.clip_by_global_norm(1.0), quiet=True)
    schedule = optax.warmup_cosine_decay_schedule(0.0, 0.1, 4, 20)
    assert glassbox.check("schedule", schedule, schedule="cosine", rate=0.1, warmup=4, updates=20, quiet=True)


def test_of_wrong_ones_of_optax_the_mistake_is_named():
    optax = pytest.importorskip("optax")
    late = glassbox.check("adam", optax.chain(optax.adam(0.1), optax.clip_by_global_norm(0.01)), quiet=True)
    assert not late and "clip_by_global_norm stands behind" in str(late)
    assert "m/sign" in glassbox.check("adam", optax.chain(optax.scale_by_adam(), optax.scale(0.1)), quiet=True).text
    l2 = optax.chain(optax.add_decayed_weights(0.1), optax.adam(0.001))
    assert glassbox.check("adam", l2, optimiser="adamw", quiet=True).mistakes == ["m/l2-for-decay"]
    assert "clipped/by-value" in glassbox.check("clip", optax.clip(0.5), max_norm=0.5, quiet=True).text
    with pytest.raises(glassbox.Error, match="nesterov is another part of an optimiser"):
        glassbox.check("adam", optax.nadam(0.1), quiet=True)
    with pytest.raises(glassbox.Error, match="scale_by_rms is another part"):
        glassbox.check("adam", optax.rmsprop(0.1), quiet=True)


class Nothing:
    def fit(self):
        pass


class OfUnknown:
    def __init__(self, params, foo, lr=0.1):
        self.params, self.foo, self.lr = params, foo, lr

    def step(self, grads):
        for p, g in zip(self.params, grads):
            p -= self.foo * self.lr * g


class RateInside:
    def update(self, w, g):
        return w - 0.5 * g


class Raises(OfUnknown):
    def __init__(self, params, lr=0.1):
        super().__init__(params, 1, lr)

    def step(self, grads):
        return self.missing


class RMSProp(Descent):
    pass


class OwnAdam(OfOneArray):  # no NAdam
    pass


class N_Adam(OfOneArray):  # nor this
    pass


def used():
    given = OfOneArray()
    given.update(np.ones((2, 2)), np.ones((2, 2)))
    return given


@pytest.mark.parametrize("given, words", [
    (Nothing, r"Nothing has none of the methods .* step\(\), update\(\).* pass a function instead, update\(w, g, m, v, t\)"),
    (Nothing(), "got Nothing, which has none of the methods .*step, update.*object.fit"), (object(), "expected a function or numbers"),
    ({1, 2}, "got set"), (OfUnknown, "its parameter foo .*arguments={\"foo\": …}"), (RateInside, "say it, rate=0.01"),
    (RMSProp, "RMSProp is another optimiser.*optimiser=\"adam\""),
    (used(), "has made updates already: its m is not 0")])
def test_what_cannot_be_taken_is_refused(given, words):
    with pytest.raises(glassbox.Error, match=words):
        glassbox.check("adam", given, quiet=True)


def test_what_fails_is_wrong():
    result = glassbox.check("adam", Raises, quiet=True)
    assert not result and "has no attribute 'missing'" in result.text


def test_what_nobody_can_tell_may_be_said():
    assert glassbox.check("adam", OfUnknown, optimiser="sgd", arguments={"foo": 1}, quiet=True)
    assert not glassbox.check("adam", OfUnknown, optimiser="sgd", arguments={"foo": 2}, quiet=True)
    assert glassbox.check("adam", RateInside, optimiser="sgd", rate=0.5, quiet=True)
    assert glassbox.check("adam", OwnAdam, quiet=True)
    assert glassbox.check("adam", N_Adam, quiet=True)
    with pytest.raises(glassbox.Error, match="rate: expected a number, got 'fast'"):
        glassbox.check("adam", OfOneArray, rate="fast", quiet=True)
    for words in ({"update": 2}, {"factor": 0.5}, {"steps": True}, {"m_before": np.ones((2, 2))}):
        with pytest.raises(glassbox.Error, match="from its own beginning"):
            glassbox.check("adam", OfOneArray, quiet=True, **words)


def test_objects_are_refused_by_other_layers():
    with pytest.raises(glassbox.Error, match=r"got Nothing, which has no __call__ and no forward; .*check\(\"attention\", object.fit\)"):
        glassbox.check("attention", Nothing(), quiet=True)


# ---- of PyTorch --------------------------------------------------------------------------------------------------------------


def parameters(torch):
    torch.manual_seed(0)
    return [torch.nn.Parameter(torch.randn(3, 2)), torch.nn.Parameter(torch.randn(5))]


def test_pytorchs_own_are_right():
    torch = pytest.importorskip("torch")
    optim, given = torch.optim, parameters(torch)
    for each, words in [(optim.AdamW, {"optimiser": "adamw"}), (optim.AdamW, {}), (optim.Adam, {}), (optim.SGD, {}),
                        (optim.AdamW(given), {}), (optim.AdamW(given), {"rate": 0.1, "weight_decay": 0.3}),
                        (optim.AdamW(given), {"beta1": 0.5}), (optim.AdamW, {"beta2": 0.99}),
                        (optim.Adam(given, lr=0.01, betas=(0.8, 0.9), eps=1e-6, weight_decay=0.1), {}), (optim.SGD(given, lr=0.1), {}),
                        (optim.SGD(given, lr=0.1, momentum=0.9, weight_decay=0.1), {})]:
        result = glassbox.check("adam", each, quiet=True, **words)
        assert result, f"{each}: {result}"
    assert "m/l2-for-decay" in glassbox.check("adam", optim.Adam, optimiser="adamw", quiet=True).mistakes
    with pytest.raises(glassbox.Error, match="amsgrad=True: the layer adam has no amsgrad"):
        glassbox.check("adam", optim.AdamW(given, amsgrad=True), quiet=True)
    with pytest.raises(glassbox.Error, match="another optimiser"):
        glassbox.check("adam", optim.RMSprop(given), quiet=True)


def own_adamw(torch, of_gradient=0, of_weight=1, rate=True, counts_all=False):
    class AdamW(torch.optim.Optimizer):
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01):
            super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
            self.n = 0

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                (b1, b2), lr, decay = group["betas"], group["lr"], group["weight_decay"]
                for p in group["params"]:
                    state = self.state[p]
                    if not state:
                        state.update(step=0, exp_avg=torch.zeros_like(p), exp_avg_sq=torch.zeros_like(p))
                    state["step"] += 1
                    self.n += 1
                    m, v, t, g = state["exp_avg"], state["exp_avg_sq"], state["step"], p.grad + of_gradient * decay * p
                    t = self.n if counts_all else t
                    m.mul_(b1).add_(g, alpha=1 - b1)
                    v.mul_(b2).addcmul_(g, g, value=1 - b2)
                    p.mul_(1 - of_weight * (lr if rate else 1) * decay)
                    p.addcdiv_(m / (1 - b1**t), (v / (1 - b2**t)).sqrt().add_(group["eps"]), value=-lr)

    return AdamW


def test_own_ones_of_pytorch():
    torch = pytest.importorskip("torch")
    given = parameters(torch)
    l2 = own_adamw(torch, of_gradient=1, of_weight=0)
    for each in (own_adamw(torch), own_adamw(torch)(given)):
        assert glassbox.check("adam", each, quiet=True)
    for each, mistake in [(l2, "m/l2-for-decay"), (l2(given), "m/l2-for-decay"), (own_adamw(torch, of_weight=-1), "w/decay-grows"),
                          (own_adamw(torch, rate=False), "w/decay-without-rate")]:
        result = glassbox.check("adam", each, quiet=True)
        assert result.mistakes == [mistake], result.text
    assert "not with two" in glassbox.check("adam", own_adamw(torch, counts_all=True), quiet=True).sentence
    assert [float(each.detach().sum()) for each in given] == [float(each.detach().sum()) for each in parameters(torch)]


def test_a_class_without_groups_reads_the_gradients():
    torch = pytest.importorskip("torch")

    class MyAdam:
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
            self.params, self.lr, self.betas, self.eps, self.t = list(params), lr, betas, eps, 0
            self.m, self.v = ([torch.zeros_like(p) for p in self.params] for _ in range(2))

        @torch.no_grad()
        def step(self):
            self.t += 1
            b1, b2 = self.betas
            for p, m, v in zip(self.params, self.m, self.v):
                m.mul_(b1).add_(p.grad, alpha=1 - b1)
                v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                p.sub_(self.lr * (m / (1 - b1**self.t)) / ((v / (1 - b2**self.t)).sqrt() + self.eps))

    class Damped:
        def __init__(self, model, lr=0.1, momentum=0.9):
            self.params, self.lr, self.momentum = list(model.parameters()), lr, momentum
            self.buffers = [torch.zeros_like(p) for p in self.params]

        def step(self):
            for p, buffer in zip(self.params, self.buffers):
                buffer.mul_(self.momentum).add_((1 - self.momentum) * p.grad)
                p.data -= self.lr * buffer

    assert glassbox.check("adam", MyAdam, quiet=True) and glassbox.check("adam", MyAdam(parameters(torch)), quiet=True)
    assert glassbox.check("adam", Damped, quiet=True).mistakes == ["velocity/dampened"]


class KeepsCorrection:
    power = 0.5

    def __init__(self, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-8):
        self.lr, self.beta1, self.beta2, self.eps, self.m, self.v, self.t = lr, beta1, beta2, eps, 0, 0, 0

    def update(self, theta, grad):
        self.t += 1
        self.m = (self.beta1 * self.m + (1 - self.beta1) * grad) / (1 - self.beta1**self.t)
        self.v = (self.beta2 * self.v + (1 - self.beta2) * grad**2) / (1 - self.beta2**self.t)
        return theta - self.lr * self.m / (self.v**self.power + self.eps)


def test_a_correction_that_is_written_back_is_told_and_a_second_slip_beside_it():
    result = glassbox.check("adam", KeepsCorrection, quiet=True)
    assert not result and "written back to m and v" in result.text, result.text
    both = glassbox.check("adam", type("Adam", (KeepsCorrection, ), {"power": 1}), quiet=True)
    assert both.mistakes == ["w/no-root"] and "two slips" in both.text, both.text


def momentum(w, grad, velocity, lr=0.1, mu=0.9, sign=1, times=1):
    velocity = mu * velocity + sign * lr * grad
    return w - sign * times * velocity, velocity


@pytest.mark.parametrize("sign", [1, -1])
def test_a_rate_in_the_velocity_is_right_and_one_that_is_applied_again_is_said(sign):
    def given(w, grad, velocity, lr=0.1, momentum_=0.9):
        return momentum(w, grad, velocity, lr, momentum_, sign)

    def twice(w, grad, velocity, lr=0.1, mu=0.9):
        return momentum(w, grad, velocity, lr, mu, sign, lr)

    assert glassbox.check("sgd", given, arguments={"momentum_": "momentum"}, quiet=True)
    result = glassbox.check("sgd", twice, quiet=True)
    assert not result and "✓ m" in result.text and "the rate is applied twice" in result.text, result.text


def test_of_an_object_that_applies_its_rate_twice_it_is_said():
    class Descent:
        def __init__(self, lr=0.1, momentum=0.9):
            self.lr, self.momentum, self.velocity = lr, momentum, 0

        def step(self, w, grad):
            self.velocity = self.momentum * self.velocity + self.lr * grad
            return w - self.lr * self.velocity

    result = glassbox.check("sgd", Descent, quiet=True)
    assert not result and "the rate is applied twice" in result.text, result.text


def test_what_says_what_to_add_may_take_one_array():
    def of_one(learning_rate=0.1, power=2, b1=0.9, b2=0.999, eps=1e-8):
        def update(grads, state, params=None):
            t, m, v = state[0] + 1, b1 * state[1] + (1 - b1) * grads, b2 * state[2] + (1 - b2) * abs(grads)**power
            return -learning_rate * m / (1 - b1**t) / (np.sqrt(v / (1 - b2**t)) + eps), (t, m, v)
        return Transform(lambda params: (0, np.zeros_like(params), np.zeros_like(params)), update)

    assert glassbox.check("adam", of_one(), quiet=True)
    assert not glassbox.check("adam", of_one(power=3), quiet=True)


def test_an_update_may_have_no_use_for_the_parameters():
    def pair(lr=0.1, is_corrected=True):
        init, update = own_adam(lr, is_corrected=is_corrected)
        return init, lambda grads, state: update(grads, state)

    words = {"optimiser": "adam", "rate": 0.1, "quiet": True}
    assert glassbox.check("adam", pair(), **words) and not glassbox.check("adam", pair(is_corrected=False), **words)


class OfNumbers:
    """Adam of a list of Python's own numbers."""
    power = 2

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params, self.lr, (self.b1, self.b2), self.eps, self.t = params, lr, betas, eps, 0
        self.m, self.v = [0.0] * len(params), [0.0] * len(params)

    def step(self, grads):
        self.t += 1
        for i, g in enumerate(grads):
            self.m[i] += (1 - self.b1) * (g - self.m[i])
            self.v[i] += (1 - self.b2) * (abs(g)**self.power - self.v[i])
            m, v = self.m[i] / (1 - self.b1**self.t), self.v[i] / (1 - self.b2**self.t)
            self.params[i] -= self.lr * m / (math.sqrt(v) + self.eps)
        return self.params


class OfObjects(OfNumbers):
    """The same of objects that have a number and its gradient, as micrograd has them."""
    def step(self):
        for i, each in enumerate(self.params):
            own = OfNumbers([each.data], self.lr, (self.b1, self.b2), self.eps)
            own.t, own.m, own.v, own.power = self.t, [self.m[i]], [self.v[i]], self.power
            each.data, = own.step([float(each.grad)])
            self.m[i], self.v[i] = own.m[0], own.v[0]
        self.t += 1


@pytest.mark.parametrize("kind", [OfNumbers, OfObjects])
def test_parameters_may_be_a_list_of_numbers(kind):
    wrong = type("Adam", (kind, ), {"power": 1})
    assert glassbox.check("adam", kind, quiet=True)
    assert glassbox.check("adam", wrong, quiet=True).mistakes == ["v/absolute"]


def test_tensorflows_variable_is_no_variance_and_its_epsilon_may_stand_beside_the_root():
    def apply_dense(var, grad, m, v, t, lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8):
        lr_t = lr * np.sqrt(1 - beta_2**t) / (1 - beta_1**t)
        m, v = beta_1 * m + (1 - beta_1) * grad, beta_2 * v + (1 - beta_2) * grad**2
        return var - lr_t * m / (np.sqrt(v) + epsilon), m, v

    result = glassbox.check("adam", apply_dense, quiet=True)
    assert result and "as Keras and TensorFlow have it" in result.text, result.text


def test_a_correction_in_place_is_told_where_a_later_update_hardly_moves():
    torch = pytest.importorskip("torch")

    class Adam:
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
            self.params, self.lr, self.betas, self.eps, self.t = list(params), lr, betas, eps, 0
            self.averages = [(torch.zeros_like(p), torch.zeros_like(p)) for p in self.params]

        @torch.no_grad()
        def step(self):
            self.t += 1
            for p, (m, v) in zip(self.params, self.averages):
                m.mul_(self.betas[0]).add_(p.grad, alpha=1 - self.betas[0])
                v.mul_(self.betas[1]).addcmul_(p.grad, p.grad, value=1 - self.betas[1])
                m_hat, v_hat = m.div_(1 - self.betas[0]**self.t), v.div_(1 - self.betas[1]**self.t)
                p.addcdiv_(m_hat, v_hat.sqrt() + self.eps, value=-self.lr)

    result = glassbox.check("adam", Adam, quiet=True)
    assert not result and "written back to m and v" in result.text and not result.mistakes, result.text
