"""Every lesson's solution, in C++ and Python, and right ones in other styles, with the inputs of many names: all right.

    names.py LESSONS CHECKS COUNT    LESSONS has 01-…, CHECKS has 01/check and 01/collect

What tracer grade does for each submission, but with one process for all names of a solution, compiled once. Exit
codes: 0 all are right, 1 some are not, 4 there is no NumPy or no compiler.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    sys.exit(4)

# Edits of solution.py that leave it right: as others write it, in other precision, in another order.
STYLES = [
    ("01", "Q @ np.swapaxes(K, -1, -2)", "np.einsum('...qd,...kd->...qk', Q, K)"),
    ("01", "np.where(mask == 0, hidden_score, steps.scaled)", "steps.scaled - 1e9 * (1 - mask)"),
    ("01", "steps.values = steps.attention @ V", "steps.values = (steps.attention.astype(np.float32) @ V.astype(np.float32))"),
    ("02", "steps.qkv = x @ w.W_qkv.T + w.b_qkv", "steps.qkv = np.tensordot(x, w.W_qkv, (-1, -1)) + w.b_qkv"),
    ("04", "variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)", "variance = x.var(axis=-1, keepdims=True)"),
    ("05", "steps.encoded.mean(axis=0, keepdims=True)", "steps.encoded.mean(axis=0)"),
    ("06", "probabilities = e / e.sum(axis=-1, keepdims=True)",
     "probabilities = np.exp(logits - log_sum[:, None])"),
    ("11", "steps.softmax.argmax(axis=-1)", "steps.logits.argmax(axis=-1)"),
    ("12", "probabilities.max()", "probabilities[int(steps.written[b, n])]"),
    ("12", "np.where(counts, -np.log(probabilities), 0)", "-np.log(np.where(counts, probabilities, 1))"),
    ("12", "probabilities = softmax(transformer_logits(source[b], so_far, w))[-1]",
     "z = transformer_logits(source[b], so_far, w)[-1].astype(np.float32); "
     "probabilities = np.exp(z - z.max()) / np.exp(z - z.max()).sum()"),
    ("14", "steps.deviation = known.std()", "steps.deviation = np.sqrt((known**2).mean() - known.mean() ** 2)"),
    ("14", "steps.head = linear(encoded(steps.input, w)[:, -1], w.W_out, w.b_out)",
     "steps.head = encoded(steps.input, w)[:, -1] @ w.W_out.T + w.b_out"),
    ("14", "steps.input = np.concatenate([x[:, :, None], times], axis=-1)",
     "steps.input = np.concatenate([x[:, :, None], times], axis=-1).astype(np.float32)"),
]


class Graded:
    """One lesson, and the inputs of its names."""
    def __init__(self, folder, check, count, scratch):
        self.folder, self.check, self.scratch = folder, check, scratch
        self.inputs = []
        for name in range(count):
            self.inputs.append(os.path.join(scratch, f"inputs{name}.npz"))
            subprocess.run([check, folder, "inputs", str(7919 * name + 1), self.inputs[-1]], check=True)
        with open(os.path.join(scratch, "stopped"), "wb"):
            pass

    def faults(self, language, collect):
        """What is not right, a line for each name."""
        steps = os.path.join(self.scratch, "steps.npz")
        for name, inputs in enumerate(self.inputs):
            collect(inputs, steps)
            said = subprocess.run([self.check, self.folder, "judge", inputs, steps, os.path.join(self.scratch, "stopped"),
                                   language, "show", inputs, steps], check=True, capture_output=True, text=True).stdout
            wrong = [step["message"] for case in json.loads(said)["cases"] for step in case["steps"]
                     if step["verdict"] != "right"]
            if wrong:
                yield f"name {name}: {wrong[0]}"


def in_python(folder, source):
    """Collects what this solution gives."""
    import importlib
    for name in ("lesson", "given", "weights", "steps", "run_python"):
        sys.modules.pop(name, None)
    support = os.path.join(os.path.dirname(folder), "support")
    sys.path[:0] = [folder, support]
    run_python = importlib.import_module("run_python")
    run = run_python.Run(folder, source, "solution.py")
    exercise = run_python.Exercise(source)
    steps_of = importlib.import_module("steps").Steps
    del sys.path[:2]

    def collect(inputs, out):
        with np.load(inputs) as golden:
            run.golden = {name: golden[name] for name in golden.files}
        run.arrays = {}
        for case in run.cases:
            steps = steps_of(run.names.values())
            run.lesson.call(exercise, run.given(case), steps)
            run.collect(case, steps)
        np.savez(out, **run.arrays)

    return collect


def in_cpp(folder, check, scratch):
    library = os.path.join(scratch, "solution.so")
    subprocess.run(["c++", "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-I", folder, "-o", library,
                    os.path.join(folder, "solution.cpp")], check=True)

    def collect(inputs, out):
        collecting = os.path.join(os.path.dirname(check), "collect")
        subprocess.run([collecting, folder, library, "solution.cpp", inputs, "60", out.removesuffix(".npz")],
                       check=True, stdout=subprocess.DEVNULL)

    return collect


def solutions(folder, check, scratch):
    """(what it is, its language, how it is collected)"""
    number = os.path.basename(folder)[:2]
    yield "solution.cpp", "cpp", in_cpp(folder, check, scratch)
    with open(os.path.join(folder, "solution.py"), encoding="utf-8") as text:
        solution = text.read()
    yield "solution.py", "python", in_python(folder, os.path.join(folder, "solution.py"))
    for place, (lesson, old, new) in enumerate(STYLES):
        if lesson != number:
            continue
        if solution.count(old) != 1:
            sys.exit(f"{folder}/solution.py: not once: {old}")
        source = os.path.join(scratch, f"style{place}.py")
        with open(source, "w", encoding="utf-8") as text:
            text.write(solution.replace(old, new))
        yield new, "python", in_python(folder, source)


def main(lessons, checks, count, *only):
    wrong = 0
    for folder in sorted(glob.glob(os.path.join(lessons, "[0-9][0-9]-*"))):
        number = os.path.basename(folder)[:2]
        check = os.path.join(checks, number, "check")
        if not os.path.exists(os.path.join(folder, "lesson.json")) or (only and number not in only):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            graded = Graded(folder, check, int(count), scratch)
            for what, language, collect in solutions(folder, check, scratch):
                faults = list(graded.faults(language, collect))
                print(f"{'✗' if faults else '✓'} {number}, {what}: {len(faults)} of {count} names lose points", flush=True)
                print("".join(f"  {fault}\n" for fault in faults[:3]), end="", flush=True)
                wrong += bool(faults)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
