// pairs
OPENQASM 2.0;
include "qelib1.inc";
qreg q[2]; qreg r[2];
creg c[2];
h q; cx q, r; cu3(1, .5, -pi) q[0], r;
barrier q, r[1];
measure r -> c; measure q[0] -> c[1];
