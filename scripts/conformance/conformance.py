"""The table of scripts/conformance.sh: which networks, circuits and models are imported, planned and computed right."""
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

PARTS = {"networks": networks, "circuits": circuits, "models": models}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("folder", nargs="?")
    options = parser.parse_args()
    if options.folder and not os.path.isdir(options.folder):
        parser.error(f"expected a folder with instances, found none at {options.folder}")
    programs, table = Programs(options.bin), Table()
    folder = os.path.abspath(options.folder) if options.folder else None
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, part in PARTS.items():
            if not options.part or name in options.part:
                part.check(programs, table, options.small, folder)
        os.chdir("/")
    print(table.text())
    return 1 if table.wrong else 0


sys.exit(main())
