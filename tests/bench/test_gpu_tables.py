"""The tables and exit codes of bench/gpu, with made-up figures that make the expected results obvious."""
import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

bench = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(bench))
import gpu_tables  # noqa: E402
import side_by_side  # noqa: E402

loader = importlib.machinery.SourceFileLoader("gpu", str(bench / "gpu"))
gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu", loader))
loader.exec_module(gpu)


def attention(side, way, T, ms, **more):
    return {"section": "attention", "what": "forward", "side": side, "way": way, "precision": "fp32", "T": T, "ms": ms, **more}


def encoder(side, way, precision, ms, **more):
    return {"section": "encoder", "side": side, "way": way, "precision": precision, "batch": 8, "length": 512, "ms": ms, **more}


def training(side, way, **figures):
    return {"section": "reversal", "side": side, "way": way, "precision": "fp32", **figures}


def rows(lines):
    """The cells of all tables' rows, without headers' rulers."""
    text = gpu_tables.markdown(lines)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
            if line.startswith("|") and not line.startswith("|---")]


class Tables(unittest.TestCase):
    def test_median_min_max_and_ratio(self):
        lines = [attention("Glassbox", "", 1024, ms) for ms in (3.0, 2.0, 7.0)]
        lines += [attention("PyTorch", "fused", 1024, ms) for ms in (6.0, 9.0, 5.0)]
        header, row = rows(lines)[:2]
        self.assertEqual(header, ["T", "Glassbox, fp32", "PyTorch fused, fp32"])
        self.assertEqual(row, ["1024", "3.00 (2.00 – 7.00)", "6.00 (5.00 – 9.00) 2.00×"])

    def test_memory_is_also_given_in_bytes_per_position(self):
        lines = [attention("Glassbox", "", T, 1.0, peak_mb=T / 512) for T in (1024, 2048)]
        self.assertEqual([row[1] for row in rows(lines)[-2:]], ["2.00 (2048)", "4.00 (2048)"])

    def test_a_failed_length_gives_the_reason_and_no_ratio(self):
        lines = [attention("Glassbox", "", 65536, 5.0), attention("PyTorch", "plain", 65536, None, error="out of memory")]
        self.assertEqual(rows(lines)[1], ["65536", "5.00", "failed: out of memory –"])

    def test_the_best_way_of_each_peer_is_shown_next_to_glassbox_with_the_share_of_the_peak(self):
        lines = [{"section": "peak", "side": "Glassbox", "precision": "bf16", "gflops": 300_000.0},
                 {"section": "peak", "side": "PyTorch", "precision": "bf16-pure", "gflops": 400_000.0},
                 encoder("Glassbox", "forward", "bf16", 2.0, gflops=100_000.0),
                 encoder("PyTorch", "written", "bf16", 5.0), encoder("PyTorch", "graph", "bf16-pure", 3.0),
                 encoder("JAX", "jitted", "bf16-pure", 4.0)]
        self.assertEqual(rows(lines)[1], ["(8, 512) bf16", "2.00", "100", "25 %", "3.00 (graph, bf16-pure)", "1.50×",
                                          "4.00 (jitted, bf16-pure)", "2.00×"])

    def test_the_rate_is_that_of_the_median(self):
        lines = [encoder("Glassbox", "forward", "fp32", ms, gflops=60_000.0 / ms) for ms in (1.0, 2.0, 3.0)]
        self.assertEqual(rows(lines)[1][:4], ["(8, 512) fp32", "2.00 (1.00 – 3.00)", "30.0", "–"])

    def test_training_is_compared_with_the_recorded_step(self):
        lines = [training("Glassbox", "recorded", process=2.0, seconds=1.0, start_ms=500.0, epochs=[0.4, 0.5, 0.6, 0.9],
                          steps=40, accuracy=1.0, solved=0.4, first_step=0.2),
                 training("PyTorch", "eager", process=8.0, seconds=3.0, epochs=[1.0, 3.0], steps=40, accuracy=0.5)]
        first, second = rows(lines)[1:3]
        self.assertEqual(first, ["Glassbox recorded, fp32", "2.00", "1.00×", "1.00", "1.00×", "0.5", "0.2", "0.1", "0.4", "100.00 %", "40"])
        self.assertEqual(second, ["PyTorch eager, fp32", "8.00", "4.00×", "3.00", "3.00×", "–", "–", "2.00", "–", "50.00 %", "40"])

    def test_the_output_of_tracer_train_is_parsed(self):
        printed = [{"event": "start", "schema": 1, "task": "reverse"}, {"event": "step", "step": 1, "seconds": 0.25},
                   {"event": "validation", "epoch": 1, "accuracy": 0.5, "seconds": 0.5},
                   {"event": "validation", "epoch": 2, "accuracy": 1, "seconds": 0.75}, {"event": "end", "step": 8},
                   {"schema": 1, "command": "train", "task": "reverse", "steps": 8, "seconds": 0.8, "device_seconds": 0.125}]
        self.assertEqual(gpu.of_tracer(printed, 1.5),
                         [{"process": 1.5, "seconds": 0.8, "start_ms": 125.0, "steps": 8, "first_step": 0.25,
                           "epochs": [0.5, 0.75], "solved": 0.75, "accuracy": 1}])
        self.assertEqual(gpu.of_tracer(printed[:-1], 1.5), [])  # it did not finish

    def test_a_rehearsal_is_marked_at_the_top_and_in_each_title(self):
        lines = [{"section": "machine", "rehearsal": True}, attention("Glassbox", "", 16, 1.0), training("Glassbox", "eager", seconds=1.0)]
        text = gpu_tables.markdown(lines)
        self.assertIn("REHEARSAL", text.splitlines()[2])
        titles = [line for line in text.splitlines() if line.startswith("## ")]
        self.assertEqual(len(titles), 2)
        self.assertTrue(all(title.endswith("(REHEARSAL)") for title in titles))
        lines[0]["rehearsal"] = False
        self.assertNotIn("REHEARSAL", gpu_tables.markdown(lines))

    def test_failures_and_omissions_are_listed(self):
        lines = [{"section": "failed", "what": "JAX: no memory"}, {"section": "left out", "what": "softmax"},
                 {"section": "check", "what": "the tests", "ok": False, "detail": "1 failed", "seconds": 2.0}]
        text = gpu_tables.markdown(lines)
        self.assertIn("Failed: JAX: no memory", text)
        self.assertIn("Left out: softmax", text)
        self.assertIn("| the tests | FAILED: 1 failed | 2.00 |", text)


class Driver(unittest.TestCase):
    @unittest.skipIf(gpu.find_gpu(), "there is a GPU")
    def test_without_a_gpu_it_prints_one_sentence_and_exits_with_2(self):
        done = subprocess.run([sys.executable, "-B", bench / "gpu"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("there is no NVIDIA GPU here", done.stderr)

    def test_a_timeout_also_ends_child_processes(self):
        with tempfile.TemporaryDirectory() as folder:
            late = pathlib.Path(folder) / "late"
            figures, wrong = side_by_side.run(["sh", "-c", f"echo '{{\"ms\": 1}}'; (sleep 2; touch {late}) & wait"], timeout=0.6)
            self.assertEqual((figures, wrong), ([{"ms": 1}], "stopped after 1 s"))
            time.sleep(2)
            self.assertFalse(late.exists())


class Rehearsal(unittest.TestCase):
    """The driver with fake programs and a Python without either framework."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bare = self.program("python", f'exec "{sys.executable}" -I -S "$@"')
        self.program("bench/attention", """echo '{"T": 16, "precision": "fp32", "ms": 1.5}'""")

    def program(self, name, text):
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def rehearse(self, *words):
        return subprocess.run([sys.executable, "-B", bench / "gpu", "--rehearse", "--build", self.folder, "--into", self.folder / "into",
                               "--rounds", "1", *words], text=True, capture_output=True)

    def test_missing_frameworks_are_listed_as_left_out(self):
        done = self.rehearse("attention", "--python", self.bare)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 16 | 1.50 |", done.stdout)
        for line in ("Left out: PyTorch: no torch can be imported", "Left out: JAX: no jax can be imported"):
            self.assertIn(line, done.stdout)

    def test_a_failed_side_gives_exit_code_1(self):
        for text, why in (("echo no memory >&2; exit 7", "attention ended with 7: no memory"), ("", "it printed no figures"),
                          ("""echo '{"T": 16, "precision": "fp32", "error": "no device"}'""", "no figure but errors: no device")):
            self.program("bench/attention", text)
            done = self.rehearse("attention", "--python", self.bare)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(f"Failed: attention: Glassbox: {why}", done.stdout)

    def test_softmax_failures_are_reported(self):
        self.program("bench/softmax_kernels", "echo 1 of 5; exit 3")
        done = self.rehearse("softmax", "--python", self.bare)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1 of 5", done.stdout)
        self.assertIn("Failed: softmax: softmax_kernels ended with 3", done.stdout)

    def test_work_stopped_by_the_limit_has_failed_and_work_not_started_is_left_out(self):
        self.program("bench/attention", "sleep 60")
        done = self.rehearse("attention", "--python", self.bare, "--limit", "6")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("stopped after", done.stdout)
        self.assertIn("Left out: attention: Glassbox, from round 1 on: the time limit was reached", done.stdout)

    @unittest.skipUnless(shutil.which("ctest"), "ctest is not installed")
    def test_a_build_without_tests_fails_the_check(self):
        done = self.rehearse("attention", "--python", self.bare, "--check")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("| the tests | FAILED", done.stdout)

    def test_invalid_options_give_one_sentence(self):
        bad = self.folder / "bad.jsonl"
        bad.write_text('{"section": "softmax", "text": "x"}\nnot a line\n')
        for words, code, why in ((["--python", "/no/python"], 2, "bench/gpu: --python: /no/python does not run\n"),
                                 (["--tables", "/no/lines"], 3, "bench/gpu: /no/lines: No such file or directory\n"),
                                 (["--tables", bad], 3, f"bench/gpu: {bad}: line 2 is not from bench/gpu\n")):
            done = self.rehearse(*words)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", why))
        for words, why in ((["--rounds", "0"], "--rounds: at least 1, got 0"), (["--limit", "0"], "--limit: more than 0 seconds, got 0")):
            done = self.rehearse(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(why, done.stderr)


if __name__ == "__main__":
    unittest.main()
