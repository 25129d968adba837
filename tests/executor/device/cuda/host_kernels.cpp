#include "tests/executor/device/cuda/host_kernels.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "lib/base/error.hpp"
#include "tests/support/host_code.hpp"

namespace ein::executor::cuda {
namespace {

std::string text_of(std::filesystem::path const& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

}  // namespace

std::string const& host_shim() {
    static std::string const text = text_of(EIN_TEST_HOST_SHIM);
    return text;
}

HostKernels::HostKernels(std::vector<std::string> const& units) {
    std::vector<std::thread> compilers;
    std::vector<test::HostLibrary> made(units.size());
    for (std::size_t u = 0; u < units.size(); ++u)
        compilers.emplace_back(
            [&, u] { made[u] = test::host_library(EIN_HOST_KERNELS, host_shim() + units[u], "-O0"); });
    for (std::thread& compiler : compilers) compiler.join();
    std::string problem;
    for (std::size_t u = 0; u < units.size() && problem.empty(); ++u) {
        problem = made[u].problem;
        void* const library = problem.empty() ? dlopen(made[u].path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (library != nullptr)
            libraries_.push_back(library);
        else if (problem.empty())
            problem = dlerror();
    }
    if (!problem.empty()) throw RunError("kernels do not compile: " + problem);
}

HostKernels::~HostKernels() {
    for (void* library : libraries_) dlclose(library);
}

HostEntry HostKernels::entry(std::string const& name) const {
    for (void* library : libraries_)
        if (void* const found = dlsym(library, ("run_" + name).c_str())) return reinterpret_cast<HostEntry>(found);
    throw RunError("no kernel " + name);
}

}  // namespace ein::executor::cuda
