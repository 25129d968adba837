"""What tests of the Python module begin with: NumPy, and the module of this tree, whose folder is MODULE.

Where NumPy is missing the test ends with 77 (skipped).
"""
import pathlib
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

MODULE = pathlib.Path(__file__).resolve().parents[2] / "apps" / "python"
sys.path.insert(0, str(MODULE))

import einloom as el  # noqa: E402

__all__ = ["MODULE", "el", "np"]
