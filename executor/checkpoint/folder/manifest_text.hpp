// What the writing and the reading of manifest.json have in common.
#pragma once

#include "executor/checkpoint/folder/element_hash.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/hex.hpp"

namespace ein::executor {

/// Of manifest.json: a reader of another one refuses it.
inline constexpr std::int64_t manifest_format = 1;

/// The checksum of a manifest: of all its keys but "checksum".
inline std::string checksum_of(Json document) {
    document.erase("checksum");
    std::string const text = document.dump();
    return hex(hash_of(std::as_bytes(std::span(text))));
}

}  // namespace ein::executor
