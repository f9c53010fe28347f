"""Runs a command within limits of time and memory, and describes how it ended."""

import fcntl
import os
import selectors
import shlex
import signal
import struct
import subprocess
import termios
import time
from dataclasses import dataclass

GB = 1 << 30


@dataclass
class Result:
    command: list
    code: int = 0  # as in subprocess: -9 is death by signal 9
    out: bytes = b""
    err: bytes = b""
    seconds: float = 0
    peak: int = 0  # bytes of resident memory
    spoke_after: float = None  # seconds until the first byte of output
    peak_before_word: int = 0
    timed_out: bool = False
    too_large: bool = False

    def outcome(self):
        """A short description of how it ended."""
        if self.timed_out:
            return f"still running after {self.seconds:.1f} s"
        if self.too_large:
            return f"stopped at {self.peak / GB:.1f} GB"
        end = f"killed by {signal.Signals(-self.code).name}" if self.code < 0 else f"exit {self.code}"
        lines = (self.err or self.out).decode(errors="backslashreplace").strip().splitlines()
        told = [line for line in lines if line.startswith("error:")][:1] or lines[-1:]
        return f"{end}: {told[0][:200]!r}" if told else end


def words(command):
    """The command for a shell. Words may be bytes, for names that are not text."""
    return " ".join(quoted(word) for word in command)


def quoted(word):
    text = os.fsdecode(word)
    if text.isprintable():
        return shlex.quote(text)
    escaped = "".join(f"\\x{byte:02x}" if byte < 32 or byte > 126 or byte in b"'\\" else chr(byte)
                      for byte in os.fsencode(word))
    return f"$'{escaped}'"  # bash syntax


def resident(pid):
    """Bytes of memory that the process uses now."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def start(command, cwd=None, env=None, **pipes):
    """A process in its own group, so that all its children can be ended with it."""
    return subprocess.Popen(command, cwd=cwd, env={**os.environ, **(env or {})}, start_new_session=True,
                            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                               "stderr": subprocess.PIPE, **pipes})


def end(process):
    """Ends a process and all its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def limited(command, limits):
    """The command under ulimit: {"v": 100000} allows 100,000 KB of address space."""
    if not limits:
        return list(command)
    shell = "; ".join(f"ulimit -{letter} {value}" for letter, value in limits.items())
    return ["bash", "-c", shell + '; exec "$0" "$@"', *command]


def open_terminal():
    """Both ends of a pseudo-terminal of 80 columns, ours as a file."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    return os.fdopen(ours, "rb", buffering=0), its


def read_some(pipe):
    """Available output; b"" at the end, None where there is nothing yet."""
    try:
        return os.read(pipe.fileno(), 1 << 16)
    except BlockingIOError:
        return None
    except OSError:  # a terminal whose other end is closed
        return b""


def run(command, timeout=10, limits=None, cwd=None, env=None, until_word=None, most=6 * GB, streams=None,
        terminal=False):
    """Runs to the end, to `timeout` seconds or to `most` bytes of memory; with `until_word`, so many seconds beyond the
    first byte of output. `streams` replaces stdin, stdout or stderr; on a terminal both outputs are in `out`."""
    command = limited(command, limits)
    result = Result(command)
    begin = time.monotonic()
    if terminal:
        ours, its = open_terminal()
        process = start(command, cwd, {"TERM": "xterm", **(env or {})}, stdout=its, stderr=its)
        os.close(its)
        pipes = {ours: []}
    else:
        process = start(command, cwd, env, **(streams or {}))
        pipes = {pipe: [] for pipe in (process.stdout, process.stderr) if pipe}
    try:
        status, usage = watch(process, pipes, result, begin, timeout, until_word, most)
        process.returncode = result.code = os.waitstatus_to_exitcode(status)
        result.peak = max(result.peak, usage.ru_maxrss * 1024)
        if result.spoke_after is None:
            result.peak_before_word = result.peak
    finally:
        end(process)
        for pipe in pipes:
            pipe.close()
    outputs = [b"".join(chunks) for chunks in pipes.values()]
    if terminal or process.stdout:
        result.out = outputs.pop(0)
    if outputs:
        result.err = outputs.pop(0)
    return result


def watch(process, pipes, result, begin, timeout, until_word, most):
    """Reads the process's output until it exits, or ends it. Returns its status and resource use."""
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            os.set_blocking(pipe.fileno(), False)
            selector.register(pipe, selectors.EVENT_READ)
        status = usage = None
        while status is None or selector.get_map():
            for key, _ in selector.select(0.02) if selector.get_map() else []:
                chunk = read_some(key.fileobj)
                if chunk:
                    pipes[key.fileobj].append(chunk)
                    if result.spoke_after is None:
                        result.spoke_after = time.monotonic() - begin
                elif chunk == b"":
                    selector.unregister(key.fileobj)
            spent = time.monotonic() - begin
            if status is not None:
                if spent > result.seconds + 5:
                    break  # a child still holds its pipe open
                continue
            result.peak = max(result.peak, resident(process.pid))
            if result.spoke_after is None:
                result.peak_before_word = result.peak
            if not selector.get_map():
                time.sleep(0.001)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if not pid:
                status = None
                result.too_large = result.peak > most
                has_spoken = until_word is not None and result.spoke_after is not None
                if spent > timeout or result.too_large or (has_spoken and spent > result.spoke_after + until_word):
                    result.timed_out = not has_spoken and not result.too_large
                    end(process)
                    _, status, usage = os.wait4(process.pid, 0)
            result.seconds = time.monotonic() - begin
    return status, usage
