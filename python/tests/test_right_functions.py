"""Right functions as people write them are right, and the mistakes in them are named: losses, updates, clipping,
projections as arguments, masks by PyTorch's names. Each function is given what its parameters' names ask for."""
import math

import numpy as np
import pytest
from functions import attention, softmax

import glassbox


def is_right(layer, function, **words):
    result = glassbox.check(layer, function, quiet=True, **words)
    assert result, result.text
    return result


def mistakes_of(layer, function, **words):
    result = glassbox.check(layer, function, quiet=True, **words)
    assert not result, result.text
    return result.mistakes


# ---- the loss ----------------------------------------------------------------------------------------------------


def flat(logits, targets):
    return -np.log(softmax(logits)[np.arange(len(targets)), targets]).mean()


def one_hot(y_pred, y_true, eps=1e-12):
    return -np.mean(np.sum(y_true * np.log(softmax(y_pred) + eps), axis=1))


def by_sequences(logits, labels):
    batch, length, _ = logits.shape
    return -np.log(softmax(logits)[np.arange(batch)[:, None], np.arange(length), labels]).mean()


def of_indices(logits, classes):
    return flat(logits, classes)


def of_indices_and_their_number(logits, classes, num_classes):
    return flat(logits, classes) + (num_classes - logits.shape[-1])


def of_their_number(logits, num_classes, gold):
    return flat(logits, gold) + (num_classes - logits.shape[-1])


def with_gradient(x, y):
    rows, p = np.arange(len(y)), softmax(x)
    loss = -np.log(p[rows, y]).mean()
    p[rows, y] -= 1
    return loss, p / len(y)


def with_probabilities(logits, y):
    p = softmax(logits)
    return -np.log(p[np.arange(len(y)), y]).mean(), p


def gradient_alone(logits, y):
    return with_gradient(logits, y)[1]


def each_row(logits, y):
    return -np.log(softmax(logits))[np.arange(len(y)), y]


def of_probabilities(probs, y):
    return -np.log(probs[np.arange(len(y)), y]).mean()


def smoothed(logits, y, smoothing=0.1):
    q = np.full(logits.shape, smoothing / logits.shape[-1])
    q[np.arange(len(y)), y] += 1 - smoothing
    return -(q * np.log(softmax(logits))).sum(-1).mean()


def ignoring(logits, y, ignore_index=-100):
    losses = -np.log(softmax(logits)[np.arange(len(y)), np.maximum(y, 0)])
    return losses[y != ignore_index].mean()


def padded(logits, y, pad_id=0):
    losses = each_row(logits, y)
    return (losses * (y != pad_id)).sum() / (y != pad_id).sum()


def masked(logits, targets, mask):
    return (each_row(logits, targets) * mask).sum() / mask.sum()


LOSSES = [flat, one_hot, by_sequences, with_gradient, with_probabilities, gradient_alone, each_row, of_probabilities,
          smoothed, ignoring, padded, masked, of_indices, of_indices_and_their_number, of_their_number]


@pytest.mark.parametrize("function", LOSSES, ids=lambda each: each.__name__)
def test_right_losses_are_right(function):
    is_right("loss", function)


class Smoothing:
    def __init__(self, at_label=lambda eps: 1 - eps, **own):
        self.at_label = at_label
        self.__dict__.update(own)

    def __call__(self, logits, y):
        eps = self.__dict__.get("smoothing", self.__dict__.get("eps_ls", 0))
        nll = -np.log(softmax(logits))
        return (self.at_label(eps) * nll[np.arange(len(y)), y] + eps * nll.mean(-1)).mean()


def test_the_smoothing_that_a_loss_has_in_itself_is_taken_and_said():
    for given in (Smoothing(smoothing=0.1), Smoothing(eps_ls=0.2), lambda logits, y, epsilon=0.1: smoothed(logits, y, epsilon)):
        assert "read with label_smoothing=0." in is_right("loss", given).text
    assert mistakes_of("loss", Smoothing(lambda eps: 1, smoothing=0.1)) == ["q/label-keeps-all"]
    is_right("loss", lambda logits, y, eps=1e-9: -np.log(softmax(logits) + eps)[np.arange(len(y)), y].mean())
    assert mistakes_of("loss", Smoothing(smoothing=0.1), label_smoothing=0) == ["losses/smoothed"]


def test_mistakes_of_losses_are_named():
    assert mistakes_of("loss", lambda logits, y: flat(logits, y) * len(y)) == ["loss/sum"]
    assert mistakes_of("loss", lambda logits, y: flat(softmax(logits), y)) == ["losses/softmax-twice"]
    assert "q/not-smoothed" in mistakes_of("loss", lambda logits, y, label_smoothing=0.1: flat(logits, y))
    assert "dlogits/not-divided" in mistakes_of("loss", lambda logits, y: gradient_alone(logits, y) * len(y))
    every = mistakes_of("loss", lambda logits, y, ignore_index: ignoring(logits, y, ignore_index) *
                        (y != ignore_index).mean())
    assert every == ["loss/all-counted"]


def test_own_logits_and_labels():
    logits, labels = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32), np.array([0, 3, 1, 2, 2])
    is_right("loss", flat, returns="loss", logits=logits, labels=labels)
    assert mistakes_of("loss", lambda x, y: flat(x, y) * 5, logits=logits, labels=labels) == ["loss/sum"]

    def careful(logits, labels):
        return each_row(logits, np.maximum(labels, 0))[labels >= 0].mean()

    for padding in ({"logits": logits, "labels": np.where(labels > 2, -1, labels)}, {"lengths": [4, 5, 2]}, {}):
        is_right("loss", careful, **padding)
        assert bool(glassbox.check("loss", flat, quiet=True, **padding)) == (not padding)


def test_losses_of_pytorch():
    nn = pytest.importorskip("torch").nn
    for right in (nn.functional.cross_entropy, nn.CrossEntropyLoss(), nn.CrossEntropyLoss(label_smoothing=0.1)):
        is_right("loss", right)
    assert mistakes_of("loss", nn.CrossEntropyLoss(reduction="sum")) == ["loss/sum"]


def test_softmax_and_layer_norm_are_checked_as_steps():
    is_right("loss", softmax, returns="probabilities")
    norm = {"x": "residual1", "gamma": "norm1.weight", "beta": "norm1.bias"}
    is_right("encoder-block", layer_norm, returns="norm1", arguments=norm)
    assert not glassbox.check("encoder-block", lambda x, gamma, beta: layer_norm(x, gamma, beta) + 0.1 * beta,
                              returns="norm1", arguments=norm, quiet=True)



def losses_of(logits, labels):
    at = np.maximum(labels, 0)[..., None]
    return -np.log(np.take_along_axis(softmax(logits), at, -1))[..., 0] * (labels >= 0)


def mean_of_sequences(logits, labels):
    return (losses_of(logits, labels).sum(-1) / (labels >= 0).sum(-1)).mean()


def perplexity_of_sequences(logits, labels):
    return np.exp(losses_of(logits, labels).sum(-1) / (labels >= 0).sum(-1)).mean()


def of_all(logits, labels):
    return losses_of(logits, labels).sum() / (labels >= 0).sum()


@pytest.mark.parametrize("layer, function, mistake", [
    ("loss", mean_of_sequences, "loss/mean-of-means"), ("perplexity", perplexity_of_sequences, "perplexity/mean-of-sequences")])
def test_what_is_right_for_rows_is_tried_with_sequences(layer, function, mistake):
    assert mistakes_of(layer, function) == [mistake]


def test_what_is_right_for_rows_alone_stays_right():
    is_right("loss", of_all)
    is_right("perplexity", lambda logits, labels: np.exp(of_all(logits, labels)))
    is_right("perplexity", lambda logits, labels: np.exp(flat(logits, labels)))


def test_padding_that_a_loop_over_rows_cannot_leave_out_is_not_given_to_it():
    torch = pytest.importorskip("torch")
    each = torch.nn.functional.cross_entropy
    is_right("loss", lambda logits, labels: torch.stack([each(row, label) for row, label in zip(logits, labels)]).mean())


# ---- updates, clipping, schedules ----------------------------------------------------------------------------------


def adam(w, dw, m, v, t, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8):
    m, v = beta1 * m + (1 - beta1) * dw, beta2 * v + (1 - beta2) * dw**2
    step = m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + epsilon)
    return w - learning_rate * step, m, v


def adamw(p, g, m, v, t, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8, wd=0.01):
    return adam(p - lr * wd * p, g, m, v, t, lr, b1, b2, eps)


def adam_with_l2(w, g, m, v, t, lr, b1, b2, eps, weight_decay):
    return adam(w, g + weight_decay * w, m, v, t, lr, b1, b2, eps)


def as_pytorch_calls_them(param, grad, exp_avg, exp_avg_sq, step, lr, betas, eps, weight_decay):
    return adamw(param, grad, exp_avg, exp_avg_sq, step, lr, *betas, eps, weight_decay)[0]


def in_another_order(w, g, m, v, t):
    w, m, v = adam(w, g, m, v, t)
    return m, v, w


def sgd(w, g, lr, momentum, velocity):
    return w - lr * (momentum * velocity + g)


def descend(params, grads, lr):
    return params - lr * grads


def with_momentum(w, dw, v, learning_rate, mu=0.9):
    return w - learning_rate * (mu * v + dw)


with_momentum.__name__ = "sgd_momentum"


def with_velocity(w, g, lr, momentum, velocity):
    velocity = momentum * velocity + g
    return w - lr * velocity, velocity


def velocity_first(w, g, lr, momentum, velocity):
    return list(reversed(with_velocity(w, g, lr, momentum, velocity)))


def in_lists(w, g, m, v, t, lr, b1, b2, eps):
    return [each.tolist() for each in adam(w, g, m, v, t, lr, b1, b2, eps)]


def without_v(w, g, m, v, t, lr, b1, b2, eps):
    return tuple(each.tolist() for each in adam(w, g, m, v, t, lr, b1, b2, eps)[:2])


@pytest.mark.parametrize("function", [adam, adamw, adam_with_l2, as_pytorch_calls_them, in_another_order, sgd, descend,
                                      with_velocity, velocity_first, in_lists, without_v,
                                      with_momentum],
                         ids=lambda each: each.__name__)
def test_right_updates_are_right(function):
    is_right("adam", function)


def test_an_optimiser_that_nobody_names_is_told():
    def update(w, g, m, v, t, lr, b1, b2, eps, wd):
        return adam_with_l2(w, g, m, v, t, lr, b1, b2, eps, wd)

    assert 'optimiser="adam"' in is_right("adam", update).text
    assert 'optimiser="sgd"' in is_right("adam", descend).text
    assert "taken with" not in is_right("adam", update, optimiser="adam").text


def test_what_the_caller_says_goes_to_function_and_command():
    usual = {"rate": 1e-3, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01}
    for words in ({"optimiser": "adamw", "factor": 1, **usual}, {"update": 7}, {"arguments": {"t": 2}},
                  {"arguments": {"lr": "rate", "b2": 0.5}}):
        is_right("adam", adamw, returns=("w", "m", "v"), **words)
    arrays = {name: np.full((2, 3), 0.5) for name in ("before", "gradient", "m_before", "v_before")}
    is_right("adam", adamw, update=3, **arrays)
    is_right("clip", clip, gradient=np.ones((3, 4)))


def test_mistakes_of_updates_are_named():
    def eps_inside(w, g, m, v, t, lr, b1, b2, eps):
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        return w - lr * m / (1 - b1**t) / np.sqrt(v / (1 - b2**t) + eps)

    def adamw_with_l2(w, g, m, v, t, lr, b1, b2, eps, wd):
        return adam_with_l2(w, g, m, v, t, lr, b1, b2, eps, wd)

    assert not glassbox.check("adam", lambda w, g, lr: w + lr * g, quiet=True)
    assert mistakes_of("adam", eps_inside) == ["w/epsilon-inside"]
    assert "m/l2-for-decay" in mistakes_of("adam", adamw_with_l2)
    assert "m_hat/one-ahead" in mistakes_of("adam", lambda w, g, m, v, t, lr: adam(w, g, m, v, t + 1, lr))


def clip(g, max_norm=1.0):
    return g * min(1, max_norm / (np.sqrt((g**2).sum()) + 1e-6))


def clip_if_longer(grad, max_norm):
    norm = np.linalg.norm(grad)
    return grad * (max_norm / norm) if norm > max_norm else grad


def clip_a_list(grads, max_norm, eps=1e-6):
    norm = math.sqrt(sum((g**2).sum() for g in grads))
    return [g * min(1, max_norm / (norm + eps)) for g in grads]


@pytest.mark.parametrize("function", [clip, clip_if_longer, clip_a_list], ids=lambda each: each.__name__)
def test_right_clipping_is_right(function):
    is_right("clip", function)


def test_a_tree_of_gradients_has_several_tensors():
    jax = pytest.importorskip("jax")

    def scaled(grads, max_norm, norm):
        return jax.tree_util.tree_map(lambda g: g * jax.numpy.minimum(1.0, max_norm / (norm(g) + 1e-6)), grads)

    def length(grads):
        return jax.numpy.sqrt(sum((g**2).sum() for g in jax.tree_util.tree_leaves(grads)))
    is_right("clip", lambda grads, max_norm: scaled(grads, max_norm, lambda _: length(grads)))
    is_right("clip", lambda grads, max_norm: (scaled(grads, max_norm, lambda _: length(grads)), length(grads)))
    is_right("clip", lambda grads, max_norm: grads * jax.numpy.minimum(1, max_norm / jax.numpy.linalg.norm(grads)))
    assert mistakes_of("clip", lambda grads, max_norm: scaled(grads, max_norm, length)) == ["clipped/per-parameter"]


def test_mistakes_of_clipping_are_named():
    assert mistakes_of("clip", lambda g, max_norm: np.clip(g, -max_norm, max_norm)) == ["clipped/by-value"]
    assert mistakes_of("clip", lambda g, max_norm: clip(g, 1)) == ["factor/to-one"]


def test_schedules_of_one_step():
    def noam(step_num, d_model, warmup_steps=4000):
        return d_model**-0.5 * min(step_num**-0.5, step_num * warmup_steps**-1.5)

    def cosine(it, max_lr, min_lr, warmup_iters, cosine_cycle_iters):
        if it < warmup_iters:
            return it / warmup_iters * max_lr
        share = min(1, (it - warmup_iters) / (cosine_cycle_iters - warmup_iters))
        return min_lr + 0.5 * (1 + math.cos(share * math.pi)) * (max_lr - min_lr)

    is_right("schedule", noam)
    is_right("schedule", cosine)
    assert not glassbox.check("schedule", lambda step, d_model: noam(step, d_model, 2000), quiet=True)


# ---- projections as arguments --------------------------------------------------------------------------------------


def split(x, heads):
    return x.reshape(*x.shape[:-1], heads, -1).swapaxes(-2, -3)


def attend(q, k, v, mask=None):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    values = softmax(scores if mask is None else np.where(mask, scores, -1e9)) @ v
    return values.swapaxes(-2, -3).reshape(*values.shape[:-3], values.shape[-2], -1)


def multihead(x, W_q, W_k, W_v, W_o, num_heads):
    return attend(*(split(x @ W, num_heads) for W in (W_q, W_k, W_v))) @ W_o


def with_biases(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, n_heads=8, mask=None):
    q, k, v = (split(x @ W + b, n_heads) for W, b in ((Wq, bq), (Wk, bk), (Wv, bv)))
    return attend(q, k, v, None if mask is None else mask[:, None]) @ Wo + bo


def out_in(x, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, num_heads):
    return multihead(x, q_proj_weight.T, k_proj_weight.T, v_proj_weight.T, o_proj_weight.T, num_heads)


def out_in_unsaid(query, key, value, w_query, w_key, w_value, w_out, h):
    return attend(*(split(x @ w.T, h) for x, w in ((query, w_query), (key, w_key), (value, w_value)))) @ w_out.T


def stacked(x, in_proj_weight, in_proj_bias, out_proj_weight, out_proj_bias, num_heads):
    qkv = np.split(x @ in_proj_weight.T + in_proj_bias, 3, axis=-1)
    return attend(*(split(each, num_heads) for each in qkv)) @ out_proj_weight.T + out_proj_bias


def by_head(x, W_qkv, b_qkv, W_o, b_o, mask, heads, hidden=0):
    batch, length, width = x.shape
    q, k, v = np.split((x @ W_qkv.T + b_qkv).reshape(batch, length, heads, -1).swapaxes(1, 2), 3, axis=-1)
    weights = softmax(np.where(mask != hidden, q @ k.swapaxes(-2, -1) / np.sqrt(q.shape[-1]), -1e9))
    return (weights @ v).swapaxes(1, 2).reshape(x.shape) @ W_o.T + b_o


@pytest.mark.parametrize("heads", [2, 3])
def test_one_matrix_with_its_rows_head_by_head_is_right_and_that_is_said(heads):
    assert "head by head" in is_right("multihead", by_head, heads=heads).text


def test_a_mask_is_not_taken_for_one_of_each_head():
    result = glassbox.check("multihead", lambda x, W_qkv, b_qkv, W_o, b_o, mask, heads: by_head(
        x, W_qkv, b_qkv, W_o, b_o, mask, heads, hidden=1), heads=3, quiet=True)
    assert result.mistakes == ["masked/inverted"] and "head by head" in result.text, result.text


@pytest.mark.parametrize("function", [multihead, with_biases, out_in, out_in_unsaid, stacked],
                         ids=lambda each: each.__name__)
def test_projections_go_to_the_parameters_that_are_called_so(function):
    for convention in ({}, {"convention": "paper"}):
        is_right("multihead", function, **convention)


def block_of(names, source):
    """A function of these parameters: x @ W + b, or x @ W.T + b."""
    wq, bq, wk, bk, wv, bv, wo, bo, w1, b1, w2, b2, g1, e1, g2, e2 = names.split()
    turned = ".T" if source == "(out, in)" else ""
    lines = f"""def block(x, {', '.join(names.split())}):
    q, k, v = (split(x @ w{turned} + b, 2) for w, b in (({wq}, {bq}), ({wk}, {bk}), ({wv}, {bv})))
    y = layer_norm(x + attend(q, k, v) @ {wo}{turned} + {bo}, {g1}, {e1})
    return layer_norm(y + np.maximum(0, y @ {w1}{turned} + {b1}) @ {w2}{turned} + {b2}, {g2}, {e2})"""
    scope = {**globals()}
    exec(lines, scope)
    return scope["block"]


@pytest.mark.parametrize("source", ["(in, out)", "(out, in)"])
@pytest.mark.parametrize("names", [
    "Wq bq Wk bk Wv bv Wo bo W1 b1 W2 b2 gamma1 beta1 gamma2 beta2",
    "W_Q b_Q W_K b_K W_V b_V W_O b_O fc1_w fc1_b fc2_w fc2_b ln1_g ln1_b ln2_g ln2_b",
    "Wq_self bq_self Wk_self bk_self Wv_self bv_self Wo_self bo_self W_up b_up W_down b_down ln_gamma1 ln_beta1 "
    "ln_gamma2 ln_beta2",
    "self_Wq self_bq self_Wk self_bk self_Wv self_bv self_Wo self_bo Wf1 bf1 Wf2 bf2 alpha1 shift1 alpha2 shift2",
])
def test_the_parameters_of_a_block_by_many_names(names, source):
    is_right("encoder-block", block_of(names, source), heads=2)


def test_weights_in_one_dictionary():
    def by_the_layers_names(x, weights, heads):
        p = {name.replace(".", "_"): array for name, array in weights.items()}
        qkv = (x @ p["qkv_proj_weight"].T + p["qkv_proj_bias"]).reshape(*x.shape[:2], heads, 3, -1)
        values = attend(*(qkv[:, :, :, i].swapaxes(1, 2) for i in range(3)))
        return values @ p["o_proj_weight"].T + p["o_proj_bias"]

    def by_their_own(x, params, num_heads):
        q, k, v = (split(x @ params[f"W{each}"] + params.get(f"b{each}"), num_heads) for each in "qkv")
        return attend(q, k, v) @ params["W_o"] + params["b_o"]

    for right in (by_the_layers_names, by_their_own):
        is_right("multihead", right)
    result = glassbox.check("multihead", lambda x, weights: weights["W_q"] + weights["nothing"], quiet=True)
    assert not result and "KeyError: 'nothing'" in result.text


def test_masks_by_names_of_any_language():
    for name in ("tril", "sichtbar", "M", "allowed", "m"):
        scope = {**globals()}
        exec(f"def attend_{name}(q, k, v, {name}):\n    return attention(q, k, v, {name})", scope)
        is_right("attention", scope[f"attend_{name}"])
        exec(f"def ignoring(q, k, v, {name}):\n    return attention(q, k, v)", scope)
        assert mistakes_of("attention", scope["ignoring"]) == ["masked/ignored"]
    for name in ("triu", "future", "versteckt"):
        scope = {**globals()}
        exec(f"def attend_{name}(q, k, v, {name}):\n    return attention(q, k, v, ~{name})", scope)
        is_right("attention", scope[f"attend_{name}"])
    is_right("attention", lambda q, k, v, mask: attention(q, k, v, mask[None, :, :]))
    with pytest.raises(glassbox.Error, match="what does the parameter 'scale' take"):
        glassbox.check("attention", lambda q, k, v, scale: attention(q, k, v) * scale)


def test_nothing_is_dropped_while_numbers_are_compared():
    def dropping(q, k, v, mask=None, dropout=0.5):
        values = attention(q, k, v, mask)
        return values * (np.random.default_rng().random(values.shape) > dropout) if dropout else values

    is_right("attention", dropping)


def test_projections_are_said_by_pytorchs_names():
    names = {"A": "q_proj.weight.T", "B": "k_proj.weight.T", "C": "v_proj.weight.T", "D": "o_proj.weight.T"}
    is_right("multihead", lambda x, A, B, C, D, heads: multihead(x, A, B, C, D, heads), arguments=names)
    with pytest.raises(glassbox.Error, match="what does the parameter 'A' take.*q_proj.weight"):
        glassbox.check("multihead", lambda x, A, B, C, D: x)


def test_own_weights_by_pytorchs_names_and_own_inputs():
    x = np.random.default_rng(0).normal(size=(2, 3, 8)).astype(np.float32)
    is_right("multihead", multihead, x=x)
    is_right("multihead", multihead, x=x, heads=4)
    nn = pytest.importorskip("torch").nn
    module = nn.MultiheadAttention(8, 4)
    for weights in ({"weights": module}, {"weights": module.state_dict(), "heads": 4}):
        is_right("multihead", multihead, x=x, **weights)


def test_gradients_of_losses_and_of_projections():
    torch = pytest.importorskip("torch")

    def loss(logits, target):
        return torch.nn.functional.nll_loss(torch.log_softmax(logits, -1), target)

    def heads(x, W_q, W_k, W_v, W_o, h, detach=False):
        q, k, v = ((x @ W).unflatten(-1, (h, -1)).transpose(1, 2) for W in (W_q.detach() if detach else W_q, W_k, W_v))
        return (torch.softmax(q @ k.mT / q.shape[-1]**0.5, -1) @ v).transpose(1, 2).flatten(-2) @ W_o

    result = is_right("loss", loss, backward=True)
    assert "✓ ∂L/∂logits" in result.text
    assert "✓ ∂L/∂q_proj.weight" in is_right("multihead", heads, backward=True).text
    detached = glassbox.check("multihead", lambda x, W_q, W_k, W_v, W_o, h: heads(x, W_q, W_k, W_v, W_o, h, True),
                              framework="torch", backward=True, quiet=True)
    assert not detached and "✗ ∂L/∂q_proj.weight  none" in detached.text, detached.text


def test_mistakes_with_projections_are_named():
    def no_output(x, W_q, W_k, W_v, W_o, heads):
        return attend(*(split(x @ W, heads) for W in (W_q, W_k, W_v)))

    assert mistakes_of("multihead", no_output) == ["linear/left-out"]
    forgotten = mistakes_of("multihead", lambda x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, h: with_biases(
        x, Wq, 0, Wk, 0, Wv, 0, Wo, bo, h))
    assert any("linear/no-bias" in name for name in forgotten)


def layer_norm(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + beta


def block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, num_heads, residual=True):
    x = layer_norm(x * residual + multihead(x, W_q, W_k, W_v, W_o, num_heads), gamma1, beta1)
    return layer_norm(x + np.maximum(0, x @ W1 + b1) @ W2 + b2, gamma2, beta2)


def block_with_all(x, mask, Wq, bq, Wk, bk, Wv, bv, Wo, bo, ln1_w, ln1_b, ff_w1, ff_b1, ff_w2, ff_b2, g2, be2, heads):
    x = layer_norm(x + with_biases(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, heads, mask), ln1_w, ln1_b)
    return layer_norm(x + np.maximum(0, x @ ff_w1 + ff_b1) @ ff_w2 + ff_b2, g2, be2)


def block_without_gains(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, num_heads):
    return block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, 1, 0, 1, 0, num_heads)


@pytest.mark.parametrize("function", [block, block_with_all, block_without_gains], ids=lambda each: each.__name__)
def test_blocks_of_arrays_are_right(function):
    is_right("encoder-block", function)


def test_a_block_of_arrays_without_its_residual_is_named():
    def no_residual(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, g1, be1, g2, be2, heads):
        return block(x, W_q, W_k, W_v, W_o, W1, b1, W2, b2, g1, be1, g2, be2, heads, residual=False)

    assert "residual/left-out" in str(mistakes_of("encoder-block", no_residual))


# ---- masks and sizes -----------------------------------------------------------------------------------------------


def masked_attention(q, k, v, hidden):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(hidden, -1e9, scores)) @ v


def test_masks_that_pytorch_defines_as_hiding_hide():
    for function in (lambda q, k, v, key_padding_mask: masked_attention(q, k, v, key_padding_mask[:, None, :]),
                     lambda q, k, v, src_key_padding_mask: masked_attention(q, k, v, src_key_padding_mask[:, None, :])):
        is_right("attention", function)
    result = glassbox.check("attention", lambda q, k, v, key_padding_mask: masked_attention(
        q, k, v, ~key_padding_mask[:, None, :]), quiet=True)
    assert not result and result.right_with == 'mask="keep"'


def test_a_mask_that_pytorch_has_in_both_meanings_may_have_either():
    hides = is_right("attention", lambda q, k, v, attn_mask: masked_attention(q, k, v, attn_mask))
    keeps = is_right("attention", lambda q, k, v, attn_mask: masked_attention(q, k, v, ~attn_mask))
    assert 'mask="hide"' in hides.text and 'mask="hide"' not in keeps.text
    assert 'mask="hide"' in is_right("attention", lambda q, k, v, enc_self_attn_mask: masked_attention(q, k, v, enc_self_attn_mask)).text


def test_sizes_that_are_there_by_default_are_the_inputs():
    def positions(d_model, max_len=5000):
        angle = np.arange(max_len)[:, None] / 10000**(np.arange(d_model) // 2 * 2 / d_model)
        return np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))

    is_right("positional", positions)
    is_right("attention", lambda q, k, v, dk=64: softmax(q @ k.swapaxes(-1, -2) / dk**0.5) @ v)


def test_an_encoding_for_a_batch_that_comes_second_is_told():
    def added(x):  # as PyTorch's tutorial has it: (sequence, batch, width)
        column = np.arange(x.shape[-1])
        angle = np.arange(len(x))[:, None] / 10000**(column // 2 * 2 / x.shape[-1])
        return x + np.where(column % 2 == 0, np.sin(angle), np.cos(angle))[:, None]

    result = glassbox.check("positional", added, quiet=True)
    assert result and "taken as (position, batch, width), as its own lines say" in result.text, result.text
    wrong = glassbox.check("positional", added, batch_first=True, quiet=True)
    assert wrong.mistakes == ["output/wrong-axis"] and "taken as" not in wrong.text, wrong.text


def test_a_function_called_softmax_is_no_tensors_method():
    pytest.importorskip("torch")
    result = glassbox.check("loss", lambda logits, y: softmax(logits)[0] @ y, quiet=True)
    assert "Tensor" not in result.text, result.text
