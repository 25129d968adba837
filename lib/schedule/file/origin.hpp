// What a schedule was planned from, and what of it has changed since: the graph file, and the files that inputs are
// read from. The schedule carries the graph's text and a fingerprint of each input file that was there. What is gone is
// no change (whoever needs it says so), nor is a graph that is only written in another way.
// Example: X.npy written anew with other numbers gives "X.npy: tensor 'X': expected what was there when the schedule
// was planned (136 bytes, checksum ...), found other contents (136 bytes, checksum ...); plan again with einplan".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/schedule/model/header.hpp"

namespace ein::schedule {

/// Notes how input files are now, where they can be read. @param folder  that they are relative to
/// @return a message for each that is there and cannot be read
std::vector<std::string> note_input_files(Header& header, std::filesystem::path const& folder);

/// A fault for each file that changed. @param folder  of the graph file
std::vector<Fault> changes_since_planning(Header const& header, std::filesystem::path const& folder);

}  // namespace ein::schedule
