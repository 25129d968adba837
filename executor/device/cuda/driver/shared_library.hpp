// A shared library that is looked for when the program runs, so that one program starts on machines with CUDA and
// without. It is taken from $EINLOOM_CUDA_LIBRARIES alone where that names a folder (tests do), else by the loader's
// own path, then from $CUDA_HOME/lib64 and /usr/local/cuda/lib64. Example: SharedLibrary::open({"libnvrtc.so.13",
// "libnvrtc.so.12"}) opens the first that is there, or says what was looked for.
#pragma once

#include <string>
#include <vector>

namespace ein::executor::cuda {

class SharedLibrary {
public:
    /// @param names  those that will do, the best first  @param fix  what to do where none is there  @throws RunError
    static SharedLibrary open(std::vector<std::string> const& names, std::string const& fix);

    std::string const& name() const { return name_; }
    /// @throws RunError for a function that it has not
    void* function(char const* function) const;

private:
    SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

    void* handle_;  // for good
    std::string name_;
};

}  // namespace ein::executor::cuda
