#include "tests/executor/device/cuda/host_kernels.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "lib/base/error.hpp"

namespace ein::executor::cuda {
namespace {

std::string text_of(std::filesystem::path const& file) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// EIN_TEST_COMPILER is the compiler that built this test.
int compile(std::filesystem::path const& stem) {
    std::string const file = stem.string();
    std::string const command = std::string(EIN_TEST_COMPILER) +
                                " -std=c++17 -O0 -w -shared -fPIC -ffp-contract=off -o '" + file + ".so' '" + file +
                                ".cpp' 2> '" + file + ".log'";
    return std::system(command.c_str());
}

std::filesystem::path make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ein_kernels_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw RunError("no temporary folder for kernels");
    return name;
}

}  // namespace

std::string const& host_shim() {
    static std::string const text = text_of(EIN_TEST_HOST_SHIM);
    return text;
}

HostKernels::HostKernels(std::vector<std::string> const& units) {
    std::filesystem::path const folder = make_folder();
    std::vector<std::thread> compilers;
    std::vector<int> results(units.size(), 0);
    for (std::size_t u = 0; u < units.size(); ++u)
        compilers.emplace_back([&, u] {
            std::filesystem::path const stem = folder / ("unit" + std::to_string(u));
            std::ofstream(stem.string() + ".cpp") << host_shim() << units[u];
            results[u] = compile(stem);
        });
    for (std::thread& compiler : compilers) compiler.join();
    std::string problem;
    for (std::size_t u = 0; u < units.size() && problem.empty(); ++u) {
        std::string const stem = (folder / ("unit" + std::to_string(u))).string();
        void* const library = results[u] == 0 ? dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
        if (library != nullptr)
            libraries_.push_back(library);
        else
            problem = results[u] == 0 ? std::string(dlerror()) : text_of(stem + ".log").substr(0, 4000);
    }
    if (std::getenv("EIN_TEST_KEEP") == nullptr) std::filesystem::remove_all(folder);
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
