// A tensor's file is NAME.npy or, where it is sparse, NAME.npz. Of one folder both would be two tensors of one name,
// of which one is old: whoever completes one removes the other. Example: after results/C.npz has its final name,
// remove_other_form("results/C.npz", {}) removes a results/C.npy that looks as runs write it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>

namespace ein::tensor {

/// C.npy of C.npz, and the reverse.
std::filesystem::path other_form(std::filesystem::path const& file);

/// @param file  which is complete under its final name  @param inputs  files that stay, whatever they are called
/// @return what was removed: a file, no link, with the header that a run writes; nothing else is touched
std::optional<std::filesystem::path> remove_other_form(std::filesystem::path const& file,
                                                       std::span<std::filesystem::path const> inputs);

}  // namespace ein::tensor
