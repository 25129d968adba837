#include "executor/device/cuda/driver/code_cache.hpp"

#include <fstream>
#include <iterator>
#include <span>

#include "lib/base/files/replaced_file.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/text/hex.hpp"

namespace ein::executor::cuda {
namespace {

constexpr std::string_view magic = "einloom code 1\n";

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
    return hash_bytes(std::span(reinterpret_cast<std::uint8_t const*>(text.data()), text.size()), seed);
}

/// What stands before the code: hashes of the text and of the code.
std::string seal_of(std::string const& kind, std::string const& text, std::string_view code) {
    return std::string(magic) + hex(hash_of(kind + text, 3)) + hex(hash_of(code, 4)) + "\n";
}

}  // namespace

std::filesystem::path CodeCache::file_of(std::string const& kind, std::string const& text) const {
    return folder_.path() / ("ein-cuda-" + kind + "-" + hex(hash_of(text, 1)) + hex(hash_of(text, 2)) + ".cubin");
}

std::optional<std::string> CodeCache::find(std::string const& kind, std::string const& text) const {
    if (folder_.path().empty() || !folder_.refusal().empty()) return std::nullopt;
    std::ifstream in(file_of(kind, text), std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::size_t const sealed = seal_of(kind, text, "").size();
    if (!in || bytes.size() < sealed) return std::nullopt;
    std::string const code = bytes.substr(sealed);
    return bytes.compare(0, sealed, seal_of(kind, text, code)) == 0 ? std::optional(code) : std::nullopt;
}

void CodeCache::keep(std::string const& kind, std::string const& text, std::string const& code) const noexcept try {
    if (!folder_.make()) return;
    ReplacedFile("", file_of(kind, text)).write(seal_of(kind, text, code) + code);
} catch (std::exception const&) {  // a full disk, a read-only home: the next run compiles again
}

}  // namespace ein::executor::cuda
