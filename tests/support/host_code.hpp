// Kernels for GPUs that are compiled for this processor, as libraries kept with the build: tests of one build share
// them, and where the build has a compiler cache it finds them for the next build too.
// Example: host_library(folder, text, "-O0").path is folder/kernels_HASH.so, compiled when it was not there.
#pragma once

#include <filesystem>
#include <string>

namespace ein::test {

struct HostLibrary {
    std::filesystem::path path;
    std::string problem;  // what the compiler says; empty when the library is there
};

/// @param text  all of it: nothing but the standard library is included
HostLibrary host_library(std::filesystem::path const& folder, std::string const& text, std::string const& options);

}  // namespace ein::test
