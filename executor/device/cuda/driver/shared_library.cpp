#include "executor/device/cuda/driver/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>

#include "lib/base/error.hpp"

namespace ein::executor::cuda {
namespace {

/// An empty folder is the loader's path.
std::vector<std::string> folders() {
    if (char const* only = std::getenv("EINLOOM_CUDA_LIBRARIES")) return {std::string(only) + "/"};
    std::string const usual = "/usr/local/cuda/lib64/";
    char const* const home = std::getenv("CUDA_HOME");
    std::string const named = home == nullptr ? usual : std::string(home) + "/lib64/";
    return named == usual ? std::vector<std::string>{"", usual} : std::vector<std::string>{"", named, usual};
}

/// Of a file that is there but cannot be loaded.
bool says_more_than_missing(std::string const& reason) {
    return reason.find("No such file or directory") == std::string::npos;
}

}  // namespace

SharedLibrary SharedLibrary::open(std::vector<std::string> const& names, std::string const& fix) {
    std::string reason;
    for (std::string const& name : names)
        for (std::string const& folder : folders()) {
            if (void* const handle = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, name};
            std::string const why = dlerror();
            if (says_more_than_missing(why)) reason += "; " + why;
        }
    std::string places;
    for (std::string const& folder : folders())
        places += (places.empty() ? "" : ", ") + (folder.empty() ? "the loader's path" : folder);
    throw RunError("--device cuda: expected " + joined(names, " or ") + ", found none (looked in " + places + reason +
                   "); " + fix);
}

void* SharedLibrary::function(char const* function) const {
    if (void* const found = dlsym(handle_, function)) return found;
    throw RunError("--device cuda: expected " + std::string(function) + " in " + name_ +
                   ", found a library without it; install CUDA 12 or later, with the driver that it asks for");
}

}  // namespace ein::executor::cuda
