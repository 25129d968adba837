// The program whose precompiled header all tests use: it does nothing.
int main() { return 0; }
