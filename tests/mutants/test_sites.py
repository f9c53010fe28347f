#!/usr/bin/env python3
"""What the places of a text are, and what they leave alone."""

import unittest
from pathlib import Path

from mutants import Mutant
from sites import sites

ROOT = Path(__file__).resolve().parent.parent.parent


def changed(text):
    return [each.of(text) for each in sites(text)]


class Sites(unittest.TestCase):
    def test_an_operator_becomes_its_neighbour(self):
        self.assertEqual(changed("x = a + b;"), ["x = a - b;"])
        self.assertEqual(changed("x = a <= b;"), ["x = a < b;"])
        self.assertEqual(changed("if (a &&\n    b) c -= d;"), ["if (a ||\n    b) c -= d;", "if (a &&\n    b) c += d;"])

    def test_a_constant_becomes_another(self):
        self.assertEqual(changed("x = f(0, 1, 7u, true);"), [
            "x = f(1, 1, 7u, true);", "x = f(0, 0, 7u, true);", "x = f(0, 1, 8u, true);", "x = f(0, 1, 7u, false);"
        ])
        self.assertEqual(changed("x = 0.5f;"), ["x = 1.0f;"])
        self.assertEqual(changed("x = 1e-5;"), ["x = 2e-05;"])

    def test_a_sign_or_a_not_goes(self):
        self.assertEqual(changed("return -x;"), ["return x;"])
        self.assertEqual(changed("if (!x) y();"), ["if (x) y();"])
        self.assertEqual(changed("x = std::min(a, b);"), ["x = std::max(a, b);"])

    def test_pointers_templates_and_references_are_no_operators(self):
        self.assertEqual(changed("std::vector<Tensor*> f(T&& x, const U& y);"), [])
        self.assertEqual(changed("int8_t x2 = a1b;"), [])

    def test_texts_comments_and_the_preprocessor_stay(self):
        for text in ('x = "a + 1";', "// a + 1", "/* a + 1\n b - 2 */", "#if A + 1", 'R"(a + 1)"', "'\\''", "x = '1';",
                     "static_assert(a + 1 == 2);", '"a \\" + 1"'):
            with self.subTest(text):
                self.assertEqual(sites(text), [])

    def test_a_change_keeps_the_lines(self):
        text = "a = b /\n    c;\n"
        for each in sites(text):
            self.assertEqual(each.of(text).count("\n"), text.count("\n"))

    def test_what_is_explained_is_still_there(self):
        for table in ("mutants", "coverage"):
            for row in (ROOT / "tests" / table / "explained.tsv").read_text().splitlines():
                if row.startswith("#"):
                    continue
                path, source, *change, reason = row.split("\t")
                text = (ROOT / path).read_text()
                with self.subTest(row):
                    self.assertTrue(reason)
                    if source == "*":
                        self.assertEqual(change, ["*"])
                        continue
                    self.assertTrue(any(source == line.strip() for line in text.split("\n")), f"no line of {path} is: {source}")
                    if change not in ([], ["*"]):
                        changes = {(each.source, each.change) for each in (Mutant(path, site, text) for site in sites(text))}
                        self.assertIn((source, *change), changes)


if __name__ == "__main__":
    unittest.main()
