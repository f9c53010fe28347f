"""Asks the command about calls. The same question is asked once."""
import functools

from .. import engine
from ..errors import Error
from ..workspace import Workspace


@functools.lru_cache(maxsize=None)
def catalogue():
    """The mistakes of the command by name: formula, sentence, class."""
    answer = engine.run(["mistakes", "--format", "json"])
    return {each["name"]: each for each in answer.as_json["mistakes"]}


def entry_of(name):
    """Of "encoder/0: scaled/no-root in head 1" that of scaled/no-root."""
    return catalogue().get(name.rpartition(": ")[2].partition(" in ")[0])


class Asked:
    """Answers, remembered."""

    def __init__(self):
        self.known, self.processes = {}, 0

    def run(self, key, question):
        if key not in self.known:
            self.processes += 1
            self.known[key] = question()
        return self.known[key]

    def check(self, job):
        """What `tracer check` says of what a function gave, as its JSON."""
        results = tuple((k, v.shape, v.tobytes()) for k, v in sorted(job.results.items()))

        def question():
            with Workspace() as folder:
                mine = folder.write("mine.npz", job.results)
                words = ["check", job.layer, *job.words(folder), "--format", "json", "--layout", "exact",
                         "--hide-expected", mine]
                return engine.run(words, folder=folder.path, may_fail=True).as_json

        return self.run(("check", job.key(), results), question)

    def compute(self, job, mistake=None, steps=None):
        """The command's own arrays for these inputs, by step; with a mistake where one is named. None where the mistake
        cannot be made here, or leaves nothing that the next step could take."""
        def question():
            with Workspace() as folder:
                words = [job.layer, *job.words(folder), "-o", "out.npz"]
                words += ["--only", ",".join(steps)] if steps else []
                words += ["--mistake", mistake] if mistake else []
                try:
                    engine.run(words, folder=folder.path)
                except Error as error:
                    if mistake and error.code == 2:  # all else was right without it
                        return None
                    raise
                return folder.read("out.npz")

        return self.run(("compute", job.key(), mistake, tuple(steps or ())), question)
