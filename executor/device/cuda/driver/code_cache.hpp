// Compiled kernels on disk, so that a second run does not compile again: a file for each text, whole or not at all.
// Entries that are damaged or cannot be read are as if they were not there, and what cannot be written is not kept.
// EINLOOM_CACHE names the folder, or is "off"; else it is $XDG_CACHE_HOME/einloom or ~/.cache/einloom.
// Example: cache.find(key) is the code that cache.keep(key, code) was given, by this process or an earlier one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace ein::executor::cuda {

class CodeCache {
public:
    explicit CodeCache(std::function<char const*(char const*)> const& environment);

    /// @param kind  begins the file's name: "sm_90-13.0"  @param text  all that the code depends on besides
    std::optional<std::string> find(std::string const& kind, std::string const& text) const;
    void keep(std::string const& kind, std::string const& text, std::string const& code) const noexcept;

private:
    std::filesystem::path file_of(std::string const& kind, std::string const& text) const;

    std::filesystem::path folder_;  // empty: off
};

}  // namespace ein::executor::cuda
