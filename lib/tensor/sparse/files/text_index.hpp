// What one pass over a text file finds, so that later readers skip what they do not need: the chunks of the file with
// the coordinates that they hold, whether any place comes twice, and a histogram. It is kept in the cache folder
// (EINLOOM_CACHE, cache_folder.hpp), one file for each path, and holds for one state of the file alone; without a cache
// folder, or one that cannot be written, the pass is done again.
// Example: of a file of 3 GiB whose rows ascend, a rank with the last rows reads the last chunks.
#pragma once

#include <optional>
#include <vector>

#include "lib/tensor/sparse/files/entry_parser.hpp"
#include "lib/tensor/sparse/files/survey.hpp"

namespace ein::tensor {

/// Whole lines that follow one another.
struct TextChunk {
    std::uint64_t begin = 0, end = 0;  // bytes in the file
    TextPlace place;                   // of its first line
    Extent lines = 0;                  // entries as they are written
    Extent entries = 0;                // with those that are mirrored
    std::vector<Extent> least, most;   // coordinates as they are written; empty without entries
};

struct TextIndex {
    std::vector<TextChunk> chunks;
    Survey survey;
};

/// Which file an index is of, and as what it was read.
struct TextIndexKey {
    FileIdentity file;
    TextFormat format;
    friend bool operator==(TextIndexKey const&, TextIndexKey const&) = default;
};

/// The index that is kept for a file; nothing where there is none, or of another state of it.
std::optional<TextIndex> load_index(TextIndexKey const& key);
/// Keeps it where that is possible; files that are small, or were changed just now, are not worth it, or not safe.
void save_index(TextIndexKey const& key, TextIndex const& index);

}  // namespace ein::tensor
