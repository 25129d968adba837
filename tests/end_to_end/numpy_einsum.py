#!/usr/bin/env python3
"""Compares EinSums with numpy.einsum, an implementation that shares nothing with ours: numpy_einsum.py BIN MPIEXEC

Expressions of NumPy's and opt_einsum's own test suites and random ones, in f32, f64, c64, c128, i32 and i64, with
operands read from .npy files (C and Fortran order) and results from .npy files, on 1 and 3 ranks. All expressions of a
dtype are nodes of one graph. Exits with 77 (skipped) where NumPy is missing.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

# Sums, traces, diagonals, products of many operands, hyperedges, scalars, ellipses, implicit results.
EXPRESSIONS = """
a,ab,abc->abc  a,b,ab->ab  ea,fb,gc,hd,abcd->efgh  ea,fb,abcd,gc,hd->efgh  abcd,ea,fb,gc,hd->efgh
acdf,jbje,gihb,hfac,gfac,gifabc,hfac  cd,bdhe,aidb,hgca,gc,hgibcd,hgac  abhe,hidj,jgba,hiab,gab
bde,cdh,agdb,hica,ibd,hgicd,hiac  chd,bde,agbc,hiad,hgc,hgi,hiad  chd,bde,agbc,hiad,bdi,cgh,agdb
bdhe,acad,hiab,agac,hibd  ab,ab,c->  ab,ab,c->c  ab,ab,cd,cd->  ab,ab,cd,cd->ac  ab,ab,cd,cd->cd
ab,ab,cd,cd,ef,ef->  ab,cd,ef->abcdef  ab,cd,ef->acdf  ab,cd,de->abcde  ab,cd,de->be  ab,bcd,cd->abcd
ab,bcd,cd->abd  eb,cb,fb->cef  dd,fb,be,cdb->cef  bca,cdb,dbf,afc->  dcc,fce,ea,dbf->ab
fdf,cdd,ccd,afe->ae  abcd,ad  ed,fcd,ff,bcf->be  baa,dcf,af,cde->be  bd,db,eac->ace  fff,fae,bef,def->abd
efc,dbc,acf,fd->abe  ab,ab  ab,ba  abc,abc  abc,bac  abc,cba  ab,bc  ab,cb  ba,bc  ba,cb  abcd,cd  abcd,ab
abcd,cdef  abcd,cdef->feba  abcd,efdc  aab,bc->ac  ab,bcc->ac  aab,bcc->ac  baa,bcc->ac  aab,ccb->ac
aab,fa,df,ecc->bde  ecb,fef,bad,ed->ac  bcf,bbb,fbf,fc->  bb,ff,be->e  bcb,bb,fc,fff->  fbb,dfd,fc,fc->
afd,ba,cc,dc->bf  adb,bc,fa,cfc->d  bbd,bda,fc,db->acf  dba,ead,cad->bce  aef,fbc,dca->bde
a,a->  ab,a  ab,b->a  aa->a  aa  abab->ba  aaa->a  ab->ba  abc->cab  abc->b  a...->...a  ...ab,...bc->...ac
a...,a...->...  ...,...  ab...,b->a...  ,ab->ab  a,->a  abcdefgh,cf->abdegh
""".split()
LENGTHS = dict(zip("abcdefghij", (2, 3, 4, 5, 4, 3, 2, 6, 5, 4)))
ELLIPSIS = (3, 2)
DTYPES = {"f32": 2e-4, "f64": 1e-10, "c64": 2e-4, "c128": 1e-10, "i32": 0, "i64": 0}
RANKS = (1, 3)


def random_expression(draw):
    operands = ["".join(draw.choice("abcdefgh") for _ in range(draw.randint(0, 4))) for _ in range(draw.randint(1, 4))]
    labels = sorted(set("".join(operands)))
    draw.shuffle(labels)
    return ",".join(operands) + "->" + "".join(labels[:draw.randint(0, len(labels))])


def shape_of(term):
    before, dots, after = term.partition("...")
    return (tuple(LENGTHS[label] for label in before) + (ELLIPSIS if dots else ()) +
            tuple(LENGTHS[label] for label in after))


def operand(shape, dtype, numbers):
    kind = np.dtype({"f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16"}.get(dtype, dtype.replace("i", "int")))
    if kind.kind == "i":
        return numbers.integers(-3, 4, shape).astype(kind)
    out = numbers.standard_normal(shape)
    if kind.kind == "c":
        out = out + 1j * numbers.standard_normal(shape)
    return np.asarray(out, kind, order="F" if numbers.integers(2) else "C")


def main():
    binaries, mpiexec = pathlib.Path(sys.argv[1]), sys.argv[2]
    draw, numbers = random.Random(7), np.random.default_rng(7)
    compared, wrong = 0, 0
    for dtype, tolerance in DTYPES.items():
        expressions = EXPRESSIONS + [random_expression(draw) for _ in range(60)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tensors, nodes, expected = {}, [], {}
            for at, expression in enumerate(expressions):
                terms = expression.split("->")[0].split(",")
                arrays = [operand(shape_of(term), dtype, numbers) for term in terms]
                inputs = [f"n{at}_{i}" for i in range(len(arrays))]
                for tensor, array in zip(inputs, arrays):
                    np.save(folder / f"{tensor}.npy", array)
                    tensors[tensor] = {"shape": list(array.shape), "dtype": dtype, "data": {"npy": f"{tensor}.npy"}}
                nodes.append({"name": f"n{at}", "einsum": expression, "inputs": inputs})
                expected[f"n{at}"] = np.einsum(expression, *arrays)
            (folder / "g.json").write_text(json.dumps(
                {"eingraph": 1, "tensors": tensors, "nodes": nodes, "outputs": list(expected)}))
            for ranks in RANKS:
                subprocess.run([binaries / "einplan", "g.json", "-n", str(ranks), "-q", "--decompose",
                                "eindecomp", "-o", "g.sched"], cwd=folder,
                               check=True)
                launcher = [mpiexec, "-n", str(ranks)] if ranks > 1 else []
                subprocess.run(launcher + [binaries / "einrun", "g.sched", "-q", "--out", "out"], cwd=folder,
                               check=True)
                for at, expression in enumerate(expressions):
                    right, found = expected[f"n{at}"], np.load(folder / "out" / f"n{at}.npy")
                    compared += 1
                    scale = np.max(np.abs(right), initial=1)
                    if (found.shape != right.shape or found.dtype != right.dtype or
                            np.max(np.abs(found - right), initial=0) > tolerance * scale):
                        wrong += 1
                        print(f"{expression} in {dtype} on {ranks} ranks: expected numpy.einsum's result, "
                              f"{right.dtype} {right.shape}; found {found.dtype} {found.shape}, off by "
                              f"{np.max(np.abs(found - right)) if found.shape == right.shape else 'a shape'}")
    print(f"{compared} results compared with numpy.einsum, {wrong} differ")
    sys.exit(1 if wrong else 0)


main()
