// The data of a schedule's inputs, opened where a rank reads some of it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "executor/engine/task_runner.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// Names of the input tensors, by Header::inputs.
std::vector<std::string> input_names(schedule::Header const& header);

/// Of a dense tensor whose elements a program has: in place of its source. Nothing: from there.
using GivenReader = std::function<std::unique_ptr<tensor::Reader const>(schedule::Tensor const& tensor)>;

/// Which data a rank reads itself.
enum class ReadsOf {
    loads,  // what its Load tasks read; other ranks send the rest
    held,   // all that it may hold: a run that goes on from a checkpoint reads again what was sent to it before
};

/// Opens what a rank reads, and checks it; files that are looked through as a whole are so now.
/// @param folder  data files are relative to it  @param rounds  how often everything will be read
/// @throws InputError with all faults of all inputs
Readers open_inputs(schedule::Header const& header, schedule::Section const& section,
                    std::filesystem::path const& folder, GivenReader const& given = {}, ReadsOf reads = ReadsOf::loads,
                    int rounds = 1);

}  // namespace ein::executor
