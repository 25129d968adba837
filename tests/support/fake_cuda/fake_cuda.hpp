// For tests of the CUDA device: the fake in place of CUDA, and what goes wrong with it. Compiled kernels are kept with
// the build, so that tests share them. Example: FakeCuda fake({{"FAKE_CUDA_FAIL", "cuMemAlloc:1"}}); then making a
// device throws.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>

namespace ein::test {

class FakeCuda {
public:
    using Setting = std::pair<std::string const, std::string>;
    explicit FakeCuda(std::initializer_list<Setting> settings = {}) : settings_(settings) {
        std::string const folder = EIN_FAKE_CUDA;
        settings_.insert(
            {{"EINLOOM_CUDA_LIBRARIES", folder}, {"EINLOOM_CACHE", "off"}, {"FAKE_CUDA_CODE", folder + "/code"}});
        for (auto const& [name, value] : settings_) setenv(name.c_str(), value.c_str(), 1);
    }
    ~FakeCuda() {
        for (auto const& [name, value] : settings_) unsetenv(name.c_str());
    }
    FakeCuda(FakeCuda const&) = delete;

    /// What devices have not given back.
    static std::int64_t objects() { return function<std::int64_t()>("fake_cuda_objects")(); }
    /// @throws std::logic_error for memory of the device where this thread has no current context, as MPI may crash
    /// then
    static void check_access(void const* memory) {
        if (function<int(void const*)>("fake_cuda_may_use")(memory) == 0)
            throw std::logic_error("a message is given a GPU's memory by a thread without a current context");
    }
    /// Since the first device of the process that is still there was made.
    static std::int64_t calls(char const* name) { return function<std::int64_t(char const*)>("fake_cuda_calls")(name); }

private:
    template <class Prototype>
    static Prototype* function(char const* name) {
        void* const library = dlopen(EIN_FAKE_CUDA "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
        return reinterpret_cast<Prototype*>(dlsym(library, name));
    }

    std::map<std::string, std::string> settings_;
};

}  // namespace ein::test
