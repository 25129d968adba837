#include "executor/device/cuda/driver/compiler.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/threads/mutex.hpp"

namespace ein::executor::cuda {
namespace {

constexpr int newest = 13;  // major version of CUDA that we know the libraries of

/// Like all devices we do not contract a * b + c; -w: what is unused in the prelude is unused.
constexpr std::array fixed_options{"--std=c++17", "--fmad=false", "-w"};

std::string name_of(int architecture) { return "sm_" + std::to_string(architecture); }

/// A text that is being compiled.
class Compilation {
public:
    Compilation(CompilerTable const& functions, std::string const& text) : functions_(functions) {
        functions_.nvrtcCreateProgram(&program_, text.c_str(), "einloom.cu", 0, nullptr, nullptr);
    }
    ~Compilation() { functions_.nvrtcDestroyProgram.status(&program_); }
    Compilation(Compilation const&) = delete;

    /// @return "", or what is wrong
    std::string run(int architecture) {
        std::string const for_gpu = "--gpu-architecture=" + name_of(architecture);
        std::vector<char const*> all{for_gpu.c_str()};
        all.insert(all.end(), fixed_options.begin(), fixed_options.end());
        nvrtcResult const result =
            functions_.nvrtcCompileProgram.status(program_, static_cast<int>(all.size()), all.data());
        return result == NVRTC_SUCCESS ? "" : text_of(result) + "\n" + log();
    }

    std::string code() const {
        std::size_t size = 0;
        functions_.nvrtcGetCUBINSize(program_, &size);
        std::string code(size, '\0');
        functions_.nvrtcGetCUBIN(program_, code.data());
        return code;
    }

private:
    std::string log() const {
        std::size_t size = 0;
        if (functions_.nvrtcGetProgramLogSize.status(program_, &size) != NVRTC_SUCCESS) return "";
        std::string text(size, '\0');
        functions_.nvrtcGetProgramLog.status(program_, text.data());
        constexpr std::size_t most = 4000;
        return printable(text.c_str()).substr(0, most);
    }

    CompilerTable const& functions_;
    nvrtcProgram program_ = nullptr;
};

std::string folder_of(SharedLibrary const& library) {
    std::vector<std::string> const folders = library.folders();
    return folders.empty() ? "an unknown folder" : folders.front();
}

/// @throws RunError unless it compiles for the GPU
void check_architecture(CompilerTable const& functions, int architecture) {
    int count = 0;
    functions.nvrtcGetNumSupportedArchs(&count);
    std::vector<int> known(static_cast<std::size_t>(count));
    functions.nvrtcGetSupportedArchs(known.data());
    if (std::find(known.begin(), known.end(), architecture) != known.end()) return;
    SharedLibrary const& library = functions.library;
    std::string const range = known.empty() ? "nothing" : name_of(known.front()) + " to " + name_of(known.back());
    throw RunError(library.name() + " in " + folder_of(library) + " compiles for " + range + ", not for this GPU's " +
                   name_of(architecture));
}

std::string refusal_of(SharedLibrary const& library, int architecture) try {
    Compiler const tried(library, architecture);
    return "";
} catch (Error const& error) {
    return error.what();
}

}  // namespace

Compiler::Compiler(SharedLibrary const& library, int architecture) : functions_{library}, architecture_(architecture) {
    functions_.nvrtcVersion(&major_, &minor_);
    check_architecture(functions_, architecture);
    std::string const builtins = "libnvrtc-builtins.so." + std::to_string(major_) + "." + std::to_string(minor_),
                      folder = folder_of(library);
    bool const found = open_companion(library, builtins);
    std::string const wrong = Compilation(functions_, "__global__ void line() {}\n").run(architecture);
    if (wrong.empty()) return;
    throw RunError(library.name() + " in " + folder + " compiles nothing (" + wrong + "), with " + builtins +
                   (found ? " of that folder" : " neither in that folder nor on the loader's path"));
}

std::string Compiler::kind() const {
    return name_of(architecture_) + "-" + std::to_string(major_) + "." + std::to_string(minor_);
}

std::string Compiler::options() {
    std::string text;
    for (char const* option : fixed_options) text += std::string(option) + " ";
    return text;
}

std::string Compiler::compile(std::string const& text, std::string const& kernel) const {
    Compilation compilation(functions_, text);
    std::string const wrong = compilation.run(architecture_);
    if (wrong.empty()) return compilation.code();
    throw InternalError("kernel " + kernel + " does not compile for " + name_of(architecture_) + ": " + wrong);
}

Compiler const& compiler(int architecture) {
    static Mutex mutex;
    static std::map<int, Compiler> chosen;
    MutexLock const lock(mutex);
    auto const known = chosen.find(architecture);
    if (known != chosen.end()) return known->second;
    SharedLibrary const library =
        SharedLibrary::open(names_for_driver("libnvrtc.so.", newest), fix_of_toolkit(),
                            [&](SharedLibrary const& each) { return refusal_of(each, architecture); });
    return chosen.try_emplace(architecture, library, architecture).first->second;
}

}  // namespace ein::executor::cuda
