"""What bench/gpu makes of lines that were recorded. The figures are made up so that the answers are seen at once."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import unittest

bench = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(bench))
import gpu_tables  # noqa: E402

loader = importlib.machinery.SourceFileLoader("gpu", str(bench / "gpu"))
gpu = importlib.util.module_from_spec(importlib.util.spec_from_loader("gpu", loader))
loader.exec_module(gpu)


def attention(side, way, T, ms, **more):
    return {"section": "attention", "what": "forwards", "side": side, "way": way, "precision": "fp32", "T": T, "ms": ms, **more}


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
    def test_medians_least_and_most_and_how_many_times_as_long(self):
        lines = [attention("Glassbox", "", 1024, ms) for ms in (3.0, 2.0, 7.0)]
        lines += [attention("PyTorch", "fused", 1024, ms) for ms in (6.0, 9.0, 5.0)]
        header, row = rows(lines)[:2]
        self.assertEqual(header, ["T", "Glassbox, fp32", "PyTorch fused, fp32"])
        self.assertEqual(row, ["1024", "3.00 (2.00 – 7.00)", "6.00 (5.00 – 9.00) 2.00×"])

    def test_memory_is_also_told_in_bytes_a_position(self):
        lines = [attention("Glassbox", "", T, 1.0, peak_mb=T / 512) for T in (1024, 2048)]
        self.assertEqual([row[1] for row in rows(lines)[-2:]], ["2.00 (2048)", "4.00 (2048)"])

    def test_a_length_that_failed_says_why_and_has_no_ratio(self):
        lines = [attention("Glassbox", "", 65536, 5.0), attention("PyTorch", "plain", 65536, None, error="out of memory")]
        self.assertEqual(rows(lines)[1], ["65536", "5.00", "failed: out of memory –"])

    def test_the_best_way_of_each_peer_stands_beside_glassbox_with_the_share_of_the_peak(self):
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

    def test_training_is_held_against_the_recorded_step(self):
        lines = [training("Glassbox", "recorded", process=2.0, seconds=1.0, start_ms=500.0, epochs=[0.4, 0.5, 0.6, 0.9],
                          steps=40, accuracy=1.0, solved=0.4, first_step=0.2),
                 training("PyTorch", "eager", process=8.0, seconds=3.0, epochs=[1.0, 3.0], steps=40, accuracy=0.5)]
        first, second = rows(lines)[1:3]
        self.assertEqual(first, ["Glassbox recorded, fp32", "2.00", "1.00×", "1.00", "1.00×", "0.5", "0.2", "0.1", "0.4", "100.00 %", "40"])
        self.assertEqual(second, ["PyTorch eager, fp32", "8.00", "4.00×", "3.00", "3.00×", "–", "–", "2.00", "–", "50.00 %", "40"])

    def test_what_tracer_train_prints_is_read(self):
        printed = [{"event": "start", "schema": 1, "task": "reverse"}, {"event": "step", "step": 1, "seconds": 0.25},
                   {"event": "validation", "epoch": 1, "accuracy": 0.5, "seconds": 0.5},
                   {"event": "validation", "epoch": 2, "accuracy": 1, "seconds": 0.75}, {"event": "end", "step": 8},
                   {"schema": 1, "command": "train", "task": "reverse", "steps": 8, "seconds": 0.8, "device_seconds": 0.125}]
        self.assertEqual(gpu.of_tracer(printed, 1.5),
                         [{"process": 1.5, "seconds": 0.8, "start_ms": 125.0, "steps": 8, "first_step": 0.25,
                           "epochs": [0.5, 0.75], "solved": 0.75, "accuracy": 1}])
        self.assertEqual(gpu.of_tracer(printed[:-1], 1.5), [])  # it did not come to its end

    def test_a_rehearsal_says_so_above_everything_and_in_each_title(self):
        lines = [{"section": "machine", "rehearsal": True}, attention("Glassbox", "", 16, 1.0), training("Glassbox", "eager", seconds=1.0)]
        text = gpu_tables.markdown(lines)
        self.assertIn("REHEARSAL", text.splitlines()[2])
        titles = [line for line in text.splitlines() if line.startswith("## ")]
        self.assertEqual(len(titles), 2)
        self.assertTrue(all(title.endswith("(REHEARSAL)") for title in titles))
        lines[0]["rehearsal"] = False
        self.assertNotIn("REHEARSAL", gpu_tables.markdown(lines))

    def test_what_failed_or_was_left_out_is_told(self):
        lines = [{"section": "failed", "what": "JAX: no memory"}, {"section": "left out", "what": "softmax"},
                 {"section": "check", "what": "the tests", "ok": False, "detail": "1 failed", "seconds": 2.0}]
        text = gpu_tables.markdown(lines)
        self.assertIn("Failed: JAX: no memory", text)
        self.assertIn("Left out: softmax", text)
        self.assertIn("| the tests | FAILED: 1 failed | 2.00 |", text)


class Driver(unittest.TestCase):
    @unittest.skipIf(gpu.find_gpu(), "there is a GPU")
    def test_without_a_gpu_it_says_so_in_one_sentence_and_ends_with_2(self):
        done = subprocess.run([sys.executable, "-B", bench / "gpu"], text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("there is no NVIDIA GPU here", done.stderr)


if __name__ == "__main__":
    unittest.main()
