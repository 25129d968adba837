OPENQASM 2.0;
include "qelib1.inc";
gate inner(x, y) a, b { rx(x/y) b; barrier a, b; cx b, a; }
gate outer(t) a, b, c { inner(t, 2) c, a; inner(-t^2, 1) a, b; U(0, t, sin(pi)) c; CX a, c; }
qreg q[3];
outer(0.5e-1) q[0], q[2], q[1];
