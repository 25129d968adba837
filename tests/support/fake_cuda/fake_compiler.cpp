// The functions of libnvrtc that we load: the "code" of a text is the text. What contains "#error" does not compile,
// nor anything without the library of builtins, which it opens by its bare name as NVRTC does, or for a GPU that NVRTC
// of this version does not know.
#include <dlfcn.h>
#include <nvrtc.h>

#include <algorithm>

#include <cstring>
#include <string>

#include "tests/support/fake_cuda/fake_gpu.hpp"
#include "tests/support/fake_cuda/host_module.hpp"

namespace {

constexpr int minor_version = 99;  // of none that anybody has installed
#if FAKE_CUDA_MAJOR == 12
constexpr int known[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
#else
constexpr int known[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
#endif

struct Text {
    std::string text, log;
};
Text& text_of(nvrtcProgram program) { return *reinterpret_cast<Text*>(program); }

nvrtcResult compile(Text& text, int count, char const* const* options) {
    std::string const builtins =
        "libnvrtc-builtins.so." + std::to_string(FAKE_CUDA_MAJOR) + "." + std::to_string(minor_version);
    if (dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        text.log =
            "nvrtc: error: failed to open " + builtins + ".\n  Make sure that " + builtins + " is installed correctly.";
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    bool for_known = false;
    for (int architecture : known) {
        std::string const option = "--gpu-architecture=sm_" + std::to_string(architecture);
        for_known |= std::any_of(options, options + count, [&](char const* each) { return option == each; });
    }
    text.log = for_known ? "einloom.cu(1): error: #error directive"
                         : "nvrtc: error: invalid value for --gpu-architecture (-arch)";
    if (!for_known) return NVRTC_ERROR_INVALID_OPTION;
    return text.text.find("#error") == std::string::npos ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

bool fails(char const* function) { return fake_cuda::gpu().enter(function) != CUDA_SUCCESS; }

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
    *major = FAKE_CUDA_MAJOR;
    *minor = minor_version;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
    *count = static_cast<int>(std::size(known));
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
    std::copy(std::begin(known), std::end(known), architectures);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, char const* text, char const*, int, char const* const*,
                               char const* const*) {
    if (fails("nvrtcCreateProgram")) return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    *program = reinterpret_cast<nvrtcProgram>(new Text{text, ""});
    fake_cuda::gpu().count_object(1);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
    if (*program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
    delete &text_of(*program);
    *program = nullptr;
    fake_cuda::gpu().count_object(-1);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, char const* const* options) {
    if (fails("nvrtcCompileProgram")) return NVRTC_ERROR_COMPILATION;
    return compile(text_of(program), count, options);
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* bytes) {
    *bytes = text_of(program).log.size() + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
    std::strcpy(log, text_of(program).log.c_str());
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
    *bytes = std::strlen(fake_cuda::magic) + text_of(program).text.size();
    return fails("nvrtcGetCUBINSize") ? NVRTC_ERROR_INTERNAL_ERROR : NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
    std::string const made = fake_cuda::magic + text_of(program).text;
    std::memcpy(code, made.data(), made.size());
    return fails("nvrtcGetCUBIN") ? NVRTC_ERROR_INTERNAL_ERROR : NVRTC_SUCCESS;
}
}
