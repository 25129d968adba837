"""Files of tensors, damaged in all the ways that a disk, a copy or a mistaken program leaves."""
import io
import json
import pathlib
import struct
import zipfile

import numpy as np


def _npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _npz(**arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def _safetensors(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def _npy_header(text, version=(1, 0)):
    text = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H", len(text)) + text


def damaged_files(folder: pathlib.Path):
    """What is wrong, the path, and how it is loaded; the files are written below `folder`."""
    rows = np.arange(12.0).reshape(3, 4)
    npy, npz = _npy(rows), _npz(a=rows, b=rows)
    tensor = {"w": {"dtype": "F64", "shape": [3, 4], "data_offsets": [0, 96]}}
    safetensors = _safetensors(tensor, rows.tobytes())
    mtx = "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 1 5.0\n3 4 1.0\n"
    tns = "1 1 5.0\n3 4 1.0\n"
    made = []

    def add(what, name, contents, **options):
        path = folder / f"{len(made)}-{name}"
        if contents is not None:
            path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        made.append((f"{what} ({path.name})", str(path), options))

    for name in ("a.npy", "a.npz", "a.safetensors", "a.mtx", "a.tns"):
        options = {"shape": (3, 4)} if name.endswith("tns") else {}
        add("not there", name, None, **options)
        if not name.endswith("tns"):   # no listed element is none
            add("empty", name, b"", **options)
        add("noise", name, bytes(range(256)), **options)
    for length in (5, 6, 9, 40, 100, len(npy) - 96, len(npy) - 50, len(npy) - 1):
        add(f"cut to {length}", "a.npy", npy[:length])
    for length in (3, 30, 200, len(npz) // 2, len(npz) - 30, len(npz) - 1):
        add(f"cut to {length}", "a.npz", npz[:length], entry="a")
    for length in (4, 8, 30, len(safetensors) - 96, len(safetensors) - 1):
        add(f"cut to {length}", "w.safetensors", safetensors[:length])
    for header in ("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 5), }", "{'descr': '<f8'}", "[1, 2]",
                   "{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", "{'descr': '<f8', 'shape': (3, 4",
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4), }",
                   "{'descr': '<q9', 'fortran_order': False, 'shape': (3, 4), }",
                   "{'descr': '<f8', 'fortran_order': 'no', 'shape': (3, 4), }",
                   "{'descr': '<f8', 'fortran_order': False, 'shape': 'all', }",
                   "{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4), }"):
        add(f"header {header}", "a.npy", _npy_header(header) + rows.tobytes())
    add("version 9", "a.npy", _npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", (9, 0)))
    add("objects", "a.npy", _npy(np.array([{"a": 1}], dtype=object)))
    add("words", "a.npy", _npy(np.array(["one", "two"])))
    add("no entry named", "a.npz", npz)
    add("another entry", "a.npz", npz, entry="c")
    add("an entry that is no array", "a.npz", _zip({"a.npy": b"nothing"}), entry="a")
    add("no entries", "a.npz", _zip({}))
    add("a wrong checksum", "a.npz", _spoilt(npz), entry="a")
    for what, header in (("no shape", {"w": {"dtype": "F64", "data_offsets": [0, 96]}}),
                         ("no type", {"w": {"shape": [3, 4], "data_offsets": [0, 96]}}),
                         ("no place", {"w": {"dtype": "F64", "shape": [3, 4]}}),
                         ("a type of its own", {"w": {**tensor["w"], "dtype": "F12"}}),
                         ("a negative extent", {"w": {**tensor["w"], "shape": [-3, 4]}}),
                         ("a shape of words", {"w": {**tensor["w"], "shape": "all"}}),
                         ("a place beyond", {"w": {**tensor["w"], "data_offsets": [96, 192]}}),
                         ("a place too short", {"w": {**tensor["w"], "data_offsets": [0, 95]}}),
                         ("a place turned round", {"w": {**tensor["w"], "data_offsets": [96, 0]}}),
                         ("a list", [1, 2]), ("a tensor that is a number", {"w": 3}), ("no tensors", {}),
                         ("no JSON", b"{'w': }"), ("no text", b"\xff\xfe\x00")):
        add(f"a header with {what}", "w.safetensors", _safetensors(header, rows.tobytes()))
    add("a header of many bytes", "w.safetensors", struct.pack("<Q", 1 << 40) + b"{}")
    add("another tensor", "w.safetensors", safetensors, entry="q")
    for text in (mtx.replace("%%", "%"), mtx.replace("real", "quaternion"), mtx.replace("matrix ", "vector "),
                 mtx.replace("general", "special"), mtx.replace("3 4 2", "3 4"), mtx.replace("3 4 2", "three 4 2"),
                 mtx.replace("3 4 2", "-3 4 2"), mtx.replace("3 4 2", "3 4 5"), mtx.replace("3 4 2", "3 4 1"),
                 mtx.replace("1 1 5.0", "0 1 5.0"), mtx.replace("1 1 5.0", "4 1 5.0"), mtx.replace("5.0", "five"),
                 mtx.replace("1 1 5.0", "1 1"), mtx[:60]):
        add(f"{text!r:.60}", "a.mtx", text)
    for text in ("1 1\n", "0 1 5.0\n", "4 1 5.0\n", "1 1 five\n", "1 1 1 5.0\n", "a b c\n", "1.5 1 2.0\n",
                 "-1 1 2.0\n"):
        add(f"{text!r}", "a.tns", text, shape=(3, 4))
    add("no shape", "a.tns", tns)
    for ending in ("csv", "pt", "h5", "txt", "json", "npyy", "mat"):
        add("another kind of file", f"a.{ending}", npy)
    add("a shape that is not the file's", "a.npy", npy, shape=(4, 4))
    add("a type that is none", "a.npy", npy, dtype="float33")
    return made


def _zip(entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, contents in entries.items():
            archive.writestr(name, contents)
    return buffer.getvalue()


def _spoilt(archive):
    """One byte of the first entry's elements is another."""
    place = archive.index(b"\x93NUMPY") + 128 + 40
    return archive[:place] + bytes([archive[place] ^ 0x55]) + archive[place + 1:]
