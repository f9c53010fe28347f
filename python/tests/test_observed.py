"""What a module does that its parameters do not say: the place of its norms, its activation, its later keys."""
import warnings

import numpy as np
import pytest

import glassbox
from glassbox import activations
from glassbox.weights import weights_of


@pytest.mark.parametrize("name", activations.ALL)
def test_an_activation_is_told_by_its_numbers(name):
    x = np.random.default_rng(0).normal(size=(7, 30)) * 1.5
    assert activations.which(x, activations.ALL[name](x)) == name


def test_numbers_that_do_not_tell_which_activation_it_is():
    x = np.random.default_rng(0).normal(size=(7, 30))
    assert activations.which(np.abs(x), np.abs(x)) is None  # nothing below 0: ReLU, or none
    assert activations.which(x, x[:3]) is None and activations.which(x, np.cos(x)) is None
    assert activations.which(x[:0], x[:0]) is None and activations.which(x * np.nan, x) is None


def test_a_state_dict_of_gpt2_has_its_matrices_turned_where_they_are_hugging_faces():
    d = 4
    arrays = {"c_attn.weight": np.arange(3.0 * d * d).reshape(d, 3 * d), "c_proj.weight": np.arange(16.0).reshape(d, d),
              "mlp.c_fc.weight": np.ones((d, 4 * d)), "ln_1.weight": np.ones(d)}
    turned = weights_of(arrays)
    assert np.array_equal(turned["c_attn.weight"], arrays["c_attn.weight"].T)
    assert np.array_equal(turned["c_proj.weight"], arrays["c_proj.weight"].T)
    assert turned["mlp.c_fc.weight"].shape == (4 * d, d) and turned["ln_1.weight"].shape == (d,)
    linear = {"c_attn.weight": np.ones((3 * d, d)), "c_proj.weight": arrays["c_proj.weight"]}
    assert all(np.array_equal(weights_of(linear)[name], linear[name]) for name in linear)


torch = None


@pytest.fixture(autouse=True)
def seed():
    if torch:
        torch.manual_seed(0)


@pytest.fixture
def parts():
    global torch
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    nn, functional = torch.nn, torch.nn.functional

    class Conv1D(nn.Module):
        """As GPT-2 at Hugging Face has it: (in, out)."""
        def __init__(self, out, width):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.randn(width, out) * 0.3), nn.Parameter(torch.randn(out) * 0.1)

        def forward(self, x):
            return x @ self.weight + self.bias

    class Attention(nn.Module):
        def __init__(self, d=12, heads=3, linear=Conv1D, causal=True):
            super().__init__()
            self.c_attn, self.c_proj, self.num_heads, self.causal = linear(3 * d, d), linear(d, d), heads, causal

        def forward(self, x):
            batch, length, width = x.shape
            q, k, v = (part.view(batch, length, self.num_heads, -1).transpose(1, 2)
                       for part in self.c_attn(x).split(width, 2))
            logits = q @ k.transpose(-2, -1) / q.shape[-1]**0.5  # by hand: PyTorch 1 has no function for it
            if self.causal:
                logits = logits.masked_fill(torch.ones(length, length).triu(1).bool(), -torch.inf)
            values = logits.softmax(-1) @ v
            return self.c_proj(values.transpose(1, 2).reshape(batch, length, width))

    class NewGELU(nn.Module):
        def forward(self, x):
            return 0.5 * x * (1 + torch.tanh((2 / torch.pi)**0.5 * (x + 0.044715 * x**3)))

    class Block(nn.Module):
        """Its activation is held as a part, as a function by another name, or called in forward alone."""
        def __init__(self, pre=True, activation=functional.relu, held=None, linear=Conv1D, causal=False):
            super().__init__()
            d = 12
            self.attn, self.ln_1, self.ln_2 = Attention(d, 3, linear, causal), nn.LayerNorm(d), nn.LayerNorm(d)
            self.mlp = nn.Module()
            self.mlp.c_fc, self.mlp.c_proj = linear(20, d), linear(d, 20)
            if held:
                setattr(self.mlp, held, activation)
            self.pre, self.activation_of = pre, [activation]

        def network(self, x):
            return self.mlp.c_proj(self.activation_of[0](self.mlp.c_fc(x)))

        def forward(self, x):
            if self.pre:
                x = x + self.attn(self.ln_1(x))
                return x + self.network(self.ln_2(x))
            x = self.ln_1(x + self.attn(x))
            return self.ln_2(x + self.network(x))

    parts = type("Parts", (), {})()
    parts.Conv1D, parts.Attention, parts.Block, parts.NewGELU = Conv1D, Attention, Block, NewGELU
    parts.linear = lambda out, width: nn.Linear(width, out)
    return parts


def off(steps, module, x):
    with torch.no_grad():
        return float(np.abs(np.asarray(steps.result) - module(x).numpy()).max())


def test_a_conv1ds_matrices_are_in_out(parts):
    module, x = parts.Attention(causal=False).eval(), torch.randn(2, 5, 12)
    assert off(glassbox.trace("multihead", x=x, weights=module), module, x) < 1e-5
    assert off(glassbox.trace("multihead", x=x, weights=module.state_dict(), heads=3), module, x) < 1e-5
    result = glassbox.check("multihead", module, quiet=True)
    assert result, result.text


def test_a_module_that_hides_later_keys_is_traced_so_and_told(parts):
    module, x = parts.Attention().eval(), torch.randn(2, 5, 12)
    with pytest.warns(UserWarning, match='read with mask="causal": Attention hides later keys'):
        steps = glassbox.trace("multihead", x=x, weights=module)
    assert off(steps, module, x) < 1e-5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert off(glassbox.trace("multihead", x=x, weights=module, mask="causal"), module, x) < 1e-5


def activations_of():
    functional = torch.nn.functional
    return [(functional.relu, None), (functional.gelu, None), (torch.nn.GELU(), "act"),
            (torch.nn.GELU(approximate="tanh"), "intermediate_act_fn"), (functional.gelu, "activation_fn"),
            (torch.relu, "act"), (lambda x: functional.gelu(x, approximate="tanh"), None)]


@pytest.mark.parametrize("pre", [True, False])
def test_norms_and_activations_of_own_blocks_are_seen(parts, pre):
    x = torch.randn(2, 5, 12)
    for linear in (parts.Conv1D, parts.linear):
        for activation, held in [*activations_of(), (parts.NewGELU(), "act")]:
            module = parts.Block(pre, activation, held, linear).eval()
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                steps = glassbox.trace("encoder-block", x=x, weights=module)
            assert off(steps, module, x) < 1e-4, (activation, held)


def test_right_blocks_of_other_names_are_checked_right(parts):
    for activation, held in [*activations_of(), (parts.NewGELU(), "act")]:
        result = glassbox.check("encoder-block", parts.Block(True, activation, held), quiet=True)
        assert result, (activation, held, result.text)
        assert 'norm="pre"' in result.text
        assert ("activation=" in result.text) == (activation not in (torch.relu, torch.nn.functional.relu))


def test_a_block_with_another_activation_is_not_called_wrong(parts):
    with pytest.raises(glassbox.Error, match="has the activation quick-gelu, and the layer encoder-block has relu"):
        glassbox.check("encoder-block", parts.Block(True, lambda x: x * torch.sigmoid(1.702 * x)), quiet=True)
    assert "relu/not-applied" in glassbox.check("encoder-block", parts.Block(True, lambda x: x), quiet=True).mistakes


def test_an_activation_that_the_layer_has_not_is_asked_for(parts):
    module, x = parts.Block(activation=torch.nn.functional.silu), torch.randn(2, 5, 12)
    with pytest.raises(glassbox.Error, match='Block has the activation silu, .* activation="relu" or activation="gelu"'):
        glassbox.trace("encoder-block", x=x, weights=module)
    with pytest.warns(UserWarning, match="Block itself gives different numbers for this x, by up to"):
        glassbox.trace("encoder-block", x=x, weights=module, activation="relu")


def test_what_a_module_does_is_asked_for_where_it_cannot_be_called(parts):
    class Closed(parts.Block):
        def forward(self, x):
            raise ValueError("not today")

    module = Closed()
    with pytest.raises(glassbox.Error, match='Closed could not be called on x .* norm="post" or norm="pre"'):
        glassbox.trace("encoder-block", weights=module)
    with pytest.raises(glassbox.Error, match='Closed does not show which activation .* activation="relu" or'):
        glassbox.trace("encoder-block", weights=module, norm="pre")
    assert glassbox.trace("encoder-block", weights=module, norm="pre", activation="gelu")
    held = Closed(activation=torch.nn.GELU(), held="act")
    assert "mlp/gelu" in glassbox.trace("encoder-block", weights=held, norm="pre")


def test_a_state_dict_of_a_known_model_is_asked_for_what_it_does_not_say(parts):
    arrays = parts.Block().state_dict()
    for words in ({}, {"norm": "pre"}, {"activation": "gelu"}):
        with pytest.raises(glassbox.Error, match="a state_dict with the names of GPT-2 .* does not say"):
            glassbox.trace("encoder-block", weights=arrays, heads=3, **words)
    assert glassbox.trace("encoder-block", weights=arrays, heads=3, norm="pre", activation="gelu")


def test_a_module_that_does_more_than_the_layer_is_told(parts):
    class Scaled(parts.Block):
        def forward(self, x):
            return super().forward(x) * 1.5

    module, x = Scaled(), torch.randn(2, 5, 12)
    with pytest.warns(UserWarning, match="Scaled itself gives different numbers for this x, by up to"):
        glassbox.trace("encoder-block", x=x, weights=module)


@pytest.mark.parametrize("kind", ["relu", "gelu", "gelu-tanh", "silu"])
def test_record_names_the_activation_by_its_numbers(parts, kind):
    function = {"relu": torch.relu, "gelu": torch.nn.functional.gelu, "gelu-tanh": parts.NewGELU(),
                "silu": torch.nn.functional.silu}[kind]
    module = parts.Block(activation=function).eval()
    with glassbox.record(module) as steps:
        module(torch.randn(2, 5, 12))
    named = {step for step in steps.steps if step.startswith("mlp/")}
    assert named == {"mlp/hidden", "mlp/output", f"mlp/{activations.STEPS.get(kind, kind)}"}
