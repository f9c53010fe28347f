"""pytest --glassbox-serve and --glassbox-audit."""
import json

import pytest

from pytest_course import MAPPING, TESTS, run_pytest

pytest_plugins = ["pytester"]

UNWRITTEN = '''
def softmax(x, axis):
    raise NotImplementedError

def attention(q, k, v, mask=None):
    raise NotImplementedError
'''


@pytest.fixture
def unwritten(pytester):
    """A course of which nothing is written yet."""
    def make(tests):
        pytester.makepyfile(course=UNWRITTEN, test_course=tests)
        pytester.path.joinpath("mapping.json").write_text(json.dumps(MAPPING))
        return pytester

    return make


def audit(pytester, *options):
    result = run_pytest(pytester, "--glassbox-audit", "--glassbox-mapping", "mapping.json", "--glassbox-json", "audit.json",
                        *options)
    written = json.loads(result.path_of("audit.json").read_text())
    return result, {each["function"]: each for each in written["functions"]}, written


def test_the_commands_numbers_pass_the_tests(unwritten):
    run_pytest(unwritten(TESTS), "--glassbox-serve", "--glassbox-mapping", "mapping.json").assert_outcomes(passed=3)
    run_pytest(unwritten(TESTS), "--glassbox-mapping", "mapping.json").assert_outcomes(failed=3)


# With zeros for queries all weights are equal, whatever is done to the scores.
WEAK = '''
import numpy as np
import course

def test_shapes_and_equal_weights():
    mine = course.attention(np.zeros((2, 3)), np.ones((4, 3)), np.eye(4))
    assert mine.shape == (2, 4)
    assert np.allclose(mine, 0.25)
'''


def test_what_a_weak_test_lets_through(unwritten):
    result, functions, _ = audit(unwritten(WEAK), "--glassbox-only", "attention")
    assert result.ret == pytest.ExitCode.OK
    found = functions["attention"]
    survivors = {each["name"]: each for each in found["survivors"]}
    assert {"scaled/no-root", "scaled/not-divided", "attention/negated"} <= set(survivors)
    assert "attention/left-out" in found["killed"]
    assert survivors["scaled/no-root"]["cure"] and "the arguments hide it" in survivors["scaled/no-root"]["why"]
    assert any("scaled/no-root: logits / d_k" in line for line in result.outlines)


def test_a_better_test_finds_what_a_weak_one_does_not(unwritten):
    _, functions, _ = audit(unwritten(TESTS), "--glassbox-only", "attention")
    assert "scaled/no-root" in functions["attention"]["killed"]
    assert not [each for each in functions["attention"]["survivors"] if each["name"].startswith("scaled/")]


def test_a_loose_tolerance_is_told(unwritten):
    _, functions, _ = audit(unwritten(TESTS.replace("rtol=1e-5", "rtol=0.5")), "--glassbox-only", "attention")
    hidden = [each for each in functions["attention"]["survivors"] if "the tolerance hides it" in each["why"]]
    assert hidden and all("a tolerance below " in each["cure"] for each in hidden)


def test_a_test_that_the_right_numbers_fail_is_left_out(unwritten):
    result, functions, written = audit(unwritten(TESTS.replace("2 ** 0.5", "3")), "--glassbox-only", "attention")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert len(written["failing"]) == 2 and functions["attention"]["left_out"]
    said = "\n".join(result.outlines)
    assert "is left out\n   Not equal to tolerance rtol=1e-05" in said and "Max relative difference" in said, said


# Right in double precision, and compared to its last digits.
EXACT = '''
import numpy as np
import course

def test_to_the_last_digit():
    x = np.random.default_rng(0).normal(size=(3, 4))
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(course.softmax(x, 1), e / e.sum(1, keepdims=True))
'''


def test_a_test_that_asks_for_more_than_float32_is_told_so(unwritten):
    result, functions, _ = audit(unwritten(EXACT), "--glassbox-only", "softmax")
    said = "\n".join(result.outlines)
    assert functions["softmax"]["left_out"] and "rtol=1e-07" in said, said
    assert "the right numbers are float32" in said and "compare with rtol=1e-5" in said, said


def test_too_many_calls_are_left_out(unwritten):
    _, functions, _ = audit(unwritten(TESTS), "--glassbox-only", "attention", "--glassbox-audit-calls", "1")
    assert functions["attention"]["left_out"].startswith("the tests call it with 2 different arguments")
