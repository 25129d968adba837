"""The table of scripts/conformance.sh: which networks, circuits, models and expressions of scipy.sparse are imported,
planned and computed right."""
import argparse
import os
import sys
import tempfile

try:
    import numpy  # noqa: F401 (its absence is told before any part is read)
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)
import circuits
import models
import networks
from programs import Programs, Table

try:
    import expressions
except ImportError:   # of SciPy
    expressions = None

PARTS = {"networks": networks, "circuits": circuits, "models": models, "expressions": expressions}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("folder", nargs="?")
    options = parser.parse_args()
    if options.folder and not os.path.isdir(options.folder):
        parser.error(f"expected a folder with instances, found none at {options.folder}")
    if options.part == ["expressions"] and not expressions:
        print("skipped: SciPy is not installed")
        return 77
    programs, table = Programs(options.bin), Table()
    folder = os.path.abspath(options.folder) if options.folder else None
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, part in PARTS.items():
            if options.part and name not in options.part:
                continue
            if part:
                part.check(programs, table, options.small, folder)
            else:
                table.leave_out(name, "SciPy is not installed")
        os.chdir("/")
    print(table.text())
    return 1 if table.wrong else 0


sys.exit(main())
