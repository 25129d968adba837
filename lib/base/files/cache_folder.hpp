// The folder for what a later run need not make again, such as compiled kernels: of this user alone, since what lies
// there is run. EINLOOM_CACHE names it, or is "off"; else it is $XDG_CACHE_HOME/einloom or ~/.cache/einloom.
// Example: where ~/.cache/einloom belongs to another user, refusal() says so, and nothing is read or written there.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace ein {

class CacheFolder {
public:
    explicit CacheFolder(std::function<char const*(char const*)> const& environment);

    /// Empty: off.
    std::filesystem::path const& path() const { return path_; }

    /// Why it is not used, as a message; "" where it may be used or is still to be made. Looks each time.
    std::string refusal() const;
    /// Makes it, with mode 0700, where there is none. @return whether it may be used
    bool make() const;

private:
    std::filesystem::path path_;
};

}  // namespace ein
