"""A small course in NumPy, with tests, for the tests of the pytest plugin."""
from importlib import metadata

# pytester takes out of this process what a run inside has imported, and NumPy cannot be imported twice.
import numpy  # noqa: F401

import glassbox.testing.running  # noqa: F401

COURSE = '''
import numpy as np

def softmax(x, axis):
    e = np.exp(x - x.max({axis}, keepdims=True))
    return e / e.sum({axis}, keepdims=True)

def attention(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / ({divisor})
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
'''

# The expected numbers are those of the formula, written out for two queries and keys.
TESTS = '''
import numpy as np
from numpy.testing import assert_allclose
import course
from course import attention

Q, K, V = np.array([[1.0, 2], [0, 1]]), np.array([[2.0, 0], [1, 1]]), np.array([[1.0, 5], [2, 0]])

def assert_close(mine, right):
    assert_allclose(mine, right, rtol=1e-5)

def expected():
    rows = []
    for q in Q:
        a, b = (float(np.exp(q @ k / 2 ** 0.5)) for k in K)
        rows.append((a * V[0] + b * V[1]) / (a + b))
    return np.array(rows)

def test_imported_name():
    mine = attention(Q, K, V)
    assert_close(mine, expected())

def test_name_in_its_module():
    mine = course.attention(Q, K, V, mask=np.ones((2, 2), bool))
    assert_close(mine, expected())

def test_softmax():
    x = np.array([[1.0, 2, 3], [0, 0, 5]])
    mine = course.softmax(x, 1)
    assert_close(mine, np.exp(x) / np.exp(x).sum(1, keepdims=True))
'''

MAPPING = {
    "functions": [
        {"function": "course:attention", "layer": "attention", "inputs": {"Q": "q", "K": "k", "V": "v"}, "mask": "mask?",
         "results": {"values": "return"}},
        {"function": "course:softmax", "layer": "attention", "options": {"score": "unscaled"}, "steps": ["attention"],
         "inputs": {"Q": {"of": "x", "axis": "axis", "as": "rows"}, "K": {"of": "x", "axis": "axis", "as": "identity"},
                    "V": {"of": "x", "axis": "axis", "as": "identity"}},
         "results": {"attention": {"of": "return", "axis": "axis", "as": "rows"}}},
    ],
    "points": {"test_imported_name": 4},
}


def is_installed():
    return any(each.value == "glassbox.pytest_plugin" for each in metadata.entry_points(group="pytest11"))


def run_pytest(pytester, *options):
    """In this process, with the plugin whether it is installed or not."""
    plugin = () if is_installed() else ("-p", "glassbox.pytest_plugin")
    result = pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", *options)
    result.path_of = lambda name: pytester.path / name
    return result
