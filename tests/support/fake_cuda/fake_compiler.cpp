// The functions of libnvrtc that we load: the "code" of a text is the text. What contains "#error" does not compile.
#include <nvrtc.h>

#include <cstring>
#include <string>

#include "tests/support/fake_cuda/fake_gpu.hpp"
#include "tests/support/fake_cuda/host_module.hpp"

namespace {

constexpr char const* log_text = "einloom.cu(1): error: #error directive";

std::string& text_of(nvrtcProgram program) { return *reinterpret_cast<std::string*>(program); }

bool fails(char const* function) { return fake_cuda::gpu().enter(function) != CUDA_SUCCESS; }

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, char const* text, char const*, int, char const* const*,
                               char const* const*) {
    if (fails("nvrtcCreateProgram")) return NVRTC_ERROR_PROGRAM_CREATION_FAILURE;
    *program = reinterpret_cast<nvrtcProgram>(new std::string(text));
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
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int, char const* const*) {
    bool const wrong = text_of(program).find("#error") != std::string::npos;
    return fails("nvrtcCompileProgram") || wrong ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, std::size_t* bytes) {
    *bytes = std::strlen(log_text) + 1;
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char* log) {
    std::strcpy(log, log_text);
    return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
    *bytes = std::strlen(fake_cuda::magic) + text_of(program).size();
    return fails("nvrtcGetCUBINSize") ? NVRTC_ERROR_INTERNAL_ERROR : NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* code) {
    std::string const made = fake_cuda::magic + text_of(program);
    std::memcpy(code, made.data(), made.size());
    return fails("nvrtcGetCUBIN") ? NVRTC_ERROR_INTERNAL_ERROR : NVRTC_SUCCESS;
}
}
