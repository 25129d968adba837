// An output that one process writes as a whole or not at all.
// Example: write_whole_file("Z.npy", [&](auto const& name) { create_npy(name, ...); },
//                           [&](auto const& name) { write_npy_box(name, ...); });
#pragma once

#include <filesystem>
#include <functional>

namespace ein::tensor {

/// Calls `make` with a temporary name beside the file (again with another one, where the file it has made was swept
/// away), then `fill` with the same name, and renames what is there to `file`. What killed processes left of the file
/// is removed before; where `fill` throws RunError, so is what it wrote.
/// @throws RunError where it cannot be renamed, and what `make` and `fill` throw
void write_whole_file(std::filesystem::path const& file, std::function<void(std::filesystem::path const&)> const& make,
                      std::function<void(std::filesystem::path const&)> const& fill);

}  // namespace ein::tensor
