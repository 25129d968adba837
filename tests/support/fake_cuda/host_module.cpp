#include "tests/support/fake_cuda/host_module.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>

#include "lib/base/hash.hpp"

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

/// Written under another name first: tests beside this one may want the same.
bool compile(fs::path const& library, std::string const& text) {
    std::string const stem = library.string() + "." + std::to_string(getpid());
    std::ofstream(stem + ".cpp") << text;
    std::string const command = std::string(EIN_TEST_COMPILER) +
                                " -std=c++17 -O1 -w -shared -fPIC -ffp-contract=off -o '" + stem + ".so' '" + stem +
                                ".cpp' >&2";
    bool const compiled = std::system(command.c_str()) == 0;
    if (compiled) fs::rename(stem + ".so", library);
    if (std::getenv("EIN_TEST_KEEP") == nullptr) fs::remove(stem + ".cpp");
    return compiled;
}

HostModule const* make(std::string const& text) {
    std::uint64_t const hash =
        ein::hash_bytes(std::span(reinterpret_cast<std::uint8_t const*>(text.data()), text.size()));
    fs::path const library = folder() / ("kernels_" + std::to_string(hash) + ".so");
    if (!fs::exists(library) && !compile(library, text)) return nullptr;
    void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
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
