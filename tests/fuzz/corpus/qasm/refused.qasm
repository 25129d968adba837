OPENQASM 2.0;
include "other.inc";
opaque magic(x) a, b;
if (c == 1) x q[0];
reset q;
