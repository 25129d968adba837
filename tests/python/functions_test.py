#!/usr/bin/env python3
"""Compares the functions of the Python module with NumPy's, values and types: functions_test.py RANKS

Each case is a text that is computed twice, with `xp` as numpy and as einloom, on the same arrays; all are one graph and
one run. Then random expressions of the same functions, with fixed seeds, whose nodes are fused in many ways.
Exits with 77 (skipped) where NumPy is missing.
"""
import random
import re
import sys
import warnings

from tested_module import el, np

draw = np.random.default_rng(7)
ARRAYS = {
    "A": draw.normal(size=(3, 4)), "B": draw.normal(size=(4, 5)), "S": draw.normal(size=(4, 4)),
    "T": draw.normal(size=(2, 3, 4)), "v": draw.normal(size=4), "w": draw.normal(size=3),
    "P": draw.uniform(0.1, 0.9, (3, 4)),
    "f": draw.normal(size=(3, 4)).astype(np.float32), "h": draw.normal(size=(3, 4)).astype(np.float16),
    "n": draw.integers(-9, 9, (3, 4)), "m": draw.integers(1, 5, (3, 4)).astype(np.int32),
    "b": draw.integers(-9, 9, (3, 4)).astype(np.int8), "u": draw.integers(0, 9, (3, 4)).astype(np.uint8),
    "z": draw.normal(size=(3, 4)) + 1j * draw.normal(size=(3, 4)),
    "c": (draw.normal(size=(3, 4)) + 1j * draw.normal(size=(3, 4))).astype(np.complex64),
    "t": draw.integers(0, 2, (3, 4)).astype(bool),
    "wide": np.array([2**62 + 1, -2**62 - 3, 2**53 + 1, 2**63 - 1, -2**63, 7, -7, 0]),
    "by": np.array([3, -7, 1, -1, 2**61 + 3, -2**62 - 1, 10, 0]),
    "bytes": np.arange(-128, 128).astype(np.int8), "ubytes": np.arange(256).astype(np.uint8),
    "odd": np.array([0.0, -1.5, np.inf, -np.inf, np.nan, 7.25, -3, 0.5]),
    "at": np.array([2, 0, -1]), "s": np.array(1.5), "zero": np.zeros((0, 4)),
}
CASES = """
(A[0, 0] / A[1, 1])[None, None] + A; (v / w[0])[None] + xp.zeros((1, 4)); xp.stack([v[0] * v[1], v[2]])
xp.pad((v[0] / v[1])[None, None], 1); A + 1; A - v; 2 * A; A / 3; 1 / P; A ** 2; P ** 0.5; 2 ** A; -A; abs(A); A // 0.3
A % 0.3; n // 2; n % 3; n // m; n % m; A + A[0]; A[:, None, :] * B.T[None]; A == A; A > 0; n >= 2; (A > 0) & (A < 1)
(A > 0) | t; ~t; t ^ (A > 0); t + t; t * t; f + 1; f * 2.5; f + A; h + 1; h * h; h + f; n + 1; n * 1.5; n / 2; n + m
m + b; b + u; u + u; u * f; t + n; t * A; z + 1; z * z; z / (2 + 1j); c * 1j; c + f; f * 1j; z.conj(); z.real; z.imag
xp.abs(z); xp.angle(z); A + 0j; b * b; u - 1; xp.exp(A); xp.log(P); xp.sqrt(P); xp.sin(A); xp.cos(A); xp.tan(A)
xp.tanh(A); xp.arcsin(P); xp.arccos(P); xp.arctan(A); xp.sinh(A); xp.cosh(A); xp.arcsinh(A); xp.arccosh(1 + P)
xp.arctanh(P); xp.log1p(P); xp.expm1(A); xp.log2(P); xp.log10(P); xp.exp2(A); xp.cbrt(A); xp.floor(A); xp.ceil(A)
xp.trunc(A); xp.rint(A); xp.round(A, 2); xp.sign(A); xp.square(A); xp.reciprocal(P); xp.isnan(A); xp.isfinite(A)
xp.isinf(A); xp.arctan2(A, P); xp.hypot(A, P); xp.maximum(A, 0); xp.minimum(A, v); xp.logaddexp(A, P)
xp.clip(A, -0.5, 0.5); xp.where(A > 0, A, 0); xp.where(t, n, -1); xp.fmod(A, P); xp.logical_not(A > 0)
xp.logical_xor(t, A > 0); xp.exp(n); xp.sqrt(m); xp.exp(z); xp.sin(m); xp.sqrt(u); xp.exp(h); xp.exp(b)
A.astype(xp.float32); A.astype(xp.int64); n.astype(xp.float64); (A > 0).astype(xp.float64); t.astype(xp.int32)
f.astype(bool); A.sum(); A.sum(axis=0); A.sum(axis=1, keepdims=True); T.sum(axis=(0, 2)); A.mean(); A.mean(axis=0)
n.sum(); m.sum(axis=1); t.sum(); t.sum(axis=0); b.sum(); n.mean(); f.mean(axis=1); h.sum(axis=0); A.prod(axis=1)
n.prod(axis=0); A.max(); A.min(axis=0); n.max(axis=1); (A > 0).any(); (A > 9).any(axis=0); (A > -9).all(axis=1)
A.argmax(); A.argmax(axis=1); n.argmin(axis=0); T.argmax(axis=2); A.var(); A.var(axis=0); A.std(axis=1, keepdims=True)
A.var(axis=0, ddof=1); z.var(axis=0); z.sum(axis=0); A.std(ddof=1); xp.count_nonzero(t); xp.count_nonzero(n, axis=0)
xp.ptp(A, axis=0); xp.cumsum(A, axis=0); xp.cumsum(A); xp.cumsum(n, axis=1); xp.cumprod(P, axis=1); xp.linalg.norm(A)
xp.linalg.norm(A, axis=1); xp.linalg.norm(v, 1); s.sum(); s + s; xp.linalg.norm(v, xp.inf); xp.cov(A); A @ B; T @ B
A @ v; v @ B; v @ v; S @ S.T; A.T @ A; xp.dot(A, B); xp.dot(v, v); f @ f.T; n @ n.T; z @ z.conj().T; m @ n.T
xp.outer(v, w); xp.inner(A, A); xp.tensordot(T, A, axes=([1, 2], [0, 1])); xp.einsum("ij,jk->ik", A, B)
xp.einsum("ii->i", S); xp.einsum("ii", S); xp.einsum("ij->j", A); xp.einsum("ij,ij->", A, A)
xp.einsum("...ij,jk", T, B); xp.einsum("ij,jk,kl->il", A, B, B.T); xp.einsum("i,j->ij", v, w); xp.trace(S)
xp.diagonal(S); xp.einsum(A, [0, 1], B, [1, 2], [0, 2]); xp.trace(S, 1); xp.diagonal(A, -1); xp.vdot(z, z); A.T
T.transpose(2, 0, 1); xp.moveaxis(T, 0, 2); xp.swapaxes(T, 0, 1); A.reshape(2, 6); A.reshape(-1); A.ravel()
T.reshape(6, 4); A[None]; A[:, None]; A[0]; A[-1]; A[1:]; A[:, ::2]; A[::-1]; A[1:, -2:]; T[..., 0]; T[1, :, 2]
A[0, 0]; T[:, None, 1]; A[at]; A[:, at]; A[xp.arange(3), at]; T[:, at, at]; v[at % 4]; xp.take(A, at, axis=0); A[n % 3]
A[[0, 2]]; xp.expand_dims(v, 0); A[2:2]; xp.squeeze(v[None, :, None]); xp.broadcast_to(v, (3, 4))
xp.concatenate([A, A[:1]]); xp.concatenate([A, A], axis=1); xp.concatenate([n, A]); xp.stack([v, v])
xp.stack([A, A], axis=2); xp.hstack([v, v]); xp.vstack([A, v]); xp.column_stack([w, w]); xp.roll(A, 1, axis=1)
xp.roll(A, -2); xp.roll(A, (1, 1), axis=(0, 1)); xp.flip(A); xp.flip(A, axis=1); xp.tile(v, 2); xp.tile(A, (2, 1))
xp.repeat(v, 3); xp.repeat(A, 2, axis=1); xp.pad(A, 1); xp.pad(A, ((0, 1), (2, 0))); xp.diff(A, axis=0)
xp.pad(A, 1, mode="edge"); xp.pad(v, 2, constant_values=7); xp.split(A, 2, axis=1)[1]; xp.arange(5)
xp.arange(2, 11, 3); xp.arange(4) * 1.5 + v; xp.arange(5, dtype=xp.float64) ** 2; xp.linspace(0, 1, 5); xp.eye(3)
xp.eye(3, 4, k=1); xp.tri(3, 4); xp.tril(S); xp.triu(S, 1); xp.diag(v); xp.diag(S); xp.zeros((2, 3)); xp.ones(3) + w
xp.full((2, 2), 7); xp.zeros_like(n); xp.full(3, 1.5); xp.meshgrid(v, w)[0] + xp.meshgrid(v, w)[1]
xp.arange(3)[:, None] - xp.arange(4); xp.identity(2); xp.arange(6).reshape(2, 3); zero.sum(); zero.sum(axis=0)
(zero @ S).sum(axis=1); zero + 1; xp.isclose(A, A + 1e-9); xp.nan_to_num(A); xp.float32(2) * f; xp.sqrt(2) * A; s * A
A * s; A.sum() * A; (A - A.mean(axis=0)) / A.std(axis=0); xp.exp(A - A.max(axis=1, keepdims=True))
((A[:, None, :] - B.T[None]) ** 2).sum(axis=2); (A * A).sum(axis=1); (A > 0).sum(axis=1); (n > 0).mean(); (A * v).sum()
xp.where(n[:, :, None] == xp.arange(3), 1.0, 0.0).sum(axis=1); (A.T @ A).T; (A @ B)[..., None]; A.sum(axis=0)[:, None]
(n * 0.5).sum(); (n * 2).sum(axis=1) * 0.5; (b * b).sum(); (u + u).sum(axis=0); ((A > 0) + (A < -1)).sum(); (t + t) * A
(f * 2).astype(xp.float64).sum(); (f.astype(xp.float64) * 2).sum(); (A.astype(xp.float32) + f).sum(axis=0)
(n // 2) * 2 + n % 2; xp.sort(A); xp.sort(A, axis=0); xp.sort(n, axis=None); xp.argsort(v); xp.argsort(A, axis=0)
xp.median(A); xp.median(A, axis=1); xp.percentile(A, 30); xp.quantile(A, [0.1, 0.9], axis=0)
xp.sort(xp.where(A > 1, xp.nan, A)); xp.searchsorted(xp.sort(v), A); xp.interp(A, xp.array([-1.0, 0.0, 2.0]), w)
xp.histogram(A, 5)[0]; xp.histogram(A, 4)[1]; xp.linalg.solve(S, v); xp.linalg.solve(S, B); xp.linalg.inv(S)
xp.linalg.det(S); xp.linalg.cholesky(S @ S.T + xp.eye(4)); xp.fft.fft(v); xp.fft.ifft(z, axis=0); xp.fft.fft(A)
xp.linalg.inv(S @ S.T + xp.eye(4)); xp.histogram(A, xp.array([-1.0, 0, 1]))[0]; xp.allclose(A, A + 1e-12)
xp.array_equal(A, A); xp.nansum(xp.where(A > 0, A, xp.nan)); xp.nanmean(A, axis=0); xp.nanmax(A)
xp.average(A, axis=0, weights=w); xp.average(A, axis=1); xp.append(v, w); xp.convolve(v, w)
xp.cross(S[:, :3], S[:, 1:]); xp.convolve(A.ravel(), w, "same"); xp.convolve(A.ravel(), w, "valid")
xp.correlate(A.ravel(), w); xp.kron(A, B); xp.kron(v, w); xp.convolve(A.ravel(), v, "same"); xp.fliplr(A); xp.flipud(A)
xp.rot90(A); xp.rot90(A, 3); xp.trapz(A, dx=0.5); xp.trapz(v, v); xp.polyval([1, -2, 3.5], A); xp.vander(v, 3)
xp.logspace(0, 2, 5); xp.gradient(v); xp.gradient(A, axis=0); xp.vander(v, increasing=True)
xp.select([A > 1, A > 0], [A, 2 * A], -1.0); xp.average(A, weights=P); xp.nanmin(A, axis=1)
(A.sum() + xp.ones(3)).sum(); xp.where(A > 0, 1, 0) + n; (A ** 2).sum(axis=1) ** 0.5; -(-A); A - (A - 1) - (1 - A)
A / (A / v) / 2; 2 ** (n % 3) ** 2; (-A) ** 2; -A ** 2
xp.sum(A, 0, "f4"); xp.mean(A, 1, None, None, True); A.sum(0, keepdims=True); xp.max(A, 0, None, True)
xp.std(A, 0, None, None, 1); xp.sum(A, where=t); xp.mean(A, axis=0, where=A > -1); A.max(initial=0.5)
A.min(where=t, initial=9); xp.var(A, axis=1, where=A > -9); xp.prod(A, axis=1, initial=2)
xp.any(A > 1, axis=0, where=t); xp.reshape(A, (2, 6), order="F"); A.ravel(order="F"); A.flatten("F")
A.reshape((4, 3), order="F"); xp.cumsum(n, dtype=float); xp.cumprod(m, 1); xp.diag(v, 1); xp.diag(v, k=-2)
xp.diag(S, 1); xp.diagflat(A); xp.histogram(A, 5, density=True)[0]; xp.histogram(A, 4, (-1, 1), weights=P)[0]
xp.digitize(A, [-1.0, 0.0, 1.0]); xp.digitize(A, xp.array([1.0, 0.0, -1.0])); xp.isin(n, [1, 2, 3])
xp.isin(n, m, invert=True); xp.partition(v, 2); xp.sort(A)[:, ::-1]; xp.argsort(A, axis=1, kind="stable")
xp.quantile(A, 0.3, method="lower"); xp.median(T, axis=(0, 2)); xp.percentile(A, [10, 90], keepdims=True)
xp.interp(A, xp.array([-1.0, 0, 1]), w, left=-5, right=5); xp.gradient(A)[1]; xp.gradient(v, 0.5)
xp.gradient(A, 2.0, 0.5)[0]; xp.gradient(A, xp.array([0.0, 1, 3, 4]), axis=1); xp.gradient(v, edge_order=2)
xp.trapz(A, w, axis=0); xp.trapz(A, dx=2, axis=0); xp.polyfit(v, S[0], 2); xp.polyfit(A[0], S, 1)
xp.polyder([3, 2, 1]); xp.polyint([3.0, 2, 1]); xp.polyadd(v, w); xp.polysub(w, v); xp.polymul(v, w)
xp.linalg.lstsq(A.T, v, rcond=None)[0]; xp.linalg.lstsq(A.T, S[:, :2], rcond=None)[0]; xp.linalg.pinv(A)
xp.linalg.pinv(A.T); xp.abs(xp.linalg.qr(S)[0]); xp.abs(xp.linalg.qr(A.T)[1]); xp.linalg.qr(A)[0] @ xp.linalg.qr(A)[1]
xp.linalg.slogdet(S)[0]; xp.linalg.slogdet(S)[1]; xp.linalg.matrix_power(S, 5); xp.linalg.matrix_power(S, -2)
xp.linalg.multi_dot([w, A, B]); xp.linalg.matrix_power(S, 0); xp.corrcoef(A); xp.corrcoef(A, rowvar=False)
xp.cov(A, rowvar=False, bias=True); xp.cov(A, ddof=0); xp.cov(v, S[0]); xp.cov(v); xp.angle(z, deg=True)
xp.divmod(A, 0.3)[0]; xp.divmod(n, m)[1]; xp.modf(A)[0]; xp.modf(A)[1]; xp.copysign(P, A); xp.float_power(m, 2)
xp.c_[w, A]; xp.r_[v, w, 5.0]; xp.r_[0:4, 9]; xp.c_[A, A]; xp.mgrid[0:3, 1:5][1]; xp.ogrid[0:3, 0:2][0]; xp.r_[0:1:5j]
xp.indices((3, 4))[1]; xp.fromfunction(lambda i, j: i * 10 + j, (2, 3)); A[xp.ix_([0, 2], [1, 3])]
xp.nanvar(xp.where(A > 1, xp.nan, A)); xp.nanstd(xp.where(A > 1, xp.nan, A), axis=0)
xp.nanargmax(xp.where(A > 1, xp.nan, A), axis=1); xp.nanprod(xp.where(A > 1, xp.nan, A))
xp.nancumsum(xp.where(A > 1, xp.nan, A)); xp.nansum(xp.where(t, xp.nan, A), 0); xp.dstack([A, A])
xp.nanmean(A, axis=1, keepdims=True); xp.array_split(v, 3)[0]; xp.hsplit(A, 2)[1]; xp.vsplit(A, 3)[2]
xp.delete(A, 1, axis=0); xp.delete(v, [0, 2]); xp.insert(v, 1, 9.0); xp.insert(A, 2, 0.5, axis=1); xp.ediff1d(v)
xp.diff(v, prepend=0); xp.diff(A, append=A[:, :1]); xp.diff(t); xp.repeat(v, [1, 0, 2, 3])
xp.linspace(0, 1, 4, retstep=True)[1]; xp.linspace(w, w + 1, 3); xp.geomspace(1, 8, 4)
xp.linspace(start=0, stop=2, num=3, endpoint=False); xp.arange(start=1, stop=4); xp.meshgrid(v, w, indexing="ij")[0]
xp.meshgrid(v, w, sparse=True)[1]; xp.full((2, 4), v); xp.full_like(A, 2, shape=(2,))
xp.array([[v[0], 1.0], [0.0, w[1]]]); xp.array([v, v], ndmin=3); xp.cross(A[:, :2], P[:, :2])
xp.cross(A[:, :3], P[:, :3], axis=1); xp.rot90(T, axes=(1, 2)); xp.rot90(A, -1)
xp.piecewise(A, [A < 0, A >= 1], [-1, lambda x: x * 2, 0.5]); xp.apply_along_axis(lambda r: r / r.max(), 1, P)
xp.row_stack([v, v]); xp.apply_along_axis(lambda r: r.sum(), 0, A); xp.lib.stride_tricks.sliding_window_view(A, (2, 2))
xp.fft.rfft(v); xp.fft.irfft(z[0]); xp.fft.fft(v, 6); xp.fft.fft(v, n=3, norm="ortho"); xp.fft.fft2(A)
xp.fft.ifft2(z, norm="forward"); xp.fft.fftshift(A); xp.fft.ifftshift(v); xp.fft.fftn(T, axes=(0, 1))
xp.maximum.accumulate(A, axis=1); xp.minimum.accumulate(n); xp.add.reduce(A); xp.multiply.reduce(P, axis=1)
xp.add.outer(v, w); xp.subtract.outer(w, A); xp.logical_or.reduce(t, axis=1); xp.add.accumulate(v)
xp.maximum.reduce(A, axis=None); xp.divide(A, n, out=xp.zeros((3, 4)), where=n != 0); xp.exp(A, dtype="f4")
xp.nan_to_num(A / 0.0 * (n > 0), nan=-1.0, posinf=7, neginf=-7); xp.isclose(xp.nan * A, xp.nan * A, equal_nan=True)
xp.isclose(A / 0.0, A / 0.0); xp.where(A > 0, A, 0)[[0, 1]]; xp.size(A); xp.size(A, 1); xp.trace(S, dtype="f4")
xp.take(A, [5, -1], axis=1, mode="clip"); xp.take(A, [5, 7], axis=1, mode="wrap"); xp.rollaxis(T, 2)
xp.take_along_axis(A, xp.argsort(A, axis=1), axis=1); xp.unravel_index(xp.argmax(A), (3, 4))[1]
xp.ravel_multi_index((at % 3, at % 4), (3, 4)); xp.atleast_3d(A); xp.moveaxis(T, source=0, destination=-1)
A[A > 0].sum(); A[A > 0].mean(); A[t].max(); (A[A > 0] * 2 + 1).var(ddof=1); A[w > 0].mean(axis=0)
A[w > 0].sum(axis=1).sum(); A[:, v > 0].std(); T[:, A > 0].sum(axis=1); (A[t] > 0).all(); xp.sqrt(P[t]).prod()
(A[w > 0] @ B).sum(axis=0); A[w > 0][:, 1].sum(); xp.count_nonzero(n[n > 0] > 2); A[t].shape[0]
xp.average(A, axis=0, weights=w, returned=True)[1]; A[[True, False, True]]; A[0, [1, 2]]; T[0, :, [1, 2]]; T[:, 1, at]
A[None, at]; A[at, None]; A[..., at]; A[range(2)]; T[1, at % 3, 0]; xp.digitize(A, xp.sort(v)[::-1], True)
wide // 3; wide // -7; wide // 10**12; wide // -2**62; wide // 1; wide // -1; wide // by; by // wide
wide // xp.flip(by); wide % by; wide % -2**62; (2**62 + 5) // wide; m // -3; m // by[:4]; bytes // xp.roll(bytes, 77)
bytes // -1; bytes // 0; ubytes // xp.roll(ubytes, 9); ubytes // 7; t // t; xp.arange(9) // 4
(xp.arange(9) * 2**50) // 3; bytes % 7; n // 1.5; xp.divmod(wide, 7)[0]; xp.round(n * 33, -1); xp.round(bytes, -2)
xp.round(A * 1000, -2); xp.round(n, 2)
xp.fmod(bytes, -3); xp.fmod(2, bytes); xp.fmod(-3, bytes); xp.fmod(bytes, xp.flip(bytes)); odd // xp.flip(odd); 2 // odd
-3 // odd; odd // xp.inf; odd // -xp.inf; odd // 0; odd // xp.nan; n // odd[2:6]; xp.median(odd); xp.median(odd[:4])
xp.median(odd[5:]); xp.median(odd[2:4]); xp.median(xp.array([1, xp.inf, xp.inf])); xp.median(xp.array([1, 2, xp.inf]))
xp.median(zero); xp.median(zero, axis=0); xp.median(zero, axis=1, keepdims=True); xp.quantile(zero, 0.2, axis=1)
xp.percentile(zero, [5, 50], axis=1)
xp.median(bytes); xp.median(wide); xp.median(f, axis=0); xp.median(h, axis=1); xp.percentile(n, 50); xp.fabs(n)
xp.quantile(xp.where(A > 1, xp.nan, A), 0.25, axis=0); xp.fabs(f); xp.reciprocal(m); xp.isclose(bytes, 1)
xp.fabs(b); xp.isclose(bytes, xp.flip(bytes)); xp.isclose(wide, xp.flip(wide)); xp.isclose(t, t)
xp.linalg.norm(A, 1); xp.linalg.norm(A, -1); xp.linalg.norm(A, xp.inf); xp.linalg.norm(A, -xp.inf, keepdims=True)
xp.linalg.norm(T, 1, axis=(0, 2)); xp.linalg.norm(T, xp.inf, axis=(2, 0), keepdims=True); xp.linalg.norm(T, axis=(0, 1))
xp.linalg.norm(T, "fro", axis=(1, 2)); xp.linalg.norm(n, 1, axis=0); xp.linalg.norm(n, xp.inf, axis=1)
xp.linalg.norm(bytes, xp.inf); xp.linalg.norm(n); xp.linalg.norm(n[0], 0); xp.linalg.norm(f, 0, axis=1)
xp.linalg.norm(z, 3, axis=0); xp.linalg.norm(c, 1, axis=1); xp.linalg.norm(T); xp.linalg.norm(v, -2)
""".replace("\n", ";").split(";")
CASES = [case.strip() for case in CASES if case.strip()]
TOLERANCE = {"f2": 4e-3, "f4": 3e-5, "c8": 3e-5}


def random_expression(pick, depth):
    """A text over matrices of shape (3, 4)."""
    if depth == 0:
        return pick.choice(["A", "P", "f", "n", "t", "A", "P", "v", "1", "0.5", "A.T.T", "w[:, None]", "A[None][0]"])
    left, right = (random_expression(pick, depth - pick.randint(1, 2) if depth > 1 else 0) for _ in range(2))
    return pick.choice([
        f"({left} + {right})", f"({left} - {right} * 2)", f"({left} * {right})", f"xp.maximum({left}, {right})",
        f"xp.tanh({left})", f"xp.where({left} > {right}, {left}, {right})", f"abs({left})", f"(A + {left}).T.T",
        f"(A + {left}).sum(axis=0)", f"(A + {left}).mean(axis=1, keepdims=True)", f"(({left} + A) ** 2)",
        f"((A * ({left})) @ S)", f"xp.exp(-abs({left}))", f"((A + {left}) > ({right}))", f"(A * ({left}))[::-1]"])


def computed(xp, case, arrays):
    return eval(case, {"xp": xp, "abs": xp.abs, **arrays})  # noqa: S307


def fault(found, expected, precision):
    """What is wrong with a result, or nothing. Functions of f32 have its precision, whatever meets them later."""
    if found.shape != expected.shape:
        return f"has shape {found.shape}, NumPy's {expected.shape}"
    allowed = {"uint64": "int64"}.get(expected.dtype.name, expected.dtype.name)  # there is no uint64
    if found.dtype.name != allowed:
        return f"is {found.dtype}, NumPy's {expected.dtype}"
    if expected.dtype.kind in "iub":
        return "" if np.array_equal(found, expected) else f"is {found.tolist()}, NumPy's {expected.tolist()}"
    tolerance = TOLERANCE.get(precision, 1e-10)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
    same = np.allclose(found, expected, rtol=tolerance, atol=tolerance * min(scale, 1e3), equal_nan=True)
    return "" if same else f"differs by up to {np.max(np.abs(found - expected)):.3g}"


def main():
    warnings.simplefilter("ignore")
    pick = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 3)
    cases = CASES + [random_expression(pick, 4) for _ in range(60)]
    lazy = {name: el.tensor(array, name=name) for name, array in ARRAYS.items()}
    expected, graph, faults = {}, {}, 0
    for number, case in enumerate(cases):
        try:
            value = np.asarray(computed(np, case, ARRAYS))
        except TypeError:
            continue  # a random expression that NumPy has no type for
        try:
            graph[f"{number}: {case}"] = el.asarray(computed(el, case, lazy))
            expected[f"{number}: {case}"] = value
        except (TypeError, ValueError, AttributeError) as error:
            faults += 1
            print(f"{number}: {case} is refused: {error}")
    for name, value in graph.items():
        if value.shape != expected[name].shape:
            print(f"{name} is planned with shape {value.shape}, NumPy's is {expected[name].shape}")
    renamed = {f"case{number}": value for number, value in enumerate(graph.values())}
    results = el.run(renamed, ranks=int(sys.argv[1]), progress="off", time_limit=1)
    for (name, value), found in zip(expected.items(), results.values()):
        wrong = fault(found, value, "f4" if re.search(r"\bf\b", name) else value.dtype.str[1:])
        if wrong:
            faults += 1
            print(f"{name} {wrong}")
    print(f"{len(expected) - faults} of {len(expected)} expressions equal NumPy's")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
