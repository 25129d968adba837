#!/usr/bin/env python3
"""What the Python module shows: progress in terminals, logs and notebooks, and graphs of arrays.

shown_test.py. Exits with 77 (skipped) where NumPy is missing.
"""
import contextlib
import io
import sys
import types
import unittest
import unittest.mock

from tested_module import el
from einloom.programs.progress import Progress


class Shown(unittest.TestCase):
    """Progress in terminals and notebooks, and what a notebook shows of arrays."""

    LINE = "einrun: 45 % (900/2000 tasks), 12.3 GFLOP/s, about 0:07 left"

    def test_a_terminal_has_one_line_that_is_rewritten(self):
        with contextlib.redirect_stderr(io.StringIO()) as screen:
            progress = Progress("bar")
            self.assertTrue(progress.take(self.LINE))
            self.assertFalse(progress.take("einrun: warning: 4 ranks"))
            progress.end()
        self.assertIn("\reinloom [#############", screen.getvalue())
        self.assertTrue(screen.getvalue().endswith("\r\x1b[K"))
        self.assertNotIn("\n", screen.getvalue())

    def test_a_log_has_none(self):
        with contextlib.redirect_stderr(io.StringIO()) as screen:
            self.assertTrue(Progress("auto").take(self.LINE))
        self.assertEqual(screen.getvalue(), "")

    def test_a_notebook_has_a_line_below_the_cell(self):
        shown = []

        class DisplayHandle:
            def display(self, line):
                shown.append(repr(line))

            update = display

        ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        ipython.get_ipython = lambda: types.SimpleNamespace(kernel=True)
        display.DisplayHandle = DisplayHandle
        with unittest.mock.patch.dict(sys.modules, {"IPython": ipython, "IPython.display": display}):
            progress = Progress("auto")
            progress.take(self.LINE)
            progress.end()
        self.assertIn("45 %", shown[0])
        self.assertEqual(shown[-1], "")

    def test_arrays_show_their_graph(self):
        self.assertIn("&quot;einsum&quot;", (el.input("A", (2, 3)) @ el.input("B", (3, 2)))._repr_html_())


if __name__ == "__main__":
    unittest.main()
