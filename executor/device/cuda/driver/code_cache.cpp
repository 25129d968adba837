#include "executor/device/cuda/driver/code_cache.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>

#include "lib/base/files/replaced_file.hpp"
#include "lib/base/hash.hpp"

namespace ein::executor::cuda {
namespace {

constexpr std::string_view magic = "einloom code 1\n";

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    return hash_bytes(std::span(reinterpret_cast<std::uint8_t const*>(text.data()), text.size()), seed);
}

std::string hex(std::uint64_t number) {
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016llx", static_cast<unsigned long long>(number));
    return digits;
}

/// What stands before the code: hashes of the text and of the code.
std::string seal_of(std::string const& kind, std::string const& text, std::string_view code) {
    return std::string(magic) + hex(hash_of(kind + text, 3)) + hex(hash_of(code, 4)) + "\n";
}

}  // namespace

CodeCache::CodeCache(std::function<char const*(char const*)> const& environment) {
    auto const set = [&](char const* name) {
        char const* const value = environment(name);
        return std::string(value == nullptr ? "" : value);
    };
    if (std::string const given = set("EINLOOM_CACHE"); !given.empty()) {
        if (given != "off") folder_ = given;
    } else if (std::string const caches = set("XDG_CACHE_HOME"); !caches.empty()) {
        folder_ = std::filesystem::path(caches) / "einloom";
    } else if (std::string const home = set("HOME"); !home.empty()) {
        folder_ = std::filesystem::path(home) / ".cache" / "einloom";
    }
}

std::filesystem::path CodeCache::file_of(std::string const& kind, std::string const& text) const {
    return folder_ / ("ein-cuda-" + kind + "-" + hex(hash_of(text, 1)) + hex(hash_of(text, 2)) + ".cubin");
}

std::optional<std::string> CodeCache::find(std::string const& kind, std::string const& text) const {
    if (folder_.empty()) return std::nullopt;
    std::ifstream in(file_of(kind, text), std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::size_t const sealed = seal_of(kind, text, "").size();
    if (!in || bytes.size() < sealed) return std::nullopt;
    std::string const code = bytes.substr(sealed);
    return bytes.compare(0, sealed, seal_of(kind, text, code)) == 0 ? std::optional(code) : std::nullopt;
}

void CodeCache::keep(std::string const& kind, std::string const& text, std::string const& code) const noexcept try {
    if (folder_.empty()) return;
    std::filesystem::create_directories(folder_);
    ReplacedFile("", file_of(kind, text)).write(seal_of(kind, text, code) + code);
} catch (std::exception const&) {  // a full disk, a read-only home: the next run compiles again
}

}  // namespace ein::executor::cuda
