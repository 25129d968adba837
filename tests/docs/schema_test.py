#!/usr/bin/env python3
"""Checks the schema of graph files (docs/schema): it accepts every example.

Usage: schema_test.py SOURCE_DIR. Exit code 77 (skipped) without the package jsonschema.
"""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed (scripts/install-deps.sh --tests)")
    sys.exit(77)

source = pathlib.Path(sys.argv[1])
text = (source / "docs/schema/eingraph.schema.json").read_text()
faults = []

validator = jsonschema.Draft202012Validator(json.loads(text))
for example in sorted((source / "examples").glob("*.json")):
    for error in validator.iter_errors(json.loads(example.read_text())):
        faults.append(f"{example.name}: the schema refuses it: {error.message[:200]}")

for fault in faults:
    print(fault)
sys.exit(len(faults) > 0)
