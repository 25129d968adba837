// The graph of what a checkpoint leaves to do, from the graph that its schedule carries.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "executor/checkpoint/folder/manifest.hpp"
#include "lib/schedule/dispatch/points.hpp"

namespace ein::executor {

/// EinGraph JSON for rest.json. @param point  nothing: the beginning, from which all is left  @param data_folder  that
/// files of inputs are relative to  @param folder  that the text will lie in, beside the files of the values
std::string rest_graph(schedule::Header const& header, std::filesystem::path const& data_folder,
                       std::optional<schedule::Point> const& point, std::vector<SavedValue> const& values,
                       std::filesystem::path const& folder);

/// Whether a schedule was planned from the rest.json of a checkpoint.
bool is_rest_of(schedule::Header const& header, std::filesystem::path const& checkpoint);

}  // namespace ein::executor
