// What libnvrtc-builtins is to NVRTC: a library that must be there.
extern "C" int fake_nvrtc_builtins() { return 1; }
