#!/usr/bin/env python3
"""What the Python module may use: the syntax of Python 3.9, its standard library, and of NumPy nothing that NumPy 2
removed or that came only after 1.20. Read from the sources; needs no NumPy.
"""
import ast
import pathlib
import sys

MODULE = pathlib.Path(__file__).resolve().parents[2] / "apps" / "python" / "einloom"
# Of NumPy's migration guide for 2.0, and of its release notes.
REMOVED = set("""
add_docstring add_newdoc add_newdoc_ufunc alltrue asfarray byte_bounds cast cfloat chararray clongfloat
compare_chararrays compat complex_ cumproduct DataSource deprecate deprecate_with_doc disp fastCopyAndTranspose
find_common_type float_ geterrobj in1d Inf Infinity infty issctype issubclass_ issubsctype longcomplex longfloat
mat maximum_sctype msort NaN nbytes NINF NZERO obj2sctype PINF product PZERO recfromcsv recfromtxt round_ row_stack
safe_eval sctype2char sctypes sctypeDict seterrobj set_numeric_ops set_string_function singlecomplex sometrue
source string_ tracemalloc_domain trapz unicode_ who bool8 int0 uint0 object0 str0 bytes0 void0 core
""".split())
AFTER_1_20 = set("""
astype isdtype matrix_transpose vecdot permute_dims concat pow acos asin atan atan2 acosh asinh atanh
bitwise_invert bitwise_left_shift bitwise_right_shift unique_all unique_values unique_counts unique_inverse
cumulative_sum cumulative_prod unstack matvec vecmat exceptions dtypes strings trapezoid
""".split())
STANDARD = getattr(sys, "stdlib_module_names", None)   # Python 3.10


def names_of_numpy(tree):
    """The names that NumPy has in this file, and what is taken from them: np.lib.format as "lib"."""
    known = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import)
             for alias in node.names if alias.name == "numpy"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
            yield node.lineno, node.attr
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numpy" and not node.level:
            for alias in node.names:
                yield node.lineno, alias.name


def faults_of(path):
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 9))
    except SyntaxError as error:
        yield error.lineno, f"expected the syntax of Python 3.9, found {error.msg}"
        return
    for line, name in names_of_numpy(tree):
        if name in REMOVED:
            yield line, f"numpy.{name} is not in NumPy 2"
        if name in AFTER_1_20:
            yield line, f"numpy.{name} came after NumPy 1.20"
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or getattr(node, "level", 0):
            continue
        for module in [node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]:
            optional = node.col_offset > 0   # inside a function, where there is some
            if module.split(".")[0] not in ("numpy", "einloom") and STANDARD and not optional:
                if module.split(".")[0] not in STANDARD:
                    yield node.lineno, f"expected the standard library or NumPy, found {module}"


def self_check():
    """The checks see what they are for."""
    spoilt = "import numpy as np\nimport pandas\nx = np.float_(np.trapz([1]))\n"
    found = [name for _, name in names_of_numpy(ast.parse(spoilt))]
    assert found == ["float_", "trapz"] and set(found) <= REMOVED, found
    try:
        ast.parse("match x:\n  case 1: pass\n", feature_version=(3, 9))
    except SyntaxError:
        return
    assert False, "ast takes match as Python 3.9"


def main():
    self_check()
    faults = [f"{path.relative_to(MODULE.parent)}:{line}: {what}"
              for path in sorted(MODULE.rglob("*.py")) for line, what in faults_of(path)]
    print("\n".join(faults) or f"{len(list(MODULE.rglob('*.py')))} files")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
