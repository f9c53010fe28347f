"""Functions whose sequences have the batch behind the position and the heads behind both."""
import numpy as np
import pytest
from functions import softmax

import glassbox

SECOND = "taken as (position, batch, head, width)"


def weights(q, k, mask=None, divisor=None):
    scores = np.einsum("sbhd,tbhd->bhst", q, k) / np.sqrt(divisor or q.shape[-1])
    return softmax(scores if mask is None else np.where(mask, scores, -10000.0))


def by_position(q, k, v, mask=None):
    return np.einsum("bhst,tbhd->sbhd", weights(q, k, mask), v)


def joined(q, k, v, mask=None):
    values = by_position(q, k, v, mask)
    return values.reshape(*values.shape[:2], -1)


def with_weights(q, k, v):
    return by_position(q, k, v), weights(q, k)


def with_scores_first(query, key, value, mask=None):
    scores = np.einsum("ibhd,jbhd->ijbh", query, key) / np.sqrt(query.shape[-1])
    scores = scores if mask is None else np.where(mask, scores, -np.inf)
    return np.einsum("ijbh,jbhd->ibhd", softmax(scores, 1), value)


@pytest.mark.parametrize("function", [by_position, joined, with_weights, with_scores_first])
def test_heads_may_come_behind_position_and_batch(function):
    result = glassbox.check("attention", function, quiet=True)
    assert result and SECOND in result.text, result.text


def test_heads_behind_the_position_are_said():
    def by_batch(q, k, v):
        return np.swapaxes(by_position(*(np.swapaxes(x, 0, 1) for x in (q, k, v))), 0, 1)

    result = glassbox.check("attention", by_batch, quiet=True)
    assert result and "taken as (batch, position, head, width)" in result.text, result.text


def unscaled(q, k, v):
    return np.einsum("bhst,tbhd->sbhd", weights(q, k, divisor=1), v)


def unscaled_and_said(q, k, v):
    seq_len, batch_size, heads, width = q.shape
    return unscaled(q, k, v).reshape(seq_len, batch_size, heads * width)


@pytest.mark.parametrize("function", [unscaled, unscaled_and_said])
def test_in_this_layout_the_mistake_is_named(function):
    result = glassbox.check("attention", function, quiet=True)
    assert result.mistakes == ["scaled/not-divided"] and SECOND in result.text, result.text


def test_a_mask_that_hides_in_this_layout_is_told():
    result = glassbox.check("attention", lambda q, k, v, mask: by_position(q, k, v, ~mask.astype(bool)), quiet=True)
    assert not result and "mask=\"hide\"" in result.text, result.text


def channels_first(q, k, v):
    scores = np.einsum("bdi,bdj->bij", q, k) / np.sqrt(q.shape[1])
    return np.einsum("bij,bdj->bdi", softmax(scores), v)


def channels_of_heads(q, k, v):
    scores = np.einsum("bhdi,bhdj->bhij", q, k) / np.sqrt(q.shape[2])
    return np.einsum("bhij,bhdj->bhdi", softmax(scores), v)


@pytest.mark.parametrize("function, said", [(channels_first, "(batch, width, position)"),
                                            (channels_of_heads, "(batch, head, width, position)")])
def test_channels_may_come_before_the_positions(function, said):
    result = glassbox.check("attention", function, quiet=True)
    assert result and f"taken as {said}" in result.text, result.text


def test_a_module_of_convolutions_has_its_channels_first():
    torch = pytest.importorskip("torch")

    class Attention(torch.nn.Module):
        def __init__(self, divisor):
            super().__init__()
            self.num_heads, self.divisor = 3, divisor
            self.to_qkv, self.to_out = torch.nn.Conv1d(12, 36, 1), torch.nn.Conv1d(12, 12, 1)

        def forward(self, x):
            batch, channels, length = x.shape
            q, k, v = (each.view(batch, 3, -1, length) for each in self.to_qkv(x).chunk(3, 1))
            weights = (torch.einsum("bhdi,bhdj->bhij", q, k) / self.divisor**0.5).softmax(-1)
            return self.to_out(torch.einsum("bhij,bhdj->bhdi", weights, v).reshape(batch, channels, length))

    result = glassbox.check("multihead", Attention(4), quiet=True)
    assert result and "taken as (batch, width, position)" in result.text, result.text
    assert glassbox.check("multihead", Attention(1), quiet=True).mistakes == ["scaled/not-divided"]


def windowed(q, k, v, reach=1):
    places = np.arange(q.shape[-2])
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    return softmax(np.where(abs(places[:, None] - places) <= reach, scores, -np.inf)) @ v


def test_a_function_may_hide_all_but_a_window_by_itself():
    assert glassbox.check("attention", windowed, mask="window:1", quiet=True)
    assert not glassbox.check("attention", lambda q, k, v: windowed(q, k, v, 2), mask="window:1", quiet=True)


@pytest.mark.parametrize("order, said", [("3hd", ""), ("h3d", "head by head"), ("hd3", "number by number"), ("d3h", "heads last")])
def test_the_rows_of_one_matrix_for_three_may_lie_in_any_order(order, said):
    torch = pytest.importorskip("torch")

    class Attention(torch.nn.Module):
        def __init__(self, divisor=4):
            super().__init__()
            self.num_heads, self.divisor = 3, divisor
            self.qkv, self.proj = torch.nn.Linear(12, 36), torch.nn.Linear(12, 12)

        def forward(self, x):
            sizes = {"3": 3, "h": 3, "d": 4}
            rows = self.qkv(x).unflatten(-1, [sizes[axis] for axis in order])
            q, k, v = rows.permute(2 + order.index("3"), 0, 2 + order.index("h"), 1, 2 + order.index("d"))
            weights = (q @ k.mT / self.divisor**0.5).softmax(-1)
            return self.proj((weights @ v).transpose(1, 2).flatten(2))

    torch.manual_seed(0)
    result = glassbox.check("multihead", Attention(), backward=True, quiet=True)
    assert result and said in result.text and len(result.gradients) > 2, result.text
    assert not glassbox.check("multihead", Attention(1), quiet=True)


@pytest.mark.parametrize("layout", ["one behind the other", "head by head"])
@pytest.mark.parametrize("name, order", [("vkq", "vkq"), ("to_kqv", "kqv"), ("kqv", "vkq")])
def test_the_name_of_one_matrix_for_three_may_have_them_in_another_order(name, order, layout):
    torch = pytest.importorskip("torch")

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.num_heads, self.unify = 3, torch.nn.Linear(12, 12)
            setattr(self, name, torch.nn.Linear(12, 36))

        def forward(self, x):
            joined = getattr(self, name)(x)
            if layout == "head by head":
                three = joined.unflatten(-1, (3, -1)).transpose(1, 2).chunk(3, -1)
            else:
                three = [each.unflatten(-1, (3, -1)).transpose(1, 2) for each in joined.chunk(3, -1)]
            q, k, v = (three[order.index(each)] for each in "qkv")
            return self.unify(((q @ k.mT / 2).softmax(-1) @ v).transpose(1, 2).flatten(2))

    torch.manual_seed(0)
    result = glassbox.check("multihead", Attention(), quiet=True)
    assert bool(result) == (order in name), result.text
    assert "in the order of its name: " in result.text and (not result or (layout in result.text) == (layout == "head by head")), result.text


# ---- several heads -----------------------------------------------------------------------------------------------


def of_heads(axis=-1, layout="bthd"):
    """Attention with an axis for the heads; its softmax over an axis of (batch, head, query, key)."""
    keys = layout.replace("t", "s")

    def attention(q, k, v):
        scores = np.einsum(f"{layout},{keys}->bhts", q, k) / np.sqrt(q.shape[layout.index("d")])
        return np.einsum(f"bhts,{keys}->{layout}", softmax(scores, axis), v)
    return attention


@pytest.mark.parametrize("layout", ["bthd", "bhtd", "tbhd"])
@pytest.mark.parametrize("axis, mistake", [(0, "attention/over-batch"), (1, "attention/over-heads"), (2, "attention/over-queries")])
def test_what_takes_heads_is_tried_with_several(layout, axis, mistake):
    assert glassbox.check("attention", of_heads(layout=layout), quiet=True)
    assert glassbox.check("attention", of_heads(axis, layout), quiet=True).mistakes == [mistake]


def test_heads_that_are_mixed_with_positions_are_wrong():
    def mixed(q, k, v):
        rows = [x.reshape(x.shape[0] * x.shape[2], -1, x.shape[3]) for x in (q, k, v)]
        scores = np.einsum("ntd,nsd->nts", *rows[:2]) / np.sqrt(q.shape[-1])
        return (softmax(scores) @ rows[2]).reshape(*q.shape[:3], -1)
    assert not glassbox.check("attention", mixed, quiet=True)


@pytest.mark.parametrize("layout", ["bthd", "bhtd"])
@pytest.mark.parametrize("widen", [lambda mask: mask, lambda mask: mask[:, None]])
def test_a_mask_may_have_an_axis_for_the_heads_or_be_given_one_inside(layout, widen):
    def attention(q, k, v, mask=None, axis=-1):
        scores = np.einsum(f"{layout},{layout.replace('t', 's')}->bhts", q, k) / np.sqrt(q.shape[-1])
        return np.einsum(f"bhts,{layout.replace('t', 's')}->{layout}", softmax(np.where(widen(mask), scores, -1e9), axis), v)

    result = glassbox.check("attention", lambda q, k, v, mask=None: attention(q, k, v, mask), quiet=True)
    assert result, result.text
    wrong = glassbox.check("attention", lambda q, k, v, mask=None: attention(q, k, v, mask, 1), quiet=True)
    assert not wrong and set(wrong.mistakes) <= {"attention/over-heads"}, wrong.text


def by_places(q, k, v):
    b, c, n = q.shape
    return v @ np.swapaxes(softmax(np.swapaxes(q, 1, 2) @ k / np.sqrt(n)), 1, 2)


def test_of_channels_before_the_positions_a_mistake_is_named():
    result = glassbox.check("attention", by_places, quiet=True)
    assert result.mistakes == ["scaled/number-of-queries"] and "taken as (batch, width, position)" in result.text, result.text


def of_all_behind(x, gamma, beta, eps=1e-5):
    axes = tuple(range(1, x.ndim))
    return gamma * (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps) + beta


def of_rows(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + eps) + beta


def test_a_norm_of_all_axes_behind_the_first_is_wrong_though_it_is_right_for_one_sequence():
    result = glassbox.check("layer-norm", of_all_behind, quiet=True)
    assert not result and result.mistakes, result.text
    assert glassbox.check("layer-norm", of_rows, quiet=True)
