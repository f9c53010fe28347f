"""The command is found, run, and its words are passed on."""
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import glassbox
from glassbox import engine


def test_the_command_answers():
    assert "tracer" in engine.run(["--version"]).text


def test_errors_are_the_commands_own_with_its_code():
    with pytest.raises(glassbox.Error, match="did you mean '--heads'") as raised:
        engine.run(["multihead", "--hedas", "2"])
    assert raised.value.code == 2
    with pytest.raises(glassbox.Error, match="none.npz") as raised:
        engine.run(["attention", "--input", "none.npz"])
    assert raised.value.code in (3, 4)


def test_a_failed_check_is_no_error_where_it_may_fail(tmp_path):
    (tmp_path / "mine.txt").write_text("[[1 2] [3 4] [5 6]]")
    words = ["check", "attention", "--seq", "3", "--dk", "2", "mine.txt"]
    assert engine.run(words, tmp_path, may_fail=True).code == 1
    with pytest.raises(glassbox.Error):
        engine.run(words, tmp_path)


def test_another_program_of_the_name_is_refused(tmp_path, monkeypatch):
    other = tmp_path / "tracer"
    other.write_text("#!/bin/sh\necho tracer 3\n")
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("GLASSBOX_TRACER", str(other))
    with pytest.raises(glassbox.Error, match="GLASSBOX_TRACER"):
        engine.command()


def test_the_environment_chooses_the_command(tmp_path, monkeypatch):
    link = tmp_path / "mine"
    link.symlink_to(engine.command())
    monkeypatch.setenv("GLASSBOX_TRACER", str(link))
    assert engine.command() == str(link)


def in_a_checkout(folder, build, code):
    """What a copy of the module says in a checkout in which only this build has the command; None: no build has."""
    shutil.copytree(Path(glassbox.__file__).parent, folder / "python" / "glassbox")
    if build:
        (folder / "build" / build).mkdir(parents=True)
        (folder / "build" / build / "tracer").symlink_to(engine.command())
    environment = {name: value for name, value in os.environ.items() if name != "GLASSBOX_TRACER"}
    environment.update(PYTHONPATH=str(folder / "python"), PATH="/nowhere")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return done.stdout


@pytest.mark.skipif(any(path.exists() for path in list(engine.places())[:2]), reason="the command is installed")
def test_any_build_of_a_checkout_will_do(tmp_path):
    for build in ("release", "static"):
        found = in_a_checkout(tmp_path / build, build, "from glassbox import engine; print(engine.command())")
        assert found == f"{tmp_path / build / 'build' / build / 'tracer'}\n"
    code = "import glassbox\ntry: glassbox.trace('attention')\nexcept glassbox.Error as error: print(error)"
    message = in_a_checkout(tmp_path / "none", None, code)
    assert "./dev tracer" in message and "GLASSBOX_TRACER" in message
    assert str(tmp_path / "none" / "build" / "static" / "tracer") in message and "on PATH" in message


def test_no_framework_is_imported():
    code = ("import glassbox, sys; glassbox.trace('attention', seq=2, dk=2); "
            "print([name for name in ('torch', 'jax', 'flax') if name in sys.modules])")
    folder = Path(glassbox.__file__).resolve().parents[1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(folder)})
    assert done.stdout == "[]\n"


def test_a_notebook_that_forces_colours_gets_none(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in glassbox.trace("attention").explain("values[0,1]")


def test_half_of_a_character_and_a_zero_byte_are_errors_of_the_module(tmp_path):
    for word in ("\ud800", "a\udfffb", "a\0b"):
        for act in (lambda: glassbox.trace("attention", seq=2, text=word), lambda: glassbox.trace(word),
                    lambda: glassbox.check("attention", {word: np.zeros((3, 2)), "attention": np.zeros((3, 3))}),
                    lambda: glassbox.check("attention", np.zeros((3, 2)), as_=word)):
            with pytest.raises(glassbox.Error, match="half of a character|zero byte"):
                act()
    name = os.fsdecode(b"gl\xff.npy")  # a file's name may be no text
    np.save(tmp_path / name, np.zeros((3, 2)))
    assert not glassbox.check("attention", str(tmp_path / name), seq=3, dk=2, quiet=True)


def test_a_program_that_only_knows_of_mistakes_is_refused_with_its_name(tmp_path, monkeypatch):
    other = tmp_path / "tracer"
    for answer in ("residual/mean", '{"x": "residual/mean"}', '["residual/mean"]'):
        other.write_text(f"#!/bin/sh\necho '{answer}'\n")
        other.chmod(0o755)
        monkeypatch.setenv("GLASSBOX_TRACER", str(other))
        with pytest.raises(glassbox.Error, match="not the command tracer of this Glassbox") as raised:
            glassbox.trace("attention")
        assert str(other) in str(raised.value) and "GLASSBOX_TRACER" in str(raised.value)
    other.unlink()  # gone since it was found
    with pytest.raises(glassbox.Error, match="cannot be run: No such file"):
        glassbox.trace("attention")


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a signal")
def test_a_signal_that_ends_the_program_leaves_no_folder(tmp_path):
    code = ("import os, signal, glassbox\n"
            "from glassbox.workspace import Workspace\n"
            "with Workspace() as outer, Workspace() as inner:\n"
            "    inner.write_text('x', 'y'); print(len(os.listdir(os.environ['TMPDIR'])), flush=True)\n"
            "    os.kill(os.getpid(), getattr(signal, os.environ['HOW']))\n"
            "    print('not reached')\n")
    unhandled = "import os, signal\nsignal.signal(getattr(signal, os.environ['HOW']), signal.SIG_DFL)\n" + code  # nohup ignores it
    for how in ("SIGTERM", "SIGHUP"):
        done = subprocess.run([sys.executable, "-c", unhandled], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(Path(glassbox.__file__).parents[1]),
                                   "TMPDIR": str(tmp_path), "HOW": how})
        assert done.stdout == "2\n" and done.returncode == -getattr(signal, how), done.stderr
        assert not list(tmp_path.iterdir())
    handled = "import signal\nsignal.signal(signal.SIGTERM, lambda *_: print('own'))\n" + code.replace("not reached", "goes on")
    done = subprocess.run([sys.executable, "-c", handled], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(Path(glassbox.__file__).parents[1]),
                               "TMPDIR": str(tmp_path), "HOW": "SIGTERM"})
    assert done.stdout == "2\nown\ngoes on\n" and not list(tmp_path.iterdir())


def test_after_a_check_signals_are_as_they_were():
    before = {name: signal.getsignal(getattr(signal, name)) for name in ("SIGTERM", "SIGINT")}
    glassbox.trace("attention", seq=2, dk=2)
    assert {name: signal.getsignal(getattr(signal, name)) for name in before} == before
