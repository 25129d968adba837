// What --input and --set give a run in place of what its graph says.
// Example: --input A=a.npy --set eta=0.5: the schedule's input A is read from a.npy, and its param eta is 0.5.
#pragma once

#include <functional>
#include <string>

#include "apps/einrun/einrun_options.hpp"
#include "lib/schedule/model/header.hpp"

namespace ein::apps {

/// @param warn  hears of a tensor of the graph that no output needs: its file is not read
/// @throws UsageError for a name that the graph does not have, or what is no number
void take_inputs_and_params(EinrunOptions const& options, schedule::Header& header,
                            std::function<void(std::string const&)> const& warn);

}  // namespace ein::apps
