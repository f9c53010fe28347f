"""Modules of PyTorch as they are."""
import numpy as np
import pytest

import glassbox

torch = pytest.importorskip("torch")
nn = torch.nn


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def encoder_layer(**words):
    return nn.TransformerEncoderLayer(12, 3, 20, **words)


BUILTIN = [("multihead", lambda: nn.MultiheadAttention(12, 3)),
           ("multihead", lambda: nn.MultiheadAttention(8, 4, batch_first=True, bias=False)),
           ("encoder-block", encoder_layer),
           ("encoder-block", lambda: encoder_layer(norm_first=True, activation="gelu", batch_first=True)),
           ("decoder-block", lambda: nn.TransformerDecoderLayer(12, 3, 20)),
           ("encoder", lambda: nn.TransformerEncoder(encoder_layer(), 2)),
           ("decoder", lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(12, 3, 20), 2))]


@pytest.mark.parametrize("layer, make", BUILTIN, ids=range(len(BUILTIN)))
def test_pytorchs_own_modules_are_right(layer, make):
    result = glassbox.check(layer, make(), quiet=True)
    assert result, result.text


class Attention(nn.Module):
    """With a matrix each for queries, keys and values."""
    def __init__(self, width, heads, divisor=None, names=("W_q", "W_k", "W_v", "W_o"), axis=-1):
        super().__init__()
        self.num_heads, self.divisor, self.names, self.axis = heads, divisor or width // heads, names, axis
        for name in names:
            setattr(self, name, nn.Linear(width, width))

    def forward(self, query, key, value, mask=None):
        batch, length, width = query.shape
        q, k, v = (getattr(self, name)(x).view(batch, -1, self.num_heads, width // self.num_heads).transpose(1, 2)
                   for name, x in zip(self.names, (query, key, value)))
        scores = q @ k.transpose(-2, -1) / self.divisor ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        values = (scores.softmax(self.axis) @ v).transpose(1, 2).reshape(batch, length, width)
        return getattr(self, self.names[3])(values)


@pytest.mark.parametrize("names", [("W_q", "W_k", "W_v", "W_o"), ("q_proj", "k_proj", "v_proj", "out_proj"),
                                   ("query", "key", "value", "dense"), ("to_q", "to_k", "to_v", "to_out"),
                                   ("w_queries", "w_keys", "w_vals", "w_final"), ("queries", "keys", "values", "fc")])
def test_own_modules_by_usual_names(names):
    assert glassbox.check("multihead", Attention(12, 3, names=names), quiet=True)
    wrong = glassbox.check("multihead", Attention(12, 3, divisor=12, names=names), quiet=True)
    assert wrong.mistakes == ["scaled/d_model"], wrong.text


def test_what_minus_infinity_would_hide_is_found_without_a_mask():
    result = glassbox.check("multihead", Attention(12, 3, axis=2), quiet=True)
    assert result.mistakes == ["attention/over-queries"] and "every key is seen" in result.text
    assert "as well" not in result.text, result.text  # its mask is right


def test_the_module_itself_is_left_as_it_is():
    module = Attention(12, 3).train()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    glassbox.check("multihead", module, quiet=True)
    assert module.training and all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


def test_dtype_and_device_are_the_modules():
    seen = []

    class Spy(Attention):
        def forward(self, query, key, value, mask=None):
            seen.append((query.dtype, query.device.type))
            return super().forward(query, key, value, mask)

    assert glassbox.check("multihead", Spy(12, 3).double(), quiet=True)
    assert seen[0] == (torch.float64, "cpu")


def test_names_that_say_nothing_are_told():
    module = Attention(12, 3, names=("first", "second", "third", "fourth"))
    assert glassbox.check("multihead", module, quiet=True)  # by their use
    with pytest.raises(glassbox.Error, match="Attention: the names of these parameters do not say .*: first.weight"):
        glassbox.trace("multihead", weights=module)


def test_functions_of_tensors():
    def attention(q, k, v, mask=None):
        scores = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1)
        return (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).softmax(-1) @ v

    assert glassbox.check("attention", attention, quiet=True).mistakes == ["scaled/no-root"]
    assert glassbox.check("attention", attention, dtype=torch.bfloat16, quiet=True).mistakes[0] == "scaled/no-root"
    if hasattr(nn.functional, "scaled_dot_product_attention"):
        right = nn.functional.scaled_dot_product_attention
        assert glassbox.check("attention", lambda q, k, v, mask: right(q, k, v, mask), framework="torch", quiet=True)


def test_a_trace_with_a_modules_weights():
    module, x = encoder_layer(batch_first=True).eval(), torch.randn(2, 5, 12)
    for weights in (module, module.state_dict()):
        steps = glassbox.trace("encoder-block", x=x, weights=weights, heads=3)
        assert np.abs(steps.result - module(x).detach().numpy()).max() < 1e-5


def test_a_module_that_fails_is_told_with_its_own_line():
    class Broken(Attention):
        def forward(self, query, key, value, mask=None):
            return super().forward(query, key, value.repeat(1, 3, 1), mask)

    result = glassbox.check("multihead", Broken(12, 3), quiet=True)
    assert not result and "line" in result.text and "RuntimeError" in result.text, result.text


class Fused(nn.Module):
    """One projection with all queries, then all keys, then all values; its name could also be the tutorial's."""
    def __init__(self, factor=1.0):
        super().__init__()
        self.num_heads, self.factor = 2, factor
        self.qkv_proj, self.o_proj = nn.Linear(12, 36), nn.Linear(12, 12)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv_proj(x).view(batch, length, 3, 2, 6).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-2, -1) / 6**0.5 * self.factor).softmax(-1)
        return self.o_proj((weights @ v).transpose(1, 2).reshape(batch, length, width))


def test_a_fused_projection_may_have_either_order():
    assert glassbox.check("multihead", Fused(), quiet=True)
    assert glassbox.check("multihead", Fused(6**0.5), quiet=True).mistakes == ["scaled/not-divided"]


class OneMatrix(nn.Module):
    """One matrix for keys and values, and of self-attention for queries, too: their rows one behind the other or, as others
    write it, each head's together."""
    def __init__(self, name, is_by_head, bias=True, divisor=4, turns_round=False):
        super().__init__()
        self.num_heads, self.name, self.is_by_head = 3, name, is_by_head
        self.divisor, self.turns_round = divisor, turns_round
        self.is_cross = "q" not in name
        self.add_module(name, nn.Linear(12, 24 if self.is_cross else 36, bias=bias))
        self.linear_layer = nn.Linear(12, 12)
        if self.is_cross:
            self.q_layer = nn.Linear(12, 12, bias=bias)

    def of_heads(self, rows):
        return rows.reshape(*rows.shape[:2], 3, -1).transpose(1, 2)

    def attended(self, x, *memory):
        rows = getattr(self, self.name)(*(memory or (x, )))
        count = 2 if memory else 3
        if self.is_by_head:
            parts = list(self.of_heads(rows).chunk(count, -1))
        else:
            parts = [self.of_heads(each) for each in rows.chunk(count, -1)]
        q = self.of_heads(self.q_layer(x)) if memory else parts.pop(0)
        k, v = parts[::-1] if self.turns_round else parts
        values = (q @ k.mT / self.divisor**0.5).softmax(-1) @ v
        return self.linear_layer(values.transpose(1, 2).reshape(*x.shape))


class SelfOfOne(OneMatrix):
    def forward(self, x):
        return self.attended(x)


class CrossOfOne(OneMatrix):
    def forward(self, x, memory):
        return self.attended(x, memory)


ONE_MATRIX = [("multihead", SelfOfOne, "qkv"), ("multihead", SelfOfOne, "qkv_layer"), ("cross-attention", CrossOfOne, "to_kv"),
              ("cross-attention", CrossOfOne, "kv_layer")]


@pytest.mark.parametrize("layer, make, name", ONE_MATRIX)
@pytest.mark.parametrize("is_by_head", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_one_matrix_for_several_may_have_either_order(layer, make, name, is_by_head, bias):
    result = glassbox.check(layer, make(name, is_by_head, bias), backward=True, quiet=True)
    assert result and len(result.gradients) >= 4, result.text
    assert ("is read head by head" in result.text) == is_by_head, result.text
    steps = glassbox.check(layer, make(name, is_by_head, bias), steps=True, quiet=True)
    assert steps and len(steps.steps) >= 5, steps.text
    wrong = glassbox.check(layer, make(name, is_by_head, bias, divisor=1), quiet=True)
    assert wrong.mistakes == ["scaled/not-divided"], wrong.text
    exchanged = glassbox.check(layer, make(name, is_by_head, bias, turns_round=True), quiet=True)
    assert exchanged.mistakes == ["K/exchanged"], exchanged.text


def test_a_recorded_module_of_one_matrix_has_the_steps_that_are_seen():
    with glassbox.record(CrossOfOne("to_kv", True)) as steps:
        steps.module(torch.randn(1, 3, 12), torch.randn(1, 4, 12))
    assert {"Q", "scaled", "attention", "concat", "output"} == set(steps.steps)


class Padded(nn.Module):
    """PyTorch's layer within another, which takes a row of keys for each sequence."""
    def __init__(self, batch_first=True):
        super().__init__()
        self.attn = nn.MultiheadAttention(12, 3, batch_first=batch_first)

    def forward(self, x, key_padding_mask=None):
        return self.attn(x, x, x, key_padding_mask=key_padding_mask)[0]


def test_a_layer_within_a_module_and_a_mask_of_keys():
    class Named(Padded):
        def forward(self, x, pad):
            return super().forward(x, pad)

    assert glassbox.check("multihead", Named(), quiet=True)
    assert glassbox.check("multihead", Padded(), mask="hide", quiet=True)
    assert "masked/inverted" in glassbox.check("multihead", Padded(), mask="keep", quiet=True).mistakes
    over_batch = Padded(batch_first=False)
    over_batch.forward = lambda x: over_batch.attn(x, x, x)[0]
    assert "Q/batch-first" in glassbox.check("multihead", over_batch, quiet=True).mistakes


class Block(nn.Module):
    """An encoder block around PyTorch's attention, as people write it."""
    def __init__(self, attn="attn", ff="ff", norm="ln", batch_first=True, pre=False, inside=(nn.ReLU(),),
                 residual=True):
        super().__init__()
        self.parts = attn, ff, f"{norm}1", f"{norm}2"
        self.batch_first, self.pre, self.residual = batch_first, pre, residual
        setattr(self, attn, nn.MultiheadAttention(12, 3, batch_first=batch_first))
        setattr(self, ff, nn.Sequential(nn.Linear(12, 20), *inside, nn.Linear(20, 12)))
        for name in self.parts[2:]:
            setattr(self, name, nn.LayerNorm(12))

    def attend(self, part, x, memory, mask=None):
        turn = (lambda each: each) if self.batch_first else (lambda each: each.transpose(0, 1))
        return turn(part(turn(x), turn(memory), turn(memory), attn_mask=mask)[0])

    def forward(self, x, mask=None):
        attn, ff, norm1, norm2 = (getattr(self, name) for name in self.parts)
        if self.pre:
            y = norm1(x)
            x = x + self.attend(attn, y, y, mask)
            return x + ff(norm2(x)) if self.residual else ff(norm2(x))
        x = norm1(x + self.attend(attn, x, x, mask))
        return norm2(x + ff(x) if self.residual else ff(x))


@pytest.mark.parametrize("words", [
    {}, {"attn": "attn", "ff": "mlp"}, {"attn": "attention", "ff": "feed_forward", "norm": "norm"},
    {"attn": "mha", "ff": "ffn"}, {"attn": "self_attn", "ff": "ffn", "norm": "norm"}, {"attn": "inner"},
    {"inside": (nn.ReLU(), nn.Dropout(0.1))}, {"inside": (nn.GELU(), nn.Dropout(0.1)), "pre": True},
    {"batch_first": False, "pre": True}, {"batch_first": False}
], ids=str)
def test_own_blocks_around_pytorchs_attention(words):
    result = glassbox.check("encoder-block", Block(**words), quiet=True)
    assert result and 'mask="hide"' in result.text and ('norm="pre"' in result.text) == ("pre" in words), result.text
    wrong = glassbox.check("encoder-block", Block(**words, residual=False), quiet=True)
    assert any("residual/left-out" in name for name in wrong.mistakes), wrong.text


def test_what_is_said_of_a_block_is_not_taken_otherwise():
    assert "masked/inverted" in glassbox.check("encoder-block", Block(), mask="keep", quiet=True).text
    assert not glassbox.check("encoder-block", Block(pre=True), norm="post", quiet=True)
    said = glassbox.check("encoder-block", Block(pre=True), mask="hide", norm="pre", quiet=True)
    assert said and "taken with" not in said.text


class DecoderBlock(Block):
    def __init__(self, own, other, **words):
        super().__init__(own, **words)
        self.other = other
        setattr(self, other, nn.MultiheadAttention(12, 3, batch_first=self.batch_first))
        self.ln3 = nn.LayerNorm(12)

    def forward(self, x, memory, mask=None):
        own, ff, norm1, norm2 = (getattr(self, name) for name in self.parts)
        x = norm1(x + self.attend(own, x, x, mask))
        x = norm2(x + self.attend(getattr(self, self.other), x, memory))
        return self.ln3(x + ff(x))


@pytest.mark.parametrize("names", [("self_attn", "cross_attn"), ("attn1", "attn2"), ("attn_1", "attn_2"),
                                   ("self_attention", "encoder_attention"), ("masked_attn", "attn"),
                                   ("attn", "cross_attn"), ("self_attn", "multihead_attn"), ("one", "another")])
def test_own_decoder_blocks_with_two_attentions(names):
    result = glassbox.check("decoder-block", DecoderBlock(*names), quiet=True)
    assert result, result.text


def test_the_order_of_two_attentions_is_said_by_their_names():
    from glassbox.module_names import scopes_of
    modules = ["cross.in_proj", "cross.out_proj", "causal.in_proj", "causal.out_proj"]
    assert scopes_of(modules) == {"causal": "self_attn.", "cross": "multihead_attn."}
    assert scopes_of(["a.q_proj", "b.q_proj"]) == {"a": "self_attn.", "b": "multihead_attn."}


@pytest.mark.parametrize("name", ["layer", "multihead_attn", "m"])
def test_a_module_that_only_wraps_attention(name):
    class Wrapper(nn.Module):
        def __init__(self):
            super().__init__()
            setattr(self, name, nn.MultiheadAttention(12, 3, batch_first=True))

        def forward(self, x, mask=None):
            return getattr(self, name)(x, x, x, attn_mask=mask)[0]

    assert glassbox.check("multihead", Wrapper(), quiet=True)


def test_a_wrapped_layer():
    assert glassbox.check("encoder-block", nn.Sequential(encoder_layer(batch_first=True)), quiet=True)


class Norm(nn.Module):
    """A layer norm with names of its own."""
    def __init__(self, gain, shift, eps=1e-5):
        super().__init__()
        self.names, self.eps = (gain, shift), eps
        setattr(self, gain, nn.Parameter(torch.ones(12)))
        setattr(self, shift, nn.Parameter(torch.zeros(12)))

    def forward(self, x):
        gain, shift = (getattr(self, name) for name in self.names)
        centred = x - x.mean(-1, keepdim=True)
        return gain * centred / torch.sqrt(x.var(-1, keepdim=True, unbiased=False) + self.eps) + shift


@pytest.mark.parametrize("names", [("gamma", "beta"), ("a_2", "b_2"), ("g", "b"), ("scale", "shift")])
def test_own_layer_norms_by_their_names(names):
    block = Block()
    block.ln1, block.ln2 = Norm(*names), Norm(*names)
    assert glassbox.check("encoder-block", block, quiet=True)
    block.ln2.eps = 1.0
    assert not glassbox.check("encoder-block", block, quiet=True)


class Annotated(nn.Module):
    """An encoder layer with the names of the Annotated Transformer."""
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.h, self.linears = 3, nn.ModuleList([nn.Linear(12, 12) for _ in range(4)])

        def forward(self, query, key, value, mask=None):
            batch = query.size(0)
            q, k, v = (part(x).view(batch, -1, self.h, 4).transpose(1, 2)
                       for part, x in zip(self.linears, (query, key, value)))
            scores = q @ k.transpose(-2, -1) / 2
            scores = scores if mask is None else scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
            return self.linears[-1]((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, -1, 12))

    class Sublayer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = Norm("a_2", "b_2")

        def forward(self, x, sublayer):
            return x + sublayer(self.norm(x))

    def __init__(self):
        super().__init__()
        self.self_attn, self.feed_forward = self.Attention(), nn.Module()
        self.feed_forward.w_1, self.feed_forward.w_2 = nn.Linear(12, 20), nn.Linear(20, 12)
        self.sublayer = nn.ModuleList([self.Sublayer(), self.Sublayer()])

    def forward(self, x, mask):
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, mask))
        return self.sublayer[1](x, lambda x: self.feed_forward.w_2(self.feed_forward.w_1(x).relu()))


def test_the_names_of_the_annotated_transformer():
    assert glassbox.check("multihead", Annotated.Attention(), quiet=True)
    result = glassbox.check("encoder-block", Annotated(), quiet=True)
    assert result and 'norm="pre"' in result.text, result.text


class OneMistake(Attention):
    """Its mask needs an axis for the heads."""
    mistake = ""

    def split(self, x):
        return x.view(-1, 3, 5, 4) if self.mistake == "Q/no-permute" else x.view(-1, 5, 3, 4).transpose(1, 2)

    def forward(self, x, mask=None):
        q, k, v = (self.split(getattr(self, name)(x)) for name in self.names[:3])
        scores = q @ k.transpose(-2, -1) / (4 if self.mistake == "scaled/no-root" else 2)
        scores = scores if mask is None else scores.masked_fill(mask == 0, -1e9)
        values = scores.softmax(-1) @ v
        values = (values if self.mistake == "concat/no-permute" else values.transpose(1, 2)).reshape(x.shape)
        return values if self.mistake == "linear/left-out" else self.out_proj(values)


@pytest.mark.parametrize("mistake", ["linear/left-out", "Q/no-permute", "concat/no-permute", "scaled/no-root"])
def test_own_steps_do_not_change_which_mistake_it_is(mistake):
    module = OneMistake(12, 3, names=("q_proj", "k_proj", "v_proj", "out_proj"))
    assert glassbox.check("multihead", module, steps=True, quiet=True)
    module.mistake = mistake
    for steps in (False, True):
        result = glassbox.check("multihead", module, steps=steps, quiet=True)
        assert result.mistakes == [mistake], result.text


@pytest.mark.parametrize("pre", [False, True])
def test_right_blocks_are_right_by_their_own_steps_too(pre):
    for module in (Block(pre=pre), encoder_layer(norm_first=pre), Annotated() if pre else Block(norm="norm")):
        result = glassbox.check("encoder-block", module, steps=True, quiet=True)
        assert result, result.text


def test_what_is_taken_from_a_module_is_told():
    result = glassbox.check("encoder-block", encoder_layer(norm_first=True, activation="gelu"), quiet=True)
    assert result and 'norm="pre"' in result.text and 'activation="gelu"' in result.text
    own = glassbox.check("encoder-block", Block(inside=(nn.GELU(), )), quiet=True)
    assert own and 'activation="gelu"' in own.text
    assert "taken with" not in glassbox.check("encoder-block", encoder_layer(), quiet=True).text


def test_another_order_of_the_norms_than_asked_for_is_told():
    for module in (Block(pre=True), encoder_layer(norm_first=True)):
        result = glassbox.check("encoder-block", module, norm="post", mask="hide", quiet=True)
        assert not result and result.right_with == 'norm="pre"', result.text


def test_an_input_of_another_width_is_told():
    module, x = nn.MultiheadAttention(12, 3), torch.randn(2, 5, 7)
    for ask in (lambda: glassbox.check("multihead", module, x=x, quiet=True),
                lambda: glassbox.trace("multihead", x=x, weights=module)):
        with pytest.raises(glassbox.Error, match=r"^x: MultiheadAttention takes vectors of 12 .* \(2, 5, 7\)$"):
            ask()


class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(12, 3, batch_first=True)
        self.up, self.down, self.calm, self.rest = nn.Linear(12, 20), nn.Linear(20, 12), nn.LayerNorm(12), nn.LayerNorm(12)

    def forward(self, x):
        x = self.calm(x + self.attn(x, x, x)[0])
        return self.rest(x + self.down(self.up(x).relu()))


def test_parameters_that_are_not_known_are_named_and_may_be_said():
    module = Odd()
    with pytest.raises(glassbox.Error) as raised:
        glassbox.trace("encoder-block", weights=module)
    first, second, third = str(raised.value).split("\n")
    assert "Odd: " in first and "calm.weight" in first and "rest.bias" in first and "attn." not in first
    assert "linear1.weight" in second and 'weights={"NAME": array' in third and "q_proj.weight" in third
    assert "docs/" not in third and "::" not in str(raised.value)
    assert "told by their use" in glassbox.check("encoder-block", module, quiet=True).text
    names = {"attn": "self_attn", "up": "linear1", "down": "linear2", "calm": "norm1", "rest": "norm2"}
    said = {names[name.partition(".")[0]] + "." + name.partition(".")[2]: each
            for name, each in module.named_parameters()}
    assert glassbox.check("encoder-block", module, weights=said, quiet=True)
    with pytest.raises(glassbox.Error, match="Block: its parameters are not those of the layer decoder-block\n  miss"):
        glassbox.check("decoder-block", Block())


def test_a_module_that_keeps_its_last_weights_is_checked():
    class Keeps(Attention):
        def forward(self, query, key, value, mask=None):
            output = super().forward(query, key, value, mask)
            self.last, self.both = output * 2, (output, output + 1)
            return output

    module, x = Keeps(12, 3), torch.randn(2, 5, 12)
    module(x, x, x)
    assert module.last.grad_fn is not None
    assert glassbox.check("multihead", module, quiet=True)


class InAList(Attention):
    def forward(self, query, key, value, mask=None):
        return [super().forward(query, key, value, mask)]


def test_a_list_of_one_array_is_that_array():
    result = glassbox.check("multihead", InAList(12, 3), backward=True, quiet=True)
    assert result and result.gradients, result.text


def test_a_module_that_cannot_be_copied_is_told():
    module = Attention(12, 3)
    module.file = open(__file__, encoding="utf-8")
    with module.file, pytest.raises(glassbox.Error, match="Attention cannot be copied"):
        glassbox.check("multihead", module, quiet=True)


def test_a_list_of_blocks_called_h_is_no_number_of_heads():
    from glassbox.modules import heads_of

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.h = nn.ModuleList([Attention(12, 3) for _ in range(4)])

    assert heads_of(Model()) == 3


class Head(nn.Module):
    """One head, with layers of its own for queries, keys and values."""
    def __init__(self, names=("query", "key", "value"), bias=False, block=None, divisor=5, axis=-1, sliced=True):
        super().__init__()
        self.names, self.divisor, self.axis, self.sliced = names, divisor, axis, sliced
        for name in names:
            setattr(self, name, nn.Linear(12, 5, bias=bias))
        if block:
            self.register_buffer("tril", torch.tril(torch.ones(block, block)))
        self.dropout = nn.Dropout(0.3)

    def forward(self, x):
        q, k, v = (getattr(self, name)(x) for name in self.names)
        s = q @ k.transpose(-2, -1) / self.divisor**0.5
        if hasattr(self, "tril"):
            length = x.shape[1]
            s = s.masked_fill((self.tril[:length, :length] if self.sliced else self.tril) == 0, float("-inf"))
        return self.dropout(s.softmax(self.axis)) @ v


@pytest.mark.parametrize("words", [{}, {"names": ("to_q", "to_k", "to_v")}, {"names": ("W_q", "W_k", "W_v")}, {"bias": True},
                                   {"block": 32}, {"block": 4}, {"block": 9, "sliced": False}])
def test_one_head_with_its_own_layers_is_attention(words):
    result = glassbox.check("attention", Head(**words), quiet=True, backward=True)
    assert result and [each.name for each in result.gradients] == ["x", "W_Q", "W_K", "W_V"], result.text
    assert ("its buffer tril hides later keys" in result.text) == ("block" in words)
    assert not glassbox.check("attention", Head(**words, divisor=1), quiet=True)
    assert glassbox.check("attention", Head(**words, axis=-2), quiet=True).mistakes == ["attention/over-queries"]


def test_one_head_and_its_mask_as_said():
    assert glassbox.check("attention", Head(block=32), mask="causal", quiet=True)
    assert glassbox.check("attention", Head(), mask="causal", quiet=True).mistakes == ["masked/ignored"]
    assert glassbox.check("attention", Head(block=32), mask="none", quiet=True).mistakes == ["attention/causal"]
    x = torch.randn(2, 4, 12)
    assert glassbox.check("attention", Head(bias=True), x=x, quiet=True)
    head = Head(bias=True)
    head.eval()
    np.testing.assert_allclose(glassbox.trace("attention", weights=head, x=x)["values"], head(x).detach(), atol=1e-5)


def test_a_buffer_that_hides_nothing_is_told():
    head = Head()
    head.register_buffer("later", torch.tril(torch.ones(8, 8)))
    result = glassbox.check("attention", head, quiet=True)
    assert result and "its buffer later hides nothing here" in result.text, result.text


def test_what_projects_its_result_is_not_attention():
    with pytest.raises(glassbox.Error, match=r"W_o.weight projects the result.*check\(\"multihead\""):
        glassbox.check("attention", Attention(12, 1), quiet=True)


class Second(nn.Module):
    """fairseq's: (T, B, C), a mask of padding (B, T) that hides, and the weights' mean over the heads."""
    def __init__(self, divisor=4):
        super().__init__()
        self.num_heads, self.divisor = 3, divisor
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(12, 12) for _ in range(4))

    def forward(self, query, key, value, key_padding_mask=None):
        tgt_len, bsz, width = query.size()
        q, k, v = (f(x).view(-1, bsz * 3, 4).transpose(0, 1)
                   for f, x in ((self.q_proj, query), (self.k_proj, key), (self.v_proj, value)))
        s = (q @ k.transpose(1, 2) / self.divisor**0.5).view(bsz, 3, tgt_len, -1)
        if key_padding_mask is not None:
            s = s.masked_fill(key_padding_mask[:, None, None, :].bool(), float("-inf"))
        p = s.softmax(-1).view(bsz * 3, tgt_len, -1)
        return self.out_proj((p @ v).transpose(0, 1).reshape(tgt_len, bsz, width)), p.view(bsz, 3, tgt_len, -1).mean(1)


def test_a_module_whose_batch_comes_second():
    result = glassbox.check("multihead", Second(), quiet=True)
    assert result and "taken as (position, batch, width)" in result.text, result.text
    assert glassbox.check("multihead", Second(12), quiet=True).mistakes == ["scaled/d_model"]


class Positions(nn.Module):
    """As PyTorch's tutorial has it."""
    def __init__(self, base=10000.0):
        super().__init__()
        angle = torch.arange(50).unsqueeze(1) * torch.exp(torch.arange(0, 12, 2) * (-np.log(base) / 12))
        table = torch.zeros(50, 1, 12)
        table[:, 0, 0::2], table[:, 0, 1::2] = torch.sin(angle), torch.cos(angle)
        self.register_buffer("pe", table)

    def forward(self, x):
        return x + self.pe[:x.size(0)]


def test_positions_of_a_batch_that_comes_second():
    result = glassbox.check("positional", Positions(), quiet=True)
    assert result and "self.pe[:x.size(0)]" in result.text, result.text
    assert glassbox.check("positional", Positions(1000.0), quiet=True).mistakes == ["encoding/base"]


class Decoder(nn.Module):
    """With a mask of the memory beside its own, by names of several sources."""
    def __init__(self, names, residual=True):
        super().__init__()
        self.names, self.residual = names, residual
        attention = ("w_q", "w_k", "w_v", "w_concat")
        parts = [*(Attention(12, 3, names=attention) for _ in range(2)),
                 nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 12)), *(nn.LayerNorm(12) for _ in range(3))]
        for name, part in zip(names, parts):
            setattr(self, name, part)

    def forward(self, trg, enc_src, trg_mask, src_mask):
        own, cross, network, *norms = (getattr(self, name) for name in self.names)
        trg = norms[0](trg + own(trg, trg, trg, trg_mask))
        trg = norms[1](self.residual * trg + cross(trg, enc_src, enc_src, src_mask))
        return norms[2](trg + network(trg))


@pytest.mark.parametrize("names", [
    ("self_attention", "encoder_attention", "positionwise_feedforward", "self_attn_layer_norm", "enc_attn_layer_norm",
     "ff_layer_norm"), ("self_attn", "encoder_attn", "ffn", "self_attn_layer_norm", "encoder_attn_layer_norm",
                        "final_layer_norm"), ("sa", "cross_attn", "ffwd", "ln1", "ln2", "ln3")])
def test_decoder_blocks_by_the_names_of_several_sources(names):
    result = glassbox.check("decoder-block", Decoder(names), quiet=True)
    assert result and "its src_mask is given as one under which every key of the memory is seen" in result.text, result.text
    assert glassbox.check("decoder-block", Decoder(names, False), quiet=True).mistakes == ["residual2: residual/left-out"]


@pytest.mark.parametrize("epsilon", [1e-12, 1e-4])
def test_an_epsilon_is_the_modules_own(epsilon):
    result = glassbox.check("encoder-block", encoder_layer(layer_norm_eps=epsilon), quiet=True)
    assert result and f"read with epsilon={epsilon:g}" in result.text, result.text
    assert not glassbox.check("encoder-block", encoder_layer(layer_norm_eps=epsilon), epsilon=0.1, quiet=True)


class WithLambda(nn.Module):
    """A network kept as a function of the module's own parts, as minGPT has it."""
    def __init__(self):
        super().__init__()
        self.linear1, self.linear2, self.dropout = nn.Linear(12, 20), nn.Linear(20, 12), nn.Dropout(0.5)
        self.network = lambda x: self.dropout(self.linear2(torch.relu(self.linear1(x))))

    def forward(self, x):
        return self.network(x)


def test_a_function_that_a_module_keeps_goes_with_its_copy():
    result = glassbox.check("feed-forward", WithLambda(), quiet=True)
    assert result, result.text


def test_of_a_mask_with_another_meaning_than_was_said_nothing_else_is_named():
    def attention(q, k, v, mask):
        scores = (q @ k.transpose(-1, -2) / q.shape[-1]**0.5).masked_fill(~mask.bool(), -1e9)
        return scores.softmax(-1) @ v

    result = glassbox.check("attention", attention, mask="hide", quiet=True)
    assert result.right_with == "mask=\"keep\"" and "evenly-weighted" not in result.text, result.text


def test_subscripts_of_einsum_say_that_the_batch_is_second():
    def attention(q, k, v):
        scores = torch.einsum("ibd,jbd->ijb", q, k) / q.shape[-1]**0.5
        return torch.einsum("ijb,jbd->ibd", scores.softmax(1), v)

    result = glassbox.check("attention", attention, quiet=True)
    assert result and "taken as (position, batch, width)" in result.text, result.text


class OtherWords(nn.Module):
    """By other words for how many heads there are, or how wide each is."""
    def __init__(self, own, axis=-1):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(20, 20) for _ in range(4))
        self.__dict__.update(own, axis=axis)

    def forward(self, x):
        q, k, v = (each(x).unflatten(-1, (5, 4)).transpose(1, 2) for each in (self.q, self.k, self.v))
        values = (q @ k.mT / 2).softmax(self.axis) @ v
        return self.o(values.transpose(1, 2).flatten(2))


@pytest.mark.parametrize("own", [{"num_head": 5}, {"n_attn_heads": 5}, {"config": {"n_head": 5}}, {"dim_head": 4}])
def test_heads_are_read_by_any_usual_name_from_a_config_or_from_their_width(own):
    assert glassbox.check("multihead", OtherWords(own), quiet=True)
    assert glassbox.check("multihead", OtherWords(own, axis=-2), quiet=True).mistakes == ["attention/over-queries"]


class WithFlow(nn.Module):
    """A decoder block whose mask has a name that says nothing."""
    def __init__(self):
        super().__init__()
        self.self_attn, self.cross_attn = Attention(12, 3), Attention(12, 3)
        self.linear1, self.linear2 = nn.Linear(12, 20), nn.Linear(20, 12)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(12) for _ in range(3))

    def forward(self, x, memory, flow=None):
        x = self.norm1(x + self.self_attn(x, x, x, flow))
        x = self.norm2(x + self.cross_attn(x, memory, memory))
        return self.norm3(x + self.linear2(self.linear1(x).relu()))


def test_a_mask_may_be_what_is_none_by_default():
    result = glassbox.check("decoder-block", WithFlow(), quiet=True)
    assert result and "flow is read as mask" in result.text, result.text


class TwoSlips(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn, self.linear1, self.linear2 = Attention(12, 3, divisor=16), nn.Linear(12, 20), nn.Linear(20, 12)
        self.norm1, self.norm2 = nn.LayerNorm(12), nn.LayerNorm(12)

    def forward(self, x):
        x = self.norm1(x + self.self_attn(x, x, x))
        return self.norm2(x + self.linear2(self.linear1(x)))


def test_two_slips_of_a_block_are_told_by_what_its_parts_give():
    result = glassbox.check("encoder-block", TwoSlips(), quiet=True)
    assert "told by what its parts give" in result.text, result.text
    assert "scaled/no-root" in result.brief and "relu/not-applied" in result.brief, result.brief
