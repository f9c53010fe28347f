"""Masks as blocks have them: what is theirs to choose is tried before a mistake is looked for, and said."""
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

import glassbox  # noqa: E402
from glassbox.signature import Plan, is_mask  # noqa: E402


class Block(nn.Module):
    """Pre-norm or post-norm; `attend` hides keys in its own way."""
    def __init__(self, attend, divisor=4):
        super().__init__()
        self.num_heads, self.attend, self.divisor = 3, attend, divisor
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(12, 12) for _ in range(4))
        self.linear1, self.linear2 = nn.Linear(12, 20), nn.Linear(20, 12)
        self.norm1, self.norm2 = nn.LayerNorm(12), nn.LayerNorm(12)

    def heads(self, x):
        return x.unflatten(-1, (3, -1)).transpose(1, 2)

    def block(self, x, mask):
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_proj(x)), self.heads(self.v_proj(x))
        scores = self.attend(q @ k.mT / self.divisor**0.5, mask)
        x = self.norm1(x + self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)))
        return self.norm2(x + self.linear2(self.linear1(x).relu()))


def hidden(scores, mask):
    return scores.masked_fill(mask[:, None] == 0, -1e9)


def padded(scores, mask):
    return scores.masked_fill(mask[:, None, None], float("-inf"))


class ReturnsItsMask(Block):
    def forward(self, x, mask):
        return self.block(x, mask), mask


class OfPadding(Block):
    def forward(self, x, encoder_padding_mask):
        return self.block(x, encoder_padding_mask.to(torch.bool))


class OfHeads(Block):
    def forward(self, x, mask=None, head_mask=None):
        return self.block(x, mask) if head_mask is None else self.block(x, mask) * head_mask


class SequenceFirst(Block):
    def forward(self, *, x, mask, src=None):
        seq_len, batch_size, _ = x.shape
        assert mask.shape[:2] == (seq_len, seq_len) and mask.shape[2] in (1, batch_size)
        x = x.transpose(0, 1) if src is None else x + src
        return self.block(x, mask.permute(2, 0, 1)).transpose(0, 1)


@pytest.mark.parametrize("make, attend, said", [
    (ReturnsItsMask, hidden, ""), (OfPadding, padded, 'read with mask="hide"'), (OfHeads, hidden, ""),
    (SequenceFirst, hidden, "taken as (position, batch, width)")], ids=lambda each: getattr(each, "__name__", ""))
def test_a_blocks_mask_is_taken_as_it_has_it(make, attend, said):
    torch.manual_seed(0)
    result = glassbox.check("encoder-block", make(attend), quiet=True)
    assert result and said in result.text, result.text
    assert glassbox.check("encoder-block", make(attend, divisor=1), quiet=True).mistakes == ["scaled/not-divided"]


def added(scores, mask):
    return scores if mask is None else scores + (mask if mask.ndim < 3 else mask[:, None])


def added_of_four(scores, mask):
    if mask is not None and mask.dim() != 4:
        raise ValueError(f"expected (batch, 1, query, key), got {tuple(mask.shape)}")
    return scores if mask is None else scores + mask


def not_added(scores, mask):
    return scores if mask is None else scores * (mask if mask.ndim < 3 else mask[:, None])


class OfAttnMask(Block):
    def forward(self, x, attn_mask=None):
        return self.block(x, attn_mask)


class OfKeyPadding(Block):
    def forward(self, x, key_padding_mask=None):
        return self.block(x, key_padding_mask if key_padding_mask is None else key_padding_mask[:, None])


class OfPaddingToAdd(Block):
    def forward(self, x, padding_mask=None):
        return self.block(x, padding_mask)


@pytest.mark.parametrize("attend", [added, added_of_four], ids=lambda each: each.__name__)
@pytest.mark.parametrize("make", [OfAttnMask, OfKeyPadding, OfPaddingToAdd], ids=lambda each: each.__name__)
def test_a_modules_mask_may_be_one_that_is_added(make, attend):
    torch.manual_seed(0)
    if (make, attend) == (OfKeyPadding, added_of_four):
        attend = lambda scores, mask: added_of_four(scores, mask[:, None])  # noqa: E731
    result = glassbox.check("encoder-block", make(attend), quiet=True)
    assert result and 'read with mask="add"' in result.text, result.text
    assert glassbox.check("encoder-block", make(attend, divisor=1), quiet=True).mistakes == ["scaled/not-divided"]


@pytest.mark.parametrize("attend, mistake", [(not_added, "masked/"), (lambda scores, mask: scores, "masked/ignored")],
                         ids=("multiplied", "ignored"))
def test_a_modules_mask_that_hides_the_wrong_keys_is_still_named(attend, mistake):
    torch.manual_seed(0)
    result = glassbox.check("encoder-block", OfAttnMask(attend), quiet=True)
    assert not result and mistake in result.text, result.text


class Decoder(Block):
    """Its second attention is of the memory."""
    def __init__(self, divisor=4):
        super().__init__(hidden, divisor)
        self.cross_attn = nn.MultiheadAttention(12, 3, batch_first=True)
        self.norm3 = nn.LayerNorm(12)

    def block(self, x, memory, mask):
        q, k, v = self.heads(self.q_proj(x)), self.heads(self.k_proj(x)), self.heads(self.v_proj(x))
        scores = q @ k.mT / self.divisor**0.5
        scores = scores if mask is None else self.attend(scores, mask)
        x = self.norm1(x + self.out_proj((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)))
        if memory is not None:
            x = self.norm2(x + self.cross_attn(x, memory, memory)[0])
        return self.norm3(x + self.linear2(self.linear1(x).relu()))


class HandsItAllOn(Decoder):
    def forward(self, tgt, tgt_mask, memory, memory_mask, cache=None):
        return self.block(tgt, memory, tgt_mask), tgt_mask, memory, memory_mask


class MaskOfMemoryFirst(Decoder):
    def forward(self, x, encoder_out=None, encoder_padding_mask=None, self_attn_mask=None):
        assert encoder_padding_mask is None or encoder_padding_mask.shape[-1] == encoder_out.shape[1]
        return self.block(x, encoder_out, self_attn_mask)


class AlsoEncodes(Decoder):
    def forward(self, *, x, mask, src=None, src_mask=None):
        return self.block(x, src, mask)


class OfWhisper(Decoder):
    def forward(self, x, xa=None, mask=None, kv_cache=None):
        return self.block(x, xa, mask)


@pytest.mark.parametrize("make", [HandsItAllOn, MaskOfMemoryFirst, AlsoEncodes, OfWhisper])
def test_a_decoder_blocks_memory_and_masks_are_known_apart(make):
    torch.manual_seed(0)
    result = glassbox.check("decoder-block", make(), mask="keep", quiet=True)
    assert result, result.text
    assert glassbox.check("decoder-block", make(divisor=1), mask="keep", quiet=True).mistakes[0] == "self_attn: scaled/not-divided"


class WithFlag(Block):
    def forward(self, x, causal=True):
        return self.block(x, torch.ones(x.shape[1], x.shape[1]).tril()[None] if causal else torch.ones(1, 1, 1))


@pytest.mark.parametrize("mask, other", [("none", "True"), ("causal", "")])
def test_a_modules_flag_is_set_as_the_layer_has_it(mask, other):
    torch.manual_seed(0)
    result = glassbox.check("encoder-block", WithFlag(hidden), quiet=True, **({} if mask == "none" else {"mask": mask}))
    assert result and (f"its behaviour with causal={other} was not judged" in result.text) == bool(other), result.text
    assert glassbox.check("encoder-block", WithFlag(hidden, divisor=1), quiet=True).mistakes == ["scaled/not-divided"]


class HidesWhereItIsTrue(Block):
    def forward(self, x, mask):
        return self.block(x, mask)


def test_a_mask_that_hides_by_a_name_that_does_not_say_it_is_told():
    torch.manual_seed(0)
    block = HidesWhereItIsTrue(lambda scores, mask: scores.masked_fill(mask[:, None], -1e18))
    result = glassbox.check("encoder-block", block, quiet=True)
    assert not result and 'All would be right with mask="hide"' in result.text, result.text


class MemoryFirst(Decoder):
    def forward(self, x, y, mask):
        return self.block(y, x, mask)


def test_a_decoder_block_may_be_given_the_memory_first():
    torch.manual_seed(0)
    result = glassbox.check("decoder-block", MemoryFirst(), mask="keep", quiet=True)
    assert result and "its parameter y is read as x" in result.text, result.text
    wrong = glassbox.check("decoder-block", MemoryFirst(divisor=1), mask="keep", quiet=True)
    assert wrong.mistakes[0] == "self_attn: scaled/not-divided", wrong.text


@pytest.mark.parametrize("name", ["encoder_padding_mask", "pad_masks", "mask_pad", "padding", "is_pad", "srcpadmask"])
def test_a_mask_of_padding_has_either_meaning(name):
    for condition in ("", "~"):
        lines = f"lambda q, k, v, {name}: (q @ k.mT / 2).masked_fill({condition}{name}, -1e9).softmax(-1) @ v"
        result = glassbox.check("attention", eval(lines, {"torch": torch}), framework="torch", dk=4, quiet=True)
        assert result, result.text
    lines = f"lambda q, k, v, {name}: (q @ k.mT).masked_fill({name}, -1e9).softmax(-1) @ v"
    assert glassbox.check("attention", eval(lines), framework="torch", dk=4, quiet=True).mistakes == ["scaled/not-divided"]


def attention_with(hide, axis=-1):
    def attention(q, k, v, mask=None):
        scores = q @ k.transpose(-2, -1)
        return (scores if mask is None else hide(scores, mask)).softmax(axis) @ v
    return attention


def test_a_mistake_of_the_mask_is_named_beside_another():
    multiplied = attention_with(lambda scores, mask: scores * mask)
    assert glassbox.check("attention", multiplied, quiet=True).mistakes == ["scaled/not-divided", "masked/zero"]
    added = attention_with(lambda scores, mask: scores + mask)  # right with a mask that is to be added
    assert glassbox.check("attention", added, quiet=True).mistakes == ["scaled/not-divided"]


def test_what_is_wrong_with_the_mask_as_well_is_said_where_it_has_no_name():
    result = glassbox.check("attention", attention_with(lambda scores, mask: scores.masked_fill(mask == 0, -10)), quiet=True)
    assert result.mistakes == ["scaled/not-divided"] and "something else is wrong as well" in result.text, result.text


@pytest.mark.parametrize("fill", [-1e4, -1e9, -math.inf])
@pytest.mark.parametrize("axis", [-1, -2])
def test_of_a_right_mask_nothing_is_said_beside_another_mistake(fill, axis):
    result = glassbox.check("attention", attention_with(lambda scores, mask: scores.masked_fill(mask == 0, fill), axis), quiet=True)
    assert not result and "as well" not in result.text, result.text


def test_a_decoder_blocks_look_ahead_mask_is_its_own_and_padding_beside_it_the_memorys():
    def block(x, memory, look_ahead_mask=None, padding_mask=None):
        return x
    plan = Plan(block, ["x", "memory", "heads"], has_mask=True)
    assert plan.masks == ["look_ahead_mask"] and "padding_mask" not in plan.named
    assert is_mask("look_ahead_mask") and not is_mask("head_mask")


def of_padding(axis):
    def attention(query, key, value, key_padding_mask=None):
        scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
        if key_padding_mask is not None:
            scores = np.where(np.expand_dims(key_padding_mask, axis), -1e9, scores)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True) @ value
    return attention


def test_a_mask_whose_name_says_padding_of_keys_is_a_row_of_keys():
    assert glassbox.check("attention", of_padding(1), quiet=True)
    assert glassbox.check("attention", of_padding(2), seq=6, quiet=True).mistakes == ["masked/transposed"]


class HidesLaterItself(nn.Module):
    """A decoder block that makes its own causal mask and is told what of the memory is padding."""
    def __init__(self):
        super().__init__()
        self.self_attn, self.cross_attn = (nn.MultiheadAttention(12, 3, batch_first=True) for _ in range(2))
        self.linear1, self.linear2 = nn.Linear(12, 20), nn.Linear(20, 12)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(12) for _ in range(3))

    def forward(self, x, context, context_mask=None):
        later = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
        hidden = None if context_mask is None else context_mask == 0
        x = self.norm1(x + self.self_attn(x, x, x, attn_mask=later)[0])
        x = self.norm2(x + self.cross_attn(x, context, context, attn_mask=hidden)[0])
        return self.norm3(x + self.linear2(self.linear1(x).relu()))


def test_a_mask_of_the_context_alone_is_the_memorys():
    result = glassbox.check("decoder-block", HidesLaterItself(), quiet=True)
    assert result, result.text
