#!/usr/bin/env python3
"""Checks the schema of graph files (docs/schema): it accepts every example, and it knows every op, as docs/graph-format.md does.

Usage: schema_test.py SOURCE_DIR. Exit code 77 (skipped) without the package jsonschema.
"""
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed (scripts/install-deps.sh --tests)")
    sys.exit(77)

source = pathlib.Path(sys.argv[1])
text = (source / "docs/schema/eingraph.schema.json").read_text()
reference = (source / "docs/graph-format.md").read_text()
faults = []

validator = jsonschema.Draft202012Validator(json.loads(text))
for example in sorted((source / "examples").glob("*.json")):
    for error in validator.iter_errors(json.loads(example.read_text())):
        faults.append(f"{example.name}: the schema refuses it: {error.message[:200]}")

table = (source / "lib/graph/ops/table.cpp").read_text()
ops = re.findall(r'^ *\{"([a-z_]+)", \d', table, re.MULTILINE)
if len(ops) < 10:
    faults.append(f"expected the table of ops in lib/graph/ops/table.cpp, found {len(ops)} rows")
for op in ops:
    if f'"{op}"' not in text:
        faults.append(f"docs/schema/eingraph.schema.json: expected the op '{op}' of lib/graph/ops/table.cpp, found none")
    if f"`{op}`" not in reference and f'"op": "{op}"' not in reference:
        faults.append(f"docs/graph-format.md: expected the op '{op}' of lib/graph/ops/table.cpp, found none")

for fault in faults:
    print(fault)
sys.exit(len(faults) > 0)
