// Linked into every program of a sanitizer build: MPI unloads its plug-ins when it ends, after which the leak checker
// can no longer name the module that an allocation came from, and so cannot suppress it. Keep them loaded.
extern "C" int dlclose(void*) { return 0; }
