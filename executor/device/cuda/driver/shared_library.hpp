// A shared library that is looked for when the program runs, so that one program starts on machines with CUDA and
// without. It is taken from $EINLOOM_CUDA_LIBRARIES alone where that names a folder (tests do), else by the loader's
// own path, then from $CUDA_HOME/lib64 and /usr/local/cuda/lib64. Example: SharedLibrary::open({"libnvrtc.so.13",
// "libnvrtc.so.12"}) opens the first that is there, or says what was looked for.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ein::executor::cuda {

class SharedLibrary {
public:
    /// Why a library that is there will not do; "" for one that will.
    using Refusal = std::function<std::string(SharedLibrary const&)>;

    /// @param names  those that will do, the best first  @param fix  what to do where none is there
    /// @param refusal  asked of each that is there, until it has nothing against one  @throws RunError
    static SharedLibrary open(std::vector<std::string> const& names, std::string const& fix,
                              Refusal const& refusal = nullptr);

    std::string const& name() const { return name_; }
    /// The folders where its file lies: as it was found, and behind links.
    std::vector<std::string> folders() const;
    /// @throws RunError for a function that it has not
    void* function(char const* function) const;

private:
    SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

    void* handle_;  // for good
    std::string name_;
};

/// Opens the file that a library loads by its bare name, where that lies beside the library: the loader then has it,
/// also where its own path lacks the folder. @return whether one was found
bool open_companion(SharedLibrary const& library, std::string const& name);

}  // namespace ein::executor::cuda
