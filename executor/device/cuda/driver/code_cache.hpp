// Compiled kernels on disk, so that a second run does not compile again: a file for each text, whole or not at all.
// Entries that are damaged or cannot be read are as if they were not there, and what cannot be written is not kept.
// A folder that others may write in is not used (cache_folder.hpp).
// Example: cache.find(key) is the code that cache.keep(key, code) was given, by this process or an earlier one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "lib/base/files/cache_folder.hpp"

namespace ein::executor::cuda {

class CodeCache {
public:
    explicit CodeCache(CacheFolder folder) : folder_(std::move(folder)) {}

    /// @param kind  begins the file's name: "sm_90-13.0"  @param text  all that the code depends on besides
    std::optional<std::string> find(std::string const& kind, std::string const& text) const;
    void keep(std::string const& kind, std::string const& text, std::string const& code) const noexcept;

private:
    std::filesystem::path file_of(std::string const& kind, std::string const& text) const;

    CacheFolder folder_;
};

}  // namespace ein::executor::cuda
