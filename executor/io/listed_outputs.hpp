// Sparse outputs of a run: where their blocks lie in NAME.npz is known only when all ranks have theirs, so each rank
// keeps what it stores until then. Steps, all ranks together: counts() of each are told to all; place(); one rank makes
// the files; all write; sums() of each are told; one rank finishes the files.
// Source: lib/tensor/sparse/output.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/threads/mutex.hpp"
#include "lib/schedule/model/schedule.hpp"
#include "lib/tensor/sparse/output/sparse_output.hpp"
#include "lib/tensor/sparse/sparse_moves.hpp"

namespace ein::executor {

class ListedOutputs {
public:
    explicit ListedOutputs(schedule::Header const& header) : header_(header) {}

    /// Keeps a copy of what a block lists. Called from many threads at once.
    void add(schedule::OutputId output, tensor::SparseBlockView const& block);

    /// What this rank's blocks list, for all ranks.
    std::string counts() const;
    /// @param by_rank  what all ranks have told  @param files  temporary names, by output; those of dense ones unused
    void place(std::vector<std::string> const& by_rank, std::vector<std::filesystem::path> const& files);
    /// @throws RunError
    void make();
    void write();
    std::string sums() const;
    void finish(std::vector<std::string> const& by_rank);

private:
    struct Kept {
        Box box;
        tensor::SparseLayout layout;
        DType dtype;
        std::vector<std::byte> bytes;
    };
    struct File {
        tensor::SparsePlaces places;
        tensor::SparseWriter writer;
    };
    Shape const& shape(schedule::OutputId output) const {
        return header_.tensors[header_.outputs[output].tensor].shape;
    }

    schedule::Header const& header_;
    mutable Mutex mutex_;
    std::map<schedule::OutputId, std::vector<Kept>> kept_ EIN_GUARDED_BY(mutex_);
    std::map<schedule::OutputId, File> files_;
};

}  // namespace ein::executor
