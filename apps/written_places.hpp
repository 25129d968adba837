// Where programs write: over no file that is read too, nor over one of another kind, which would be lost. Example: a
// graph whose tensor 'X' is read from X.npy, and einplan -o X.npy: "-o: expected another file than that of tensor 'X',
// which is read, found 'X.npy' for both; give another name".
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/files/file_kind.hpp"
#include "lib/graph/ein_graph.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::apps {

using NamedPath = std::pair<std::string, std::filesystem::path>;  // an option and its file, or none
/// @throws UsageError where a file that is written is read too, or is written twice: nobody means to lose the one for
/// the other
void check_written(std::vector<NamedPath> const& written, std::vector<NamedPath> const& read);

/// The files that tensors are read from, each once: "that of tensor 'X'". @param folder  that paths are relative to
std::vector<NamedPath> files_read(graph::EinGraph const& graph, std::filesystem::path const& folder);
std::vector<NamedPath> files_read(schedule::Header const& header, std::filesystem::path const& folder);

/// Before a file is written. A link is replaced, not followed, and a stream keeps nothing.
/// @param use  what it will be  @param expected  "a schedule's file"
/// @throws UsageError for a file of another kind that stands there
void refuse_to_replace(std::string const& option, std::filesystem::path const& path, FileUse use,
                       std::string const& expected);

}  // namespace ein::apps
