"""A model's own intermediates under the command's names, and two runs beside each other."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import glassbox


def test_two_runs_of_the_command():
    right, wrong = (glassbox.trace("multihead", heads=2, **words) for words in ({}, {"mistake": "scaled/no-root"}))
    assert glassbox.compare(right, right, quiet=True)
    alone = glassbox.compare(right, wrong, quiet=True)
    assert not alone and alone.first == "scaled" and "differ" in alone.text
    judged = glassbox.compare(right, wrong, "multihead", heads=2, quiet=True)
    steps = {step["name"]: step["sides"] for step in judged.steps}
    assert [side["verdict"] for side in steps["scaled"]] == ["right", "wrong"]
    assert "scaled/no-root" in steps["scaled"][1]["mistakes"]
    assert steps["output"][1]["verdict"] == "right for what it was given"


def test_rounding_and_hidden_scores_are_no_difference():
    x = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    a, b = {"masked": np.where(x > 0, x, -1e9)}, {"masked": np.where(x > 0, x * np.float32(1 + 1e-6), -np.inf)}
    assert glassbox.compare(a, b, quiet=True)
    assert not glassbox.compare(a, {"masked": np.where(x > 0, x * np.float32(1.001), -np.inf)}, quiet=True)
    assert not glassbox.compare(a, {"masked": np.where(x > 0, np.nan, -np.inf)}, quiet=True)
    assert "shapes" in glassbox.compare(a, {"masked": x[:2]}, quiet=True).text


def test_runs_without_a_common_step_are_refused():
    with pytest.raises(glassbox.Error, match="no step in common"):
        glassbox.compare({"Q": np.ones((2, 2))}, {"K": np.ones((2, 2))})


torch = None


@pytest.fixture
def torch_module():
    global torch
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    return torch


BLOCKS = {
    "encoder-block": lambda nn: nn.TransformerEncoderLayer(12, 3, 20, batch_first=True),
    "pre-norm": lambda nn: nn.TransformerEncoderLayer(12, 3, 20, norm_first=True),
    "multihead": lambda nn: nn.MultiheadAttention(12, 3, batch_first=True),
    "encoder": lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(12, 3, 20, batch_first=True), 2)
}


@pytest.mark.parametrize("name", BLOCKS)
def test_pytorchs_own_modules_are_recorded(name, torch_module):
    layer = "encoder-block" if name == "pre-norm" else name
    module, x = BLOCKS[name](torch_module.nn).eval(), torch_module.randn(2, 5, 12)
    turned = x.transpose(0, 1) if name == "pre-norm" else x
    with glassbox.record(module) as steps:
        module(turned, turned, turned) if name == "multihead" else module(turned)
    right = glassbox.trace(layer, x=x, weights=module)
    known = [step for step, value in steps.items() if step in right and right[step].shape == value.shape]
    assert set(known) == set(steps.steps), set(steps.steps) - set(known)
    assert len(known) >= 3 and any(step.endswith("attention") for step in known)
    for step in known:
        assert np.abs(steps[step] - right[step]).max() < 1e-5, step
    assert not module._forward_hooks


@pytest.mark.parametrize("name", ("encoder-block", "encoder", "multihead"))
def test_weights_are_recorded_where_pytorch_would_fuse_the_attention(name, torch_module):
    nn = torch_module.nn
    module = {
        "encoder-block": lambda: nn.TransformerEncoderLayer(12, 2, 20, batch_first=True),
        "encoder": lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(12, 2, 20, batch_first=True), 2),
        "multihead": lambda: nn.MultiheadAttention(12, 2, batch_first=True)
    }[name]().eval()
    x = torch_module.randn(2, 5, 12)
    with torch_module.no_grad():  # the fast path needs an even number of heads and no gradients
        with glassbox.record(module) as steps:
            module(x, x, x, need_weights=False) if name == "multihead" else module(x)
    right = glassbox.trace(name, x=x, weights=module)
    weights = [step for step in steps.steps if step.endswith("attention")]
    assert len(weights) == (2 if name == "encoder" else 1), list(steps.steps)
    for step in steps.steps:
        assert np.abs(steps[step] - right[step]).max() < 1e-5, step


def test_an_own_module_with_pytorchs_fused_function(torch_module):
    functional = torch_module.nn.functional
    if not hasattr(functional, "scaled_dot_product_attention"):
        pytest.skip("PyTorch 2 has it")
    from test_torch import Attention

    class Fused(Attention):
        def forward(self, x):
            q, k, v = (getattr(self, name)(x).unflatten(-1, (3, -1)).transpose(1, 2) for name in self.names[:3])
            return self.W_o(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(-2))

    module, x = Fused(12, 3), torch_module.randn(2, 5, 12)
    with torch_module.no_grad(), glassbox.record(module) as steps:
        module(x)
    right = glassbox.trace("multihead", x=x, weights=module, heads=3)
    assert {"scaled", "attention", "output"} <= set(steps.steps)
    for step in steps.steps:
        assert np.abs(steps[step] - right[step]).max() < 1e-5, step


def two_heads():
    class Head(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = (torch.nn.Linear(12, 6) for _ in range(3))

        def forward(self, x):
            scores = self.q(x) @ self.k(x).transpose(-2, -1) / 6 ** 0.5
            return scores.softmax(-1) @ self.v(x)

    return torch.nn.ModuleList([Head(), Head()])


def test_heads_that_are_modules_of_their_own(torch_module):
    class Heads(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.heads, self.W_o = two_heads(), torch.nn.Linear(12, 12)

        def forward(self, x):
            return self.W_o(torch.cat([head(x) for head in self.heads], -1))

    module = Heads()
    for shape in ((4, 5, 12), (4, 4, 12), (3, 5, 12), (5, 12)):  # a batch of 4 could be 2 of 2 heads
        x = torch.randn(*shape)
        with glassbox.record(module) as steps:
            module(x)
        scores = torch.stack([head.q(x) @ head.k(x).transpose(-2, -1) / 6 ** 0.5 for head in module.heads], -3)
        assert steps["scaled"].shape == (*shape[:-2], 2, shape[-2], shape[-2])
        assert np.abs(steps["scaled"] - scores.detach().numpy()).max() < 1e-5
        assert np.abs(steps["attention"] - scores.softmax(-1).detach().numpy()).max() < 1e-5
    x = torch.randn(4, 5, 12)
    with glassbox.record(module) as steps:
        module(x)
    assert glassbox.check("multihead", steps, x=x, weights=module, heads=2, quiet=True)


def test_heads_side_by_side_in_the_batch(torch_module):
    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.num_heads = 2
            self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(12, 12) for _ in range(4))

        def forward(self, x):
            q, k, v = (each(x).unflatten(-1, (2, 6)).transpose(1, 2).flatten(0, 1)
                       for each in (self.W_q, self.W_k, self.W_v))
            values = (q @ k.transpose(-2, -1) / 6 ** 0.5).softmax(-1) @ v  # (batch · heads, length, width)
            return self.W_o(values.unflatten(0, (-1, 2)).transpose(1, 2).flatten(-2))

    module = Attention()
    for shape in ((4, 5, 12), (2, 4, 12)):
        x = torch.randn(*shape)
        with glassbox.record(module) as steps:
            module(x)
        assert steps["attention"].shape == (shape[0], 2, shape[1], shape[1])
        assert glassbox.check("multihead", steps, x=x, weights=module, heads=2, quiet=True)


def test_a_fused_kernel_that_is_used_all_the_same_is_told(torch_module):
    class Fused(torch_module.nn.MultiheadAttention):
        def forward(self, x):
            return torch_module._native_multi_head_attention(x, x, x, 12, 2, self.in_proj_weight, self.in_proj_bias,
                                                             self.out_proj.weight, self.out_proj.bias)[0]

    Fused.__name__ = "Own"
    module = torch_module.nn.Sequential(Fused(12, 2, batch_first=True)).eval()
    with torch_module.no_grad(), pytest.warns(UserWarning, match="_native_multi_head_attention"):
        with glassbox.record(module, {"0": "output"}) as steps:
            module(torch_module.randn(2, 5, 12))
    assert list(steps.steps) == ["output"]


def test_a_recorded_model_is_checked_and_compared(torch_module, tmp_path):
    from test_torch import Attention

    x = torch_module.randn(2, 5, 12)
    right, wrong = Attention(12, 3), Attention(12, 3, divisor=12)
    wrong.load_state_dict(right.state_dict())
    runs = []
    for module in (right, wrong):
        with glassbox.record(module) as steps:
            module(x, x, x)
        runs.append(steps)
    assert set(runs[0].steps) == {"Q", "K", "V", "scaled", "attention", "concat", "output"}
    result = glassbox.compare(*runs, "multihead", inputs={"x": x}, weights=right, quiet=True, heads=3)
    assert result.first == "scaled" and "scaled/d_model" in result.text
    assert result.text.startswith("first and second\n") and "   second: its own error" in result.text
    by_keyword = glassbox.compare(*runs, "multihead", x=x, weights=right, quiet=True, heads=3)
    assert by_keyword.text == result.text
    assert glassbox.check("multihead", runs[0], x=x, weights=right, heads=3, quiet=True)
    with pytest.raises(glassbox.Error, match=r"from another input.* give it, x=… \(output: its shape is \(2, 5, 12\)"):
        glassbox.check("multihead", runs[0], weights=right, heads=3)
    assert glassbox.check("multihead", runs[1], x=x, weights=right, heads=3, quiet=True).wrong["name"] == "scaled"
    runs[0].save(tmp_path / "a.npz")
    assert set(np.load(tmp_path / "a.npz").files) == set(runs[0].steps)


def test_a_table_names_other_parts(torch_module):
    module = torch_module.nn.Sequential(torch_module.nn.Linear(4, 4), torch_module.nn.ReLU())
    with glassbox.record(module, {"0": "mlp/hidden", "1": "mlp/relu"}) as steps:
        module(torch_module.ones(2, 4))
    assert list(steps.steps) == ["mlp/hidden", "mlp/relu"]
    with pytest.raises(glassbox.Error, match="no step was seen"):
        with glassbox.record(module):
            module(torch_module.ones(2, 4))
    with pytest.raises(glassbox.Error, match="a PyTorch module"):
        glassbox.record(np.ones(2))


def test_a_module_is_checked_step_by_step(torch_module):
    from test_torch import Attention

    result = glassbox.check("multihead", Attention(12, 3, divisor=12), steps=True, quiet=True)
    assert result.wrong["name"] == "masked" and result.mistakes[0] == "scaled/d_model", result.text
    assert glassbox.check("multihead", Attention(12, 3), steps=True, quiet=True)
    assert glassbox.check("encoder-block", torch_module.nn.TransformerEncoderLayer(12, 3, 20), steps=True, quiet=True)


def test_dropout_that_is_on_is_said(torch_module, recwarn):
    nn, x = torch_module.nn, torch_module.randn(2, 5, 12)
    module, runs = nn.TransformerEncoderLayer(12, 3, 20, dropout=0.25, batch_first=True), []
    for train in (True, False):
        with glassbox.record(module.train(train)) as steps:
            module(x)
        runs.append(steps)
    said = [str(each.message) for each in recwarn if "record: " in str(each.message)]
    assert said == ["record: the module is training and has dropout 0.25: call .eval()"]
    result = glassbox.compare(*runs, quiet=True)
    assert not result and result.text.startswith("first: the module is training and has dropout 0.25"), result.text
    for run in runs:
        checked = glassbox.check("encoder-block", run, x=x, weights=module, quiet=True)
        assert ("dropout 0.25" in checked.text) != bool(checked), checked.text
    alone = nn.MultiheadAttention(12, 3, dropout=0.5, batch_first=True)
    with pytest.warns(UserWarning, match="dropout 0.5"), glassbox.record(alone) as steps:
        alone(x, x, x)


def test_two_attentions_that_only_their_order_tells_apart(torch_module):
    from test_torch import DecoderBlock

    x, memory = torch_module.randn(2, 5, 12), torch_module.randn(2, 4, 12)
    module, mask = DecoderBlock("attn1", "attn2").eval(), torch_module.ones(5, 5).triu(1).bool()
    with glassbox.record(module) as steps:
        module(x, memory, mask)
    right = glassbox.trace("decoder-block", x=x, memory=memory, weights=module, heads=3)
    assert {"self_attn/attention", "self_attn/output", "cross_attn/attention", "norm3"} <= set(steps.steps)
    for step in steps.steps:
        if not step.endswith("masked"):  # −∞ there, and −9·10¹⁵ here
            assert np.abs(steps[step] - right[step]).max() < 1e-5, step


def test_what_a_block_adds_after_its_last_norm_is_seen(torch_module):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.self_attn = torch.nn.MultiheadAttention(8, 2, batch_first=True)
            self.linear1, self.linear2 = torch.nn.Linear(8, 16), torch.nn.Linear(16, 8)
            self.norm1, self.norm2 = torch.nn.LayerNorm(8), torch.nn.LayerNorm(8)

        def forward(self, x):
            x = self.norm1(x + self.self_attn(x, x, x)[0])
            return x + self.norm2(self.linear2(torch.relu(self.linear1(x))))

    block, x = Block().eval(), torch.randn(2, 5, 8)
    with glassbox.record(block) as steps:
        block(x)
    result = glassbox.check("encoder-block", steps, x=x, weights=block, heads=2, quiet=True)
    assert result.mistakes == ["norm/normalised-first"]
    assert [step["name"] for step in result.steps if step["verdict"] == "wrong"] == ["residual2", "norm2"]


def test_both_stacks_of_an_encoder_decoder_have_their_own_steps(torch_module):
    nn = torch_module.nn
    model = nn.Transformer(8, 2, 1, 1, 16, batch_first=True).eval()
    source, target = torch_module.randn(2, 4, 8), torch_module.randn(2, 3, 8)
    with glassbox.record(model) as steps:
        model(source, target)
    with glassbox.record(model.encoder) as alone:
        model.encoder(source)
    assert {"encoder/0/norm2", "decoder/0/norm3", "decoder/0/cross_attn/attention"} <= set(steps.steps)
    assert set(alone.steps) == {step for step in steps.steps if step.startswith("encoder/")}
    for step in alone.steps:
        assert np.abs(steps[step] - alone[step]).max() < 1e-6, step
    assert steps["decoder/0/self_attn/attention"].shape == (2, 2, 3, 3)


def test_one_sequence_without_a_batch(torch_module):
    module, x = torch_module.nn.MultiheadAttention(8, 2), torch_module.randn(5, 8)
    with glassbox.record(module) as steps:
        output, _ = module(x, x, x)
    assert np.abs(steps["output"] - output.detach().numpy()).max() == 0


def test_heads_are_told_from_the_batch_by_what_their_own_modules_are_given(torch_module):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.Parameter(torch.randn(1, 1, 12))
            self.heads, self.W_o = two_heads(), torch.nn.Linear(12, 12)

        def forward(self, x):
            x = torch.cat([self.first.expand(len(x), 1, 12), x], 1)  # longer than what the model is given
            return self.W_o(torch.cat([head(x) for head in self.heads], -1))

    module, x = Model(), torch_module.randn(4, 5, 12)
    for call in (lambda: module(x), lambda: module(x=x)):
        with glassbox.record(module) as steps:
            call()
        assert steps["attention"].shape == (4, 2, 6, 6)


def test_a_part_of_the_table_that_is_not_there_is_said(torch_module):
    with pytest.raises(glassbox.Error, match="table: Linear has no part 'first'"):
        glassbox.record(torch_module.nn.Linear(2, 2), table={"first": "scaled"})


def test_a_number_called_layers_is_no_stack(torch_module):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers, self.linear1 = 6, torch.nn.Linear(4, 4)

        def forward(self, x):
            return self.linear1(x)

    module = Model()
    with glassbox.record(module) as steps:
        module(torch_module.ones(2, 4))
    assert list(steps.steps) == ["mlp/hidden"]


def test_words_with_spaces_reach_the_layer_and_what_needs_a_layer_is_refused_without():
    run = glassbox.trace("multihead", text="the cat sat")
    assert glassbox.compare(run, run, "multihead", text="the cat sat", quiet=True)
    for name, value in {"heads": 2, "weights": {}, "inputs": {}}.items():
        with pytest.raises(glassbox.Error, match=f"compare: {name}: requires a layer"):
            glassbox.compare(run, run, **{name: value})


def test_a_recorder_is_entered_once_at_a_time(torch_module):
    nn, x = torch_module.nn, torch_module.randn(2, 5, 12)
    module = nn.MultiheadAttention(12, 3, batch_first=True)
    recorder = glassbox.record(module)
    with recorder as steps:
        with pytest.raises(glassbox.Error, match="recording already"), recorder:
            pass
        with glassbox.record(module) as beside:
            module(x, x, x)
    assert list(steps.steps) == list(beside.steps) and "attention" in steps.steps
    with recorder:  # and again, after its end
        module(x, x, x)
    assert list(steps.steps) == list(beside.steps)


def test_recording_leaves_no_folder_and_no_variable(torch_module, tmp_path):
    code = ("import os, torch, glassbox; before = dict(os.environ)\n"
            "module = torch.nn.MultiheadAttention(12, 3, batch_first=True); x = torch.ones(2, 5, 12)\n"
            "with glassbox.record(module) as steps: module(x, x, x)\n"
            "print('attention' in steps.steps, dict(os.environ) == before)")
    own = tmp_path / "own"
    for said in ({}, {"TORCHINDUCTOR_CACHE_DIR": str(own)}):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env={**os.environ, "TMPDIR": str(tmp_path), **said,
                                   "PYTHONPATH": os.pathsep.join([str(Path(glassbox.__file__).parents[1]), *sys.path])})
        assert done.stdout == "True True\n", done.stderr
        assert [each for each in tmp_path.iterdir() if each != own] == []
