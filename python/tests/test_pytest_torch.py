"""The mappings that are shipped, with functions written as their courses have them. Without PyTorch there is nothing to run."""
import json

import pytest

from pytest_course import run_pytest

torch = pytest.importorskip("torch")
pytest_plugins = ["pytester"]

ADAPTERS = '''
import math
import torch

def run_scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ V

def run_multihead_self_attention(d_model, num_heads, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features):
    T = in_features.shape[-2]
    heads = lambda W: (in_features @ W.T).unflatten(-1, (num_heads, -1)).transpose(-2, -3)
    mask = torch.ones(T, T).tril().bool()
    values = run_scaled_dot_product_attention(heads(q_proj_weight), heads(k_proj_weight), heads(v_proj_weight), mask)
    return values.transpose(-2, -3).flatten(-2) @ o_proj_weight.T

def run_softmax(in_features, dim):
    return torch.softmax(in_features, dim)

def run_cross_entropy(inputs, targets):
    return torch.nn.functional.cross_entropy(inputs, targets)

def run_gradient_clipping(parameters, max_l2_norm):
    torch.nn.utils.clip_grad_norm_(parameters, max_l2_norm)

def get_adamw_cls():
    return torch.optim.AdamW

def run_get_lr_cosine_schedule(it, max_learning_rate, min_learning_rate, warmup_iters, cosine_cycle_iters):
    if it < warmup_iters:
        return max_learning_rate * it / warmup_iters
    along = min(1, (it - warmup_iters) / (cosine_cycle_iters - warmup_iters))
    return min_learning_rate + (max_learning_rate - min_learning_rate) * (1 + math.cos(math.pi * along)) / 2
'''

CALLS = '''
import torch
from tests import adapters

def normal(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))

def test_attention():
    adapters.run_scaled_dot_product_attention(Q=normal(2, 3, 4), K=normal(2, 5, 4), V=normal(2, 5, 6),
                                              mask=normal(2, 3, 5) > -0.5)
    assert DONE

def test_heads():
    W = [normal(8, 8 + i)[:, :8] for i in range(4)]
    adapters.run_multihead_self_attention(8, 2, *W, normal(3, 5, 8))
    assert DONE

def test_softmax():
    adapters.run_softmax(normal(3, 4, 5), dim=1)
    assert DONE

def test_cross_entropy():
    adapters.run_cross_entropy(normal(6, 5), torch.tensor([0, 4, 1, 2, 2, 3]))
    assert DONE

def test_clipping():
    parameters = [torch.nn.Parameter(normal(2, 3 + i)) for i in range(3)]
    for each in parameters[:2]:
        each.grad = 4 * normal(*each.shape)
    adapters.run_gradient_clipping((each for each in parameters), 0.5)
    assert DONE

def test_adamw():
    parameter = torch.nn.Parameter(normal(2, 3))
    optimiser = adapters.get_adamw_cls()([parameter], lr=0.01, weight_decay=0.1)
    for update in range(4):
        parameter.grad = normal(2, 3 + update)[:, :3]
        optimiser.step()
    assert DONE

def test_schedule():
    for it in (0, 3, 7, 12, 30):
        adapters.run_get_lr_cosine_schedule(it, 1.0, 0.1, 7, 21)
    assert DONE
'''

FUNCTIONS = {"test_attention": ["run_scaled_dot_product_attention"],
             "test_heads": ["run_scaled_dot_product_attention", "run_multihead_self_attention"],
             "test_softmax": ["run_softmax"], "test_cross_entropy": ["run_cross_entropy"],
             "test_clipping": ["run_gradient_clipping"], "test_adamw": ["get_adamw_cls"],
             "test_schedule": ["run_get_lr_cosine_schedule"]}

WRONG = [
    ("/ math.sqrt(Q.shape[-1])", "/ Q.shape[-1]", "test_attention", "scaled/no-root"),
    (".transpose(-2, -3).flatten(-2)", ".flatten(-3).unflatten(-1, (T, -1))", "test_heads", "concat/no-permute"),
    ("torch.softmax(in_features, dim)", "in_features.exp() / (1 + in_features.exp().sum(dim, keepdim=True))", "test_softmax",
     "attention/plus-one"),
    ("cross_entropy(inputs, targets)", "cross_entropy(inputs, targets, reduction='sum')", "test_cross_entropy", "loss/sum"),
    ("torch.nn.utils.clip_grad_norm_(parameters, max_l2_norm)",
     "[torch.nn.utils.clip_grad_norm_([each], max_l2_norm) for each in parameters if each.grad is not None]",
     "test_clipping", "clipped/per-parameter"),
    ("torch.optim.AdamW", "torch.optim.Adam", "test_adamw", "m/l2-for-decay"),
    ("min(1, (it - warmup_iters) / (cosine_cycle_iters - warmup_iters))", "min(1, it / cosine_cycle_iters)", "test_schedule",
     "cosine/all-steps"),
]


def said_of(pytester, adapters, *options):
    tests = pytester.mkpydir("tests")
    tests.joinpath("adapters.py").write_text(adapters)
    tests.joinpath("test_calls.py").write_text(CALLS.replace("DONE", "False"))
    result = run_pytest(pytester, "--glassbox", "--glassbox-mapping", "cs336-assignment1", "--glassbox-json", "said.json",
                        *options)
    written = json.loads(result.path_of("said.json").read_text())["tests"]
    return {each["name"].rpartition("::")[2]: each for each in written}


def test_right_adapters_are_right(pytester):
    said = said_of(pytester, ADAPTERS)
    for name, functions in FUNCTIONS.items():
        assert [(each["function"], each["right"]) for each in said[name]["functions"]] == [(each, True) for each in functions]
        assert said[name]["not_judged"] == []


@pytest.mark.parametrize("right, wrong, test, mistake", WRONG, ids=[each[2] for each in WRONG])
def test_wrong_adapters_are_named(pytester, right, wrong, test, mistake):
    assert right in ADAPTERS
    said = said_of(pytester, ADAPTERS.replace(right, wrong), "-k", test)
    assert mistake in [name for each in said[test]["functions"] for name in each["mistakes"]], said[test]


def test_adapters_served(pytester):
    tests = pytester.mkpydir("tests")
    tests.joinpath("right.py").write_text(ADAPTERS)
    unwritten = "\n".join(line + "\n    raise NotImplementedError\n" for line in ADAPTERS.splitlines()
                          if line.startswith("def "))
    tests.joinpath("adapters.py").write_text(unwritten)
    tests.joinpath("test_served.py").write_text('''
import torch
from tests import adapters, right
from tests.adapters import run_softmax, run_gradient_clipping

def close(a, b):
    torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5)

def test_served():
    torch.manual_seed(0)
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    close(adapters.run_scaled_dot_product_attention(q, k, v), right.run_scaled_dot_product_attention(q, k, v))
    W = [torch.randn(8, 8) for _ in range(4)]
    x = torch.randn(3, 5, 8)
    close(adapters.run_multihead_self_attention(8, 2, *W, x), right.run_multihead_self_attention(8, 2, *W, x))
    close(run_softmax(x, 1), right.run_softmax(x, 1))
    labels = torch.tensor([0, 4, 1])
    close(adapters.run_cross_entropy(x[:, 0], labels), right.run_cross_entropy(x[:, 0], labels))
    results = []
    for module in (adapters, right):
        parameters = [torch.nn.Parameter(torch.ones(2, 3)), torch.nn.Parameter(torch.ones(3))]
        optimiser = module.get_adamw_cls()(parameters, lr=0.1)
        for update in range(3):
            for i, each in enumerate(parameters):
                each.grad = torch.full_like(each, 2.0 + i - update)
            module.run_gradient_clipping(iter(parameters), 0.5)
            optimiser.step()
        results.append([each.detach() for each in parameters])
    close(*results)
    assert abs(adapters.run_get_lr_cosine_schedule(12, 1, 0.1, 7, 21) - right.run_get_lr_cosine_schedule(12, 1, 0.1, 7, 21)) < 1e-7
''')
    run_pytest(pytester, "--glassbox-serve", "--glassbox-mapping", "cs336-assignment1").assert_outcomes(passed=1)


# Classes with the names that d2l's and the UvA tutorials' have, written here: what the mappings read of them.
CLASSES = '''
import torch
from torch import nn

def softmax_of(scores, hidden):
    return scores.masked_fill(hidden, -1e6).softmax(-1)

class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None):
        scores = torch.einsum("bqd,bkd->bqk", queries, keys) * queries.shape[-1] ** ROOT
        hidden = torch.zeros_like(scores, dtype=torch.bool)
        if valid_lens is not None:
            hidden = (torch.arange(keys.shape[1]) >= valid_lens[:, None, None]).expand_as(scores)
        self.attention_weights = softmax_of(scores, hidden)
        return self.dropout(self.attention_weights) @ values

class MultiheadAttention(nn.Module):
    def __init__(self, width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_proj, self.o_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask=None):
        q, k, v = self.qkv_proj(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2).chunk(3, -1)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        hidden = torch.zeros_like(scores, dtype=torch.bool) if mask is None else (mask == 0).expand_as(scores)
        weights = softmax_of(scores, hidden)
        weights = weights[:, :HEADS].expand_as(weights) if HEADS else weights
        return self.o_proj((weights @ v).transpose(1, 2).flatten(-2))
'''

MODULE_CALLS = '''
import torch
from layers import DotProductAttention, MultiheadAttention

def test_lengths():
    torch.manual_seed(1)
    layer = DotProductAttention(0.5).eval()
    layer(torch.randn(2, 3, 4), torch.randn(2, 6, 4), torch.randn(2, 6, 5), torch.tensor([2, 5]))
    assert False

def test_dropout():
    DotProductAttention(0.5)(torch.randn(2, 3, 4), torch.randn(2, 6, 4), torch.randn(2, 6, 5))
    assert False

def test_heads():
    torch.manual_seed(2)
    MultiheadAttention(12, 3)(torch.randn(2, 5, 12), torch.ones(5, 5).tril())
    assert False
'''


def modules_said(pytester, root="-0.5", heads="None"):
    pytester.makepyfile(layers=CLASSES.replace("ROOT", root).replace("HEADS", heads), test_layers=MODULE_CALLS)
    result = run_pytest(pytester, "--glassbox", "--glassbox-json", "said.json")
    tests = json.loads(result.path_of("said.json").read_text())["tests"]
    return {each["name"].rpartition("::")[2]: each for each in tests}


def test_modules_that_are_right(pytester):
    said = modules_said(pytester)
    for name in ("test_lengths", "test_heads"):
        assert [each["right"] for each in said[name]["functions"]] == [True], said[name]
    assert said["test_dropout"]["functions"] == []
    assert said["test_dropout"]["not_judged"] == [{"function": "DotProductAttention.forward", "why": "dropout is on"}]


def test_modules_that_are_wrong(pytester):
    said = modules_said(pytester, root="-1", heads="1")
    assert said["test_lengths"]["functions"][0]["mistakes"] == ["scaled/no-root"]
    mistakes = said["test_heads"]["functions"][0]["mistakes"]
    assert mistakes and all(each.endswith("/one-head") for each in mistakes), said["test_heads"]


def test_weights_with_pytorchs_names_need_no_convention(pytester):
    pytester.makepyfile(own='''
import torch

class Mine(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wq, self.wk, self.wv, self.wo = (torch.nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (2, 4)).transpose(1, 2) for part in (self.wq, self.wk, self.wv))
        return self.wo(((q @ k.mT / 4).softmax(-1) @ v).transpose(1, 2).flatten(-2))
''', test_own='''
import torch
from own import Mine

def test_mine():
    torch.manual_seed(0)
    Mine()(torch.randn(2, 3, 8))
    assert False
''')
    parts = {"q_proj": "wq", "k_proj": "wk", "v_proj": "wv", "out_proj": "wo"}
    kinds = ("weight", "bias")
    stacked = {f"in_proj_{kind}": {"stack": [f"self.w{part}.{kind}" for part in "qkv"]} for kind in kinds}
    stacked |= {f"out_proj.{kind}": f"self.wo.{kind}" for kind in kinds}
    apart = {f"{name}.{kind}": f"self.{own}.{kind}" for name, own in parts.items() for kind in kinds}
    for weights in (stacked, apart):
        pytester.path.joinpath("mapping.json").write_text(json.dumps({"functions": [{
            "function": "own:Mine.forward", "layer": "multihead", "inputs": {"x": "x"}, "weights": weights,
            "options": {"heads": 2}, "results": {"output": "return"}}]}))
        result = run_pytest(pytester, "--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-json", "said.json")
        test, = json.loads(result.path_of("said.json").read_text())["tests"]
        assert [each["mistakes"] for each in test["functions"]] == [["scaled/no-root"]], test


def test_a_mistake_in_the_middle_of_many_calls(pytester):
    """A schedule is called for one update after the other; the cosine is neither first nor last."""
    right, wrong, _, mistake = WRONG[-1]
    tests = pytester.mkpydir("tests")
    tests.joinpath("adapters.py").write_text(ADAPTERS.replace(right, wrong))
    tests.joinpath("test_calls.py").write_text('''
from tests import adapters

def test_schedule():
    assert not [adapters.run_get_lr_cosine_schedule(it, 1, 0.1, 7, 21) for it in range(25)]
''')
    result = run_pytest(pytester, "--glassbox", "--glassbox-mapping", "cs336-assignment1", "--glassbox-json", "said.json")
    test, = json.loads(result.path_of("said.json").read_text())["tests"]
    assert [each["mistakes"] for each in test["functions"] if not each["right"]] == [[mistake]]
