#include "tests/support/fake_cuda/host_module.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>

#include "tests/support/host_code.hpp"

namespace fake_cuda {
namespace {

namespace fs = std::filesystem;

std::string const& shim() {
    static std::string const text = [] {
        std::ifstream in(EIN_TEST_HOST_SHIM);
        std::ostringstream all;
        all << in.rdbuf();
        return all.str();
    }();
    return text;
}

fs::path folder() {
    char const* const given = std::getenv("FAKE_CUDA_CODE");
    fs::path const path =
        given == nullptr ? fs::temp_directory_path() / ("fake_cuda_" + std::to_string(getpid())) : fs::path(given);
    fs::create_directories(path);
    return path;
}

HostModule const* make(std::string const& text) {
    ein::test::HostLibrary const made = ein::test::host_library(folder(), text, "-O1");
    if (!made.problem.empty()) std::fputs(made.problem.c_str(), stderr);
    void* const loaded = made.problem.empty() ? dlopen(made.path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    return loaded == nullptr ? nullptr : new HostModule(loaded);  // for good
}

}  // namespace

HostFunction const* HostModule::function(std::string const& name) const {
    std::lock_guard const lock(mutex_);
    auto const known = functions_.find(name);
    if (known != functions_.end()) return &known->second;
    void* const run = dlsym(library_, ("run_" + name).c_str());
    void* const bytes = dlsym(library_, ("argument_bytes_of_" + name).c_str());
    if (run == nullptr || bytes == nullptr) return nullptr;
    HostFunction& made = functions_[name];
    made.run = reinterpret_cast<decltype(made.run)>(run);
    made.argument_bytes = reinterpret_cast<decltype(made.argument_bytes)>(bytes);
    return &made;
}

HostModule const* load_module(std::string const& image) {
    if (image.rfind(magic, 0) != 0) return nullptr;
    static std::mutex mutex;
    static std::map<std::string, std::shared_future<HostModule const*>> known;
    std::promise<HostModule const*> mine;
    std::shared_future<HostModule const*> found;
    bool first = false;
    {
        std::lock_guard const lock(mutex);
        auto const [entry, fresh] = known.try_emplace(image);
        if (fresh) entry->second = mine.get_future().share();
        first = fresh;
        found = entry->second;
    }
    if (first) mine.set_value(make(shim() + image.substr(std::string(magic).size())));
    return found.get();
}

}  // namespace fake_cuda
