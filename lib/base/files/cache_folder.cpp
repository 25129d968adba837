#include "lib/base/files/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ein {

namespace {

std::string octal(mode_t mode) {
    char text[16];
    std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
    return text;
}

/// What is wrong with a folder that is there; "" for nothing.
std::string found_wrong(struct stat const& status) {
    if (!S_ISDIR(status.st_mode)) return "something else of that name";
    if (status.st_uid != ::geteuid()) return "one of user " + std::to_string(status.st_uid);
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "one that others may write in, mode " + octal(status.st_mode);
    return "";
}

}  // namespace

CacheFolder::CacheFolder(std::function<char const*(char const*)> const& environment) {
    auto const set = [&](char const* name) {
        char const* const value = environment(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (std::string const given = set("EINLOOM_CACHE"); !given.empty()) {
        if (given != "off") path_ = given;
    } else if (std::string const caches = set("XDG_CACHE_HOME"); !caches.empty()) {
        path_ = std::filesystem::path(caches) / "einloom";
    } else if (std::string const home = set("HOME"); !home.empty()) {
        path_ = std::filesystem::path(home) / ".cache" / "einloom";
    }
}

std::string CacheFolder::refusal() const {
    if (path_.empty()) return "";
    struct stat status {};
    int const error = ::stat(path_.c_str(), &status) == 0 ? 0 : errno;
    if (error == ENOENT) return "";
    std::string const found = error != 0 ? std::strerror(error) : found_wrong(status);
    if (found.empty()) return "";
    return "the cache " + path_.string() + " is not used: expected a folder of this user alone, found " + found +
           "; run chmod go-w on your own, or name another with EINLOOM_CACHE";
}

bool CacheFolder::make() const {
    if (path_.empty()) return false;
    std::error_code ignored;
    std::filesystem::create_directories(path_.parent_path(), ignored);
    bool const made = ::mkdir(path_.c_str(), S_IRWXU) == 0;
    return (made || errno == EEXIST) && refusal().empty();
}

}  // namespace ein
