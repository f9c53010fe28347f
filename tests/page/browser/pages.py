"""The pages that are tested, each with the numbers that the same command writes to other files."""

import fcntl
import json
import os
import re
import struct
import subprocess
from functools import cached_property
from pathlib import Path

THOROUGH = bool(os.environ.get("GLASSBOX_PAGE_THOROUGH"))  # .ci/full: more clicks, all steps, all pages in the dark

HOSTILE_WORDS = ["<script>alert(1)</script>", "\"double\"", "'single'", "a&b", "x\u202ey", "</script>",
                 "<img/src=x/onerror=alert(1)>", "]]>", "${alert(1)}", "\\u0022"]

TRAIN = "train reverse --examples 200 --validation 20 --test 20 --seq 5 --dmodel 8 --heads 1"
# Four of its eight examples are shown, and what the others add. As few numbers as its 256 steps can have.
REVERSE = "train reverse --examples 200 --validation 20 --test 20 --seq 4 --dmodel 4 --heads 1 --categories 5 --batch 8 --step 3".split()

# name: (arguments, beginning of its title)
COMMANDS = {
    "attention": ("attention --seq 3 --dk 2".split(), "Scaled dot-product attention"),
    "attention-grad": ("attention --seq 3 --dk 2 --mask causal --grad".split(), "Scaled dot-product attention"),
    "multihead": ("multihead --seq 3 --dmodel 4 --heads 2 --batch 2".split(), "Multi-head attention"),
    "encoder-block": ("encoder-block --seq 3 --dmodel 4 --heads 2 --grad".split(), "Encoder block"),
    "predictor": ("predictor --seq 3 --dmodel 4 --heads 2 --layers 1".split(), "Predictor"),
    "decoder-block": ("decoder-block --seq 3 --dmodel 4 --heads 2".split(), "Decoder block"),
    "transformer": (["transformer", "--text", "je suis", "--target", "i am"], "Encoder–decoder Transformer"),
    "training-step": (REVERSE, "reverse · step 3"),
    "mistake": ("attention --seq 3 --dk 2 --mask causal --mistake attention/mask-after".split(),
                "Scaled dot-product attention: "),
    "diff": ("encoder-block --seq 3 --dmodel 4 --heads 2 --diff uva-jax,report".split(), "Encoder block"),
    "prediction": (["predict", "reverse", "2 5 3 7 1", "--trained"], "Prediction: reverse"),
    "text": (["text", "Je suis étudiant."], "From text to numbers"),
    "positional": ("positional --seq 4 --dmodel 6".split(), "Positional encoding"),
    "windowed": ("multihead --seq 40 --dmodel 32 --heads 2 --grad".split(), "Multi-head attention"),
    "hostile-text": (["text", " ".join(HOSTILE_WORDS)], "From text to numbers"),
    "hostile-words": (["multihead", "--text", " ".join(HOSTILE_WORDS)], "Multi-head attention"),
    "hostile-transformer": (["transformer", "--text", " ".join(HOSTILE_WORDS[:5]), "--target", HOSTILE_WORDS[5] + " " + HOSTILE_WORDS[6]],
                            "Encoder–decoder Transformer"),
    "million": ("attention --seq 600 --dk 16".split(), "Scaled dot-product attention"),
}
SAVES_WEIGHTS = {"multihead", "encoder-block", "predictor", "decoder-block", "transformer", "windowed", "hostile-words", "hostile-transformer"}
HAS_GRADIENTS = {"attention-grad", "encoder-block", "training-step", "windowed"}
HOSTILE = ["hostile-text", "hostile-words", "hostile-transformer"]
PAGES = [name for name in COMMANDS if name not in HOSTILE + ["million", "prediction"]]


class Pages:
    """Makes pages when they are asked for, in a folder that processes share."""

    def __init__(self, tracer, scratch):
        self.tracer, self.scratch, self.made = tracer, Path(scratch), {}

    def __getitem__(self, name):
        if name not in self.made:
            self.made[name] = Made(name, self.tracer, self.scratch / name)
        return self.made[name]

    def of_run(self):
        """The page of a short run, made anew."""
        folder = self.scratch / "run"
        trained = self.run(*TRAIN.split(), "--epochs", 40, "--log-every", 1, "--batch", 50, "--warmup", 0, "--folder", folder)
        assert trained.returncode == 0, trained.stderr
        drawn = self.run("plot", folder, "-o", self.scratch / "run.html")
        assert drawn.returncode == 0, drawn.stderr
        return self.scratch / "run.html"

    def run(self, *arguments, cwd=None):
        return subprocess.run([self.tracer, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120)


class Made:
    def __init__(self, name, tracer, folder):
        self.name, self.tracer, self.folder = name, tracer, folder
        self.arguments, self.title = COMMANDS[name]
        folder.mkdir(parents=True, exist_ok=True)

    def written(self, file, *arguments):
        """The path of a file that the command writes, once for all processes."""
        path = self.folder / file
        with open(self.folder / (file + ".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                partial = self.folder / ("partial-" + file)
                ran = subprocess.run([self.tracer, *self.arguments, *arguments, "-o", partial.name], cwd=self.folder, capture_output=True,
                                     text=True, timeout=120)
                assert ran.returncode == 0, f"tracer {' '.join(self.arguments)}: {ran.stderr}"
                partial.rename(path)
        return path

    @property
    def html(self):
        return self.written("trace.html")

    @property
    def url(self):
        return self.html.as_uri()

    @cached_property
    def text(self):
        """What the command prints."""
        ran = subprocess.run([self.tracer, *self.arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    @cached_property
    def source(self):
        return self.html.read_text("utf-8")

    @cached_property
    def data(self):
        """The page's data: names of tensors, never a number, are taken from it."""
        return json.loads(re.search(r'<script type="application/json" id="trace">(.*?)</script>', self.source, re.S).group(1))

    @cached_property
    def numbers(self):
        """{path: array} of the .npz, and of the weights' file."""
        import numpy
        arguments = ["--save-weights", "weights.safetensors"] if self.name in SAVES_WEIGHTS else []
        found = dict(numpy.load(self.written("trace.npz", *arguments)))
        weights = self.folder / "weights.safetensors"
        if weights.exists():
            found.update({"weights/" + key: value for key, value in safetensors(weights).items()})
        return found

    @cached_property
    def names(self):
        """The .npz's name of each tensor of the page, where it has one."""
        return names_of(self.data)

    def truth(self, tensor, at, gradient, numbers=None, names=None):
        """The number that another file has for one of the page, or None where no file has it."""
        name = (names or self.names).get(tensor)
        if name is None:
            return None
        array = (self.numbers if numbers is None else numbers).get(("grad/" if gradient else "") + name)
        return None if array is None else array.reshape(-1)[at]


def names_of(data):
    names = {}
    for tensor, each in enumerate(data["tensors"]):
        if "name" in each:
            names[tensor] = ("weights/" if each["kind"] == "parameter" else "") + each["name"]
    for each in data["parameters"]:
        names[each["tensor"]] = "weights/" + each["name"]
    for each in data["steps"]:
        names[each["tensor"]] = each["path"]
    return names


def stored_numbers(data):
    """How many numbers a page holds: values, gradients, differences and weights."""
    size = 4 if data["real"] == "float32" else 8
    fields = ("data", "gradient", "difference", "right")
    own = sum(len(each[field].rstrip("=")) * 3 // 4 // size
              for part in ("tensors", "steps", "parameters") for each in data[part] for field in fields if field in each)
    return own + (stored_numbers(data["other"]) if "other" in data else 0)


def safetensors(path):
    import numpy
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    found = {}
    for name, each in json.loads(content[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = each["data_offsets"]
            kind = {"F32": "<f4", "F64": "<f8"}[each["dtype"]]
            found[name] = numpy.frombuffer(content[8 + length + begin:8 + length + end], kind).reshape(each["shape"])
    return found
