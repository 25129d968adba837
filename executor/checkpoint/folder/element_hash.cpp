#include "executor/checkpoint/folder/element_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ein::executor {

struct ElementHash::State {
    XXH3_state_t xxh3;
};

ElementHash::ElementHash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->xxh3); }
ElementHash::~ElementHash() = default;

void ElementHash::add(std::span<std::byte const> bytes) {
    XXH3_64bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

std::uint64_t ElementHash::value() const { return XXH3_64bits_digest(&state_->xxh3); }

std::uint64_t hash_of(std::span<std::byte const> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace ein::executor
