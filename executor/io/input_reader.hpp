// The data of one input of a run, whatever its blocks are: a dense tensor's elements, or what a sparse one lists.
// Example: reader.read(section, block, bytes) fills a block of either format.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "executor/engine/worker_team.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"

namespace ein::executor {

class InputReader {
public:
    InputReader() = default;
    explicit InputReader(std::unique_ptr<tensor::Reader const> dense) : dense_(std::move(dense)) {}
    InputReader(std::string name, std::unique_ptr<tensor::SparseReader const> sparse)
        : name_(std::move(name)), sparse_(std::move(sparse)) {}

    explicit operator bool() const { return dense_ != nullptr || sparse_ != nullptr; }

    /// The block's box, as its format has it; a large dense one by all of the team.
    /// @throws InputError for a file that is damaged, or lists more than the schedule was made for
    void read(schedule::Section const& section, schedule::Block const& block, std::span<std::byte> out,
              WorkerTeam& team) const;
    /// The elements of a box, of a sparse tensor those that it lists, in any order.
    std::vector<std::byte> elements(Box const& box, DType dtype) const;

private:
    void read_dense(Box const& box, std::span<std::byte> out, WorkerTeam& team) const;

    std::string name_;  // of the tensor, for messages
    std::unique_ptr<tensor::Reader const> dense_;
    std::unique_ptr<tensor::SparseReader const> sparse_;
};

}  // namespace ein::executor
