// What a raw file hardly is, for a note: elements of another dtype than the declared one, or a file that has a header
// of its own. Example: "'A' is read from 'h.bin' as f64, which makes numbers from -1e-43 to 2e+08; as f32 they are -3.1
// to 2.9: give it \"dtype\": \"f32\" if that was written".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/tensor/source.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

/// The declared shape with another first extent, of which a dtype takes so many bytes; nothing where there is none.
std::optional<Shape> shape_of_length(std::uint64_t bytes, DType dtype, Shape shape);

/// Whether the first elements from `offset` on are hardly of a dtype.
bool is_doubtful(Storage const& file, std::uint64_t offset, DType dtype, Shape const& shape);

/// Looks at the first elements alone; says nothing of a file that cannot be read.
/// @param name  the tensor's  @param folder  relative paths are relative to it
std::optional<std::string> doubt_of_raw(RawSource const& source, std::string const& name, DType dtype,
                                        Shape const& shape, std::filesystem::path const& folder);

}  // namespace ein::tensor
