"""pytest --glassbox: what a failing test says."""
import json
import xml.etree.ElementTree

import pytest

from pytest_course import COURSE, MAPPING, TESTS, run_pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def course(pytester):
    """A course of NumPy functions, its tests, and a mapping of its own."""
    def make(**functions):
        pytester.makepyfile(course=COURSE.format(**{"divisor": "np.sqrt(q.shape[-1])", "axis": "-1", **functions}))
        pytester.makepyfile(test_course=TESTS)
        pytester.path.joinpath("mapping.json").write_text(json.dumps(MAPPING))
        return pytester

    return make


def section(result):
    """What stands under the headings of Glassbox."""
    said, inside = [], False
    for line in result.outlines:
        if line.startswith("---"):
            inside = "Glassbox" in line
        elif line.startswith(("===", "___")):
            inside = False
        elif inside:
            said.append(line)
    return said


def test_a_failing_test_says_the_mistake(course):
    result = run_pytest(course(divisor="q.shape[-1]"), "--glassbox", "--glassbox-mapping", "mapping.json")
    result.assert_outcomes(failed=2, passed=1)
    assert section(result) == ["attention: Divided by d_k, but the typical size of a dot product is √d_k "
                               "(scaled/no-root): nothing else differs"] * 2


def test_no_right_number_is_said(course):
    result = run_pytest(course(divisor="q.shape[-1]"), "--glassbox", "--glassbox-mapping", "mapping.json",
                        "--glassbox-gradescope", "results.json", "--tb=no")
    written = result.path_of("results.json").read_text()
    assert ", expected" not in written and "AssertionError" not in written
    assert not any(digit in line for line in section(result) for digit in "123456789")


def test_passing_tests_ask_nothing(course, monkeypatch):
    from glassbox import engine

    course = course()
    run = engine.run  # which also says what layers and steps there are, once for a mapping file

    def without_numbers(words, *rest, **keywords):
        assert words[0] != "check" and "--input" not in words, "the command was asked"
        return run(words, *rest, **keywords)

    monkeypatch.setattr(engine, "run", without_numbers)
    run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json").assert_outcomes(passed=3)


def test_a_function_that_is_right_is_said_to_be(course):
    course = course()
    course.path.joinpath("test_course.py").write_text(TESTS.replace("assert_close(mine, expected())", "assert_close(mine + 1, expected())"))
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json", "-k", "imported")
    assert section(result) == ["attention: right for the arguments of this test"]


def test_an_axis_of_the_functions_own(course):
    result = run_pytest(course(axis="0"), "--glassbox", "--glassbox-mapping", "mapping.json", "-k", "softmax")
    assert section(result) == ["softmax: The softmax runs over the queries: the columns sum to 1, not the rows "
                               "(attention/over-queries): nothing else differs"]


def test_the_files(course):
    course = course(divisor="q.shape[-1]")
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-json", "said.json",
                        "--glassbox-gradescope", "results.json", "--junit-xml", "junit.xml")
    tests = {each["name"].split("::")[1]: each for each in json.loads(result.path_of("said.json").read_text())["tests"]}
    assert tests["test_softmax"]["credit"] == 1 and tests["test_softmax"]["functions"] == []
    failed = tests["test_imported_name"]
    assert failed["outcome"] == "failed" and failed["functions"][0]["mistakes"] == ["scaled/no-root"]
    assert failed["points"] == 4 and 0 < failed["credit"] < 2  # half of the points at most, and one step is wrong
    graded = {each["name"].split("::")[1]: each for each in json.loads(result.path_of("results.json").read_text())["tests"]}
    assert graded["test_imported_name"]["score"] == failed["credit"] and graded["test_imported_name"]["max_score"] == 4
    assert "scaled/no-root" in graded["test_imported_name"]["output"]
    properties = {(each.get("name"), each.get("value"))
                  for each in xml.etree.ElementTree.parse(result.path_of("junit.xml")).iter("property")}
    assert ("glassbox.mistake", "scaled/no-root") in properties


def test_partial_credit_is_the_teachers_choice(course):
    result = run_pytest(course(divisor="q.shape[-1]"), "--glassbox", "--glassbox-mapping", "mapping.json",
                        "--glassbox-partial", "0", "--glassbox-json", "said.json")
    tests = json.loads(result.path_of("said.json").read_text())["tests"]
    assert sorted(each["credit"] for each in tests) == [0, 0, 1]


def test_numbers_that_no_mistake_gives(course):
    result = run_pytest(course(divisor="np.sqrt(q.shape[-1]) + 0.25"), "--glassbox", "--glassbox-mapping", "mapping.json",
                        "-k", "imported", "--glassbox-json", "said.json")
    test, = json.loads(result.path_of("said.json").read_text())["tests"]
    assert test["credit"] == 0 and test["functions"][0]["mistakes"] == []
    assert "values is wrong" in section(result)[0]


def test_a_call_that_the_mapping_cannot_take_is_told_in_the_file(course):
    course = course()
    course.path.joinpath("test_course.py").write_text(
        "import course\n\ndef test_words():\n    course.attention('q', 'k', 'v')\n")
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-json", "said.json")
    result.assert_outcomes(failed=1)
    test, = json.loads(result.path_of("said.json").read_text())["tests"]
    assert test["functions"] == [] and test["not_judged"][0]["function"] == "attention"


@pytest.mark.parametrize("options, message", [
    (["--glassbox", "--glassbox-serve"], "expected one of them, got --glassbox, --glassbox-serve"),
    (["--glassbox", "--glassbox-partial", "2"], "--glassbox-partial: expected a number from 0 to 1, got 2.0"),
    (["--glassbox-json", "x.json"], "--glassbox-json: requires --glassbox"),
    (["--glassbox", "--glassbox-mapping", "none.json"], "--glassbox-mapping: expected a file, or one of "),
    (["--glassbox", "--glassbox-mapping", "broken.json"], "broken.json: not JSON: "),
    (["--glassbox", "--glassbox-mapping", "field.json"], "no field has the name layr; the fields are "),
    (["--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-only", "softmin"],
     "--glassbox-only: expected one of attention, softmax, got softmin; did you mean 'softmax'?"),
])
def test_wrong_usage(course, options, message):
    course = course()
    course.path.joinpath("broken.json").write_text("{")
    course.path.joinpath("field.json").write_text('{"functions": [{"function": "a", "layr": "attention"}]}')
    result = run_pytest(course, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "\n".join(result.outlines + result.errlines)
    assert message in said and "Traceback" not in said and "INTERNALERROR" not in said


def test_a_file_that_cannot_be_written(course):
    result = run_pytest(course(), "--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-json", "none/said.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert any("none/said.json: cannot be written: No such file or directory" in line for line in result.outlines)


def test_the_functions_are_put_back(course):
    import sys

    course = course()
    run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json")
    assert not [name for name, module in list(sys.modules.items())
                for value in list(vars(module).values() if hasattr(module, "__dict__") else [])
                if type(value).__name__ == "function" and "__glassbox__" in vars(value)]


def test_many_calls_keep_the_last(course):
    """A test that tries inputs until one fails ends with the one that counts."""
    course = course(divisor="np.sqrt(q.shape[-1]) * (1 if len(q) == 2 else 2)")
    course.path.joinpath("test_course.py").write_text(TESTS + '''
def test_many():
    for i in range(200):
        attention(Q + i / 100, K, V)
    attention(np.array([[1.0, 2, 3], [0, 1, 1], [1, 0, 1], [1, 1, 1]]), np.array([[2.0, 0, 1], [1, 1, 0]]), V)
    assert False
''')
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json", "-k", "many", "--glassbox-json", "said.json")
    test, = json.loads(result.path_of("said.json").read_text())["tests"]
    assert [each["right"] for each in test["functions"]] == [True, False]


def test_a_fixture_that_calls_the_function(course):
    course = course(divisor="q.shape[-1]")
    course.path.joinpath("test_course.py").write_text(TESTS + '''
import pytest

@pytest.fixture
def mine():
    return attention(Q, K, V)

def test_in_fixture(mine):
    assert_close(mine, expected())
''')
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json", "-k", "fixture")
    assert "(scaled/no-root)" in section(result)[0]


def test_large_arrays_are_left_out(course):
    course = course()
    course.path.joinpath("test_course.py").write_text('''
import numpy as np
import course

def test_large():
    course.attention(np.zeros((2, 1200000)), np.zeros((2, 1200000)), np.eye(2))
    assert False
''')
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-json", "said.json")
    test, = json.loads(result.path_of("said.json").read_text())["tests"]
    assert "bytes" in test["not_judged"][0]["why"]


def test_tensors_of_the_courses_own(pytester):
    """minitorch's: no framework's arrays, but to_numpy() and make()."""
    package = pytester.mkpydir("minitorch")
    package.joinpath("nn.py").write_text('''
import numpy as np

class Tensor:
    backend = "fast"
    def __init__(self, array):
        self.array = np.asarray(array)
        self.shape = self.array.shape
    def to_numpy(self):
        return self.array
    @staticmethod
    def make(storage, shape, backend=None):
        assert backend == "fast"
        return Tensor(np.reshape(storage, shape))

def softmax(input, dim):
    e = np.exp(input.array)
    return Tensor(e / (1 + e.sum(dim, keepdims=True)))
''')
    pytester.makepyfile(test_nn='''
import numpy as np
from minitorch.nn import Tensor, softmax

def test_softmax():
    q = softmax(Tensor(np.arange(24.0).reshape(2, 3, 4) % 5), 1)
    assert np.allclose(q.to_numpy().sum(1), 1)
''')
    result = run_pytest(pytester, "--glassbox", "--glassbox-mapping", "minitorch")
    assert section(result) == ["softmax: There is an extra 1 in the denominator: the weights sum to less than 1 "
                               "(attention/plus-one): nothing else differs"]
    run_pytest(pytester, "--glassbox-serve", "--glassbox-mapping", "minitorch").assert_outcomes(passed=1)


def changed(course, **fields):
    """The course with a mapping of its attention alone, in which these fields differ."""
    mapping = {"functions": [{**MAPPING["functions"][0], **fields}]}
    course.path.joinpath("mapping.json").write_text(json.dumps(mapping))
    return course


@pytest.mark.parametrize("fields, message", [
    ({"layer": "atention"}, "course:attention: layer: no layer has the name 'atention'; did you mean 'attention'?"),
    ({"results": {"valuess": "return"}}, "the layer attention has no step 'valuess'; did you mean 'values'?"),
    ({"steps": ["atention"]}, "the layer attention has no step 'atention'; did you mean 'attention'?"),
    ({"inputs": {"q": "q", "K": "k", "V": "v"}}, "the layer attention has no input 'q'; did you mean 'Q'?"),
    ({"options": {"scor": "unscaled"}}, "the layer attention has no option 'scor'; did you mean 'score'?"),
    ({"never": ["scaled/no-rot"]}, "no mistake has the name 'scaled/no-rot'; did you mean 'scaled/no-root'?"),
    ({"inputs": ["q"]}, "inputs is an object"),
    ({"layr": "attention"}, "did you mean 'layer'?"),
])
def test_a_word_of_a_mapping_that_is_none(course, fields, message):
    result = run_pytest(changed(course(), **fields), "--glassbox", "--glassbox-mapping", "mapping.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "\n".join(result.outlines + result.errlines)
    assert message in said and "mapping.json" in said and "INTERNALERROR" not in said, said


@pytest.mark.parametrize("fields, message", [
    ({"function": "course:atention"}, "course:atention: no function 'atention' in course; did you mean 'attention'?"),
    ({"function": "atention"}, "no function 'atention' in the files of the course; did you mean 'attention'?"),
    ({"function": "corse:attention"}, "no test has imported the module corse; did you mean 'course'?"),
    ({"inputs": {"Q": "qq", "K": "k", "V": "v"}}, "in course it has no argument 'qq', but q, k, v, mask"),
])
@pytest.mark.parametrize("mode", ["--glassbox", "--glassbox-audit", "--glassbox-serve"])
def test_a_function_that_is_not_found(course, fields, message, mode):
    files = () if mode == "--glassbox-serve" else ("--glassbox-json", "said.json")
    result = run_pytest(changed(course(), **fields), mode, "--glassbox-mapping", "mapping.json", *files)
    assert any("Glassbox mapping" in line for line in result.outlines)
    assert any(line.startswith("mapping.json: ") and message in line for line in result.outlines), result.outlines
    if files:
        assert message in json.loads(result.path_of("said.json").read_text())["mapping"][0]


def test_what_is_found_is_not_told(course):
    result = run_pytest(course(), "--glassbox", "--glassbox-mapping", "mapping.json", "--glassbox-json", "said.json")
    assert not any("Glassbox mapping" in line for line in result.outlines)
    assert json.loads(result.path_of("said.json").read_text())["mapping"] == []


def test_a_call_that_is_not_judged_is_told_at_the_end(course):
    course = changed(course(), inputs={"Q": "q.none", "K": "k", "V": "v"})
    course.path.joinpath("test_course.py").write_text(TESTS.replace("assert_close(mine, expected())", "assert False"))
    result = run_pytest(course, "--glassbox", "--glassbox-mapping", "mapping.json")
    assert "attention: not judged in 2 failing tests: q.none was not given" in result.outlines


def test_the_mappings_that_are_shipped_have_no_such_words():
    from glassbox.testing import mapping
    from glassbox.testing.proofread import proofread

    functions = mapping.find([]).functions
    for each in functions:
        proofread(each)
    assert len(functions) > 10
