"""Which layer is missing: the catalogue's sentence is that of any linear layer, and the step at which it is found tells
which."""
import itertools

import numpy as np

from . import engine

MISSING = "linear/left-out"
SENTENCE = "The layer is missing:"
MATRICES = {"Q": "W_Q", "K": "W_K", "V": "W_V", "hidden": "W_1", "mlp/output": "W_2", "output": "W_O"}


def with_names(answer, case, folder):
    """The command's answer, in which the sentence names the layer."""
    for name, sentence in answer["sentences"].items():
        if name.endswith(MISSING) and sentence.startswith(SENTENCE):
            path = name.rpartition(": ")[0]
            told = sentence.replace(SENTENCE, subject(path) if path else subject_of_all(case, folder))
            told = told.replace("its input is", "their inputs are") if " are missing:" in told else told
            answer["sentences"][name] = told
            answer["text"] = answer["text"].replace(sentence, told)
    return answer


def matrix_of(path):
    """W_O of self_attn/output; "" where the path does not tell."""
    return next((matrix for step, matrix in MATRICES.items() if f"/{path}".endswith(f"/{step}")), "")


def subject(path):
    matrix, scope = matrix_of(path), path.rpartition("/")[0]
    return f"The layer {matrix} of {scope} is missing:" if matrix else SENTENCE


def subject_of_all(case, folder):
    """Of a layer that is missing wherever there is such a one: by the steps that then are their inputs."""
    engine.run([case.layer, *case.place(folder), "--mistake", MISSING, "-o", "missing.npz"], folder.path)
    steps = folder.read("missing.npz")
    found = [matrix_of(after) for before, after in itertools.pairwise(steps) if np.array_equal(steps[before], steps[after])]
    found = list(dict.fromkeys(matrix for matrix in found if matrix))
    if len(found) > 1:
        return f"The layers {', '.join(found)} are missing:"
    return f"The layer {found[0]} is missing:" if found else SENTENCE
