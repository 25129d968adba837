// Looks at every block that tasks of one rank make, once, when it is whole: in which tensors are NaN and infinities,
// and when first? What moves within a tensor, or comes from another rank, was looked at before; partial results are not
// looked at, since which there are depends on how the node is cut. Nothing is decided here: whether the inputs of a
// node are finite only all ranks together know (origins.hpp). Costs one pass over each result, and on a device with
// memory of its own also a copy to the host. Example: check.look(id, team) after Y = 1/x of {0, 1}: seen().tensors has
// Y with one infinite element.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <set>

#include "executor/engine/worker_team.hpp"
#include "executor/finite/seen_non_finite.hpp"
#include "executor/storage/block_storage.hpp"
#include "lib/base/threads/mutex.hpp"
#include "lib/tensor/non_finite.hpp"

namespace ein::executor {

class FiniteCheck {
public:
    /// Where bytes are copied to the host to be looked at, another task's copy of the same block would disturb.
    enum class Looks { side_by_side, one_by_one };

    /// @param storage  of the blocks  @param iteration  in which a loop is, from 1; called while a task of it runs
    FiniteCheck(schedule::Header const& header, schedule::Section const& section, BlockStorage& storage, Looks looks,
                std::function<std::int64_t(schedule::LoopId)> iteration);

    /// At the result of a task that has ended and is still counted as running. From many threads at once.
    void look(TaskId task, WorkerTeam& team);
    /// Another round does the same again.
    void stop() { stopped_ = true; }

    /// @param params  that the run has
    SeenNonFinite seen(scalar::Params const& params) const;
    /// Of the tensors of which more was seen since it was asked last. At any time.
    SeenNonFinite news(scalar::Params const& params);

private:
    struct AtResult;
    struct Kinds {
        Sighting nan, infinite;
    };

    /// What kernels write of a block.
    struct Made {
        std::int32_t calls = 0;
        std::vector<Box> parts = {};  // each once
        bool is_partial = false;
    };
    void note_calls();
    void note_partial_results();
    bool is_last_call(BlockId block);
    void note(TaskId task, BlockId block, Box const& part, tensor::NonFinite const& found);
    Moment moment_of(TaskId task) const;
    SeenNonFinite described(std::vector<SeenTensor> tensors, scalar::Params const& params) const;
    std::vector<CarriedTensor> carries() const;

    schedule::Header const& header_;
    schedule::Section const& section_;
    BlockStorage& storage_;
    std::function<std::int64_t(schedule::LoopId)> iteration_;
    Looks const looks_;
    std::atomic<bool> stopped_ = false;
    Table<BlockId, Made> made_;
    std::vector<std::atomic<std::int32_t>> calls_left_;  // by block, of this iteration
    Mutex one_looks_;
    mutable Mutex mutex_;
    std::map<schedule::TensorId, Kinds> seen_ EIN_GUARDED_BY(mutex_);
    std::set<schedule::TensorId> news_ EIN_GUARDED_BY(mutex_);
    std::int64_t parts_left_ EIN_GUARDED_BY(mutex_);  // that are told apart; those that come later are one
};

}  // namespace ein::executor
