#include "lib/tensor/storage/fingerprint.hpp"

#include <algorithm>

#include "lib/base/hash.hpp"
#include "lib/base/text/hex.hpp"

namespace ein::tensor {

namespace {

constexpr std::uint64_t page_bytes = 4096, most_pages = 64;

/// Of `pages` pages the one that stands for the k-th of as many stretches as are sampled: somewhere in it, so that no
/// regular pattern of changes is missed; the first and the last page stand for themselves.
std::uint64_t sampled_page(std::uint64_t k, std::uint64_t pages) {
    std::uint64_t const sampled = std::min(pages, most_pages);
    if (k == 0 || pages == sampled) return k;
    if (k == sampled - 1) return pages - 1;
    std::uint64_t const inner = pages - 2, stretches = sampled - 2;
    std::uint64_t const begin = inner / stretches * (k - 1), length = inner / stretches;
    return 1 + begin + mix64(k ^ mix64(pages)) % length;
}

}  // namespace

Fingerprint fingerprint(Storage const& storage) {
    Fingerprint out{storage.size(), mix64(storage.size())};
    std::uint64_t const pages = (out.size + page_bytes - 1) / page_bytes;
    std::vector<std::byte> page;
    for (std::uint64_t k = 0; k < std::min(pages, most_pages); ++k) {
        std::uint64_t const offset = sampled_page(k, pages) * page_bytes;
        page.resize(static_cast<std::size_t>(std::min(page_bytes, out.size - offset)));
        storage.read_at(offset, page);
        out.checksum = hash_bytes({reinterpret_cast<std::uint8_t const*>(page.data()), page.size()}, out.checksum);
    }
    return out;
}

std::string to_text(Fingerprint const& fingerprint) {
    return std::to_string(fingerprint.size) + " bytes, checksum " + hex(fingerprint.checksum);
}

}  // namespace ein::tensor
