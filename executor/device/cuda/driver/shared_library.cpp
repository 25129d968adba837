#include "executor/device/cuda/driver/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
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

SharedLibrary SharedLibrary::open(std::vector<std::string> const& names, std::string const& fix,
                                  Refusal const& refusal) {
    std::string reasons;
    bool refused = false;
    for (std::string const& name : names)
        for (std::string const& folder : cuda::folders()) {
            void* const handle = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
            if (handle == nullptr) {
                std::string const why = dlerror();
                if (says_more_than_missing(why)) reasons += "; " + why;
                continue;
            }
            SharedLibrary library(handle, name);
            std::string const why = refusal ? refusal(library) : "";
            if (why.empty()) return library;
            refused = true;
            reasons += "; " + why;
        }
    std::string places;
    for (std::string const& folder : cuda::folders())
        places += (places.empty() ? "" : ", ") + (folder.empty() ? "the loader's path" : folder);
    throw RunError("--device cuda: expected " + joined(names, " or ") + ", found none" +
                   (refused ? " that will do" : "") + " (looked in " + places + reasons + "); " + fix);
}

std::vector<std::string> SharedLibrary::folders() const {
    link_map const* loaded = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) != 0 || loaded->l_name == nullptr) return {};
    std::filesystem::path const file(loaded->l_name);
    std::error_code error;
    std::filesystem::path const real = std::filesystem::canonical(file, error);
    std::vector<std::string> found{file.parent_path().string()};
    if (!error && real.parent_path() != file.parent_path()) found.push_back(real.parent_path().string());
    return found;
}

bool open_companion(SharedLibrary const& library, std::string const& name) {
    std::vector<std::string> const places = library.folders();
    return std::any_of(places.begin(), places.end(), [&](std::string const& folder) {
        return dlopen((folder + "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
    });
}

void* SharedLibrary::function(char const* function) const {
    if (void* const found = dlsym(handle_, function)) return found;
    throw RunError("--device cuda: expected " + std::string(function) + " in " + name_ +
                   ", found a library without it; install CUDA 12 or later, with the driver that it asks for");
}

}  // namespace ein::executor::cuda
