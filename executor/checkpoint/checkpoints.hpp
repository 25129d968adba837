// The checkpoints of one run, as one rank sees them: the one that it goes on from, when another is wanted, and how it
// is saved when all ranks stand at one point. Knows nothing of tasks: what is live it is given, and how to read it.
// Example: Checkpoints checkpoints(parts); checkpoints.open(); at a point: checkpoints.save(state) writes DIR/000001.
// Source: docs/decisions/0062-checkpoints.md.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executor/checkpoint/checkpoint_report.hpp"
#include "executor/checkpoint/checkpoint_settings.hpp"
#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/folder_lock.hpp"
#include "executor/checkpoint/folder/new_checkpoint.hpp"
#include "executor/checkpoint/input_copies.hpp"
#include "executor/checkpoint/values_to_save.hpp"
#include "executor/checkpoint/wishes.hpp"
#include "executor/run/messages.hpp"
#include "lib/schedule/dispatch/points.hpp"

namespace ein::executor {

/// What a checkpoint says it is of.
struct CheckpointOrigin {
    std::string version, schedule_hash;
    std::filesystem::path schedule;     // file, for messages
    std::filesystem::path data_folder;  // that files of inputs are relative to
};

class Checkpoints {
public:
    /// @param header  with the run's inputs and params; open() has inputs read from copies that a checkpoint has
    Checkpoints(Transport& transport, schedule::Header& header, CheckpointSettings settings, CheckpointOrigin origin,
                Messages messages);

    /// What a run that is finished has left, and a later one may be content with.
    struct Results {
        std::filesystem::path folder;
        bool dense = false;  // sparse ones are written dense
    };
    /// What a run is asked for: nothing but results, which those of a run that is finished will do for, or also what
    /// only a run can make, as a report.
    enum class Wanted { results, more };
    /// Collective, before the run: finds what is to be gone on from, checks all of it.
    /// @return whether the results are there and there is nothing to do
    /// @throws Disagreement when it is damaged, or of another schedule, inputs, params or device
    bool open(Results const& results, Wanted wanted);
    /// One rank, when it is known. @throws InputError when the run that it goes on from had another
    void take_device(std::string const& device);
    /// Where the run goes on; nothing: from the beginning.
    std::optional<schedule::Point> const& resumed_at() const { return resumed_at_; }
    /// Iterations of loops that had begun there.
    Table<schedule::LoopSpecId, std::int64_t> begun() const;
    /// A box of a value that was saved. @throws InputError
    void load(schedule::TensorId tensor, Box const& box, std::span<std::byte> into) const;
    /// The same of a sparse one, as a block.
    void load(schedule::TensorId tensor, Box const& box, tensor::SparseLayout const& layout,
              std::span<std::byte> into) const;

    bool wanted(double now) const { return wishes_.wanted(now); }
    /// What a rank is at a point.
    struct State {
        schedule::Point point;
        std::vector<LiveBox> live;
        ReadLive read;
        Table<schedule::LoopSpecId, std::int64_t> begun;
        std::int64_t tasks_done = 0;  // of this rank, over all runs
        double now = 0;
    };
    enum class Then { go_on, end };
    /// Collective, while nothing is under way. A save that fails is a warning, unless checkpoints are required.
    /// @return whether the run is to end here, with what was saved
    /// @throws Disagreement when checkpoints are required and could not be saved
    Then save(State const& state);
    /// Rank 0, at the very end: the same command has nothing to do then. That this cannot be noted is a warning.
    /// @param files  the results, in their folder
    void note_finished(Results const& results, std::vector<std::filesystem::path> const& files);
    CheckpointReport const& report() const { return report_; }
    /// After the run: what is to be said of saves that failed; "" when the last ones did not.
    std::string fault() const;

private:
    bool first() const { return transport_.rank() == Rank{0}; }
    void find(Results const& results, Wanted wanted);
    bool is_done(Results const& results, Wanted wanted) const;
    std::string beginning() const;
    std::string run_of(Results const& results) const;
    void share_found();
    void copy_inputs();
    void commit_copies(InputCopies const& made, std::string const& number, NewCheckpoint& anew);
    void take_copies();
    void check(FoundCheckpoint const& found);
    void check_named_copies(FoundCheckpoint const& found) const;
    void write(State const& state, std::string const& number, NewCheckpoint& anew);
    std::string rest_of(std::optional<schedule::Point> const& point, schedule::Header const& header,
                        std::vector<SavedValue> const& values, std::string const& number);
    SavedValue const& saved(schedule::TensorId tensor) const;
    Manifest manifest_of_now() const;
    Manifest manifest_of(State const& state, std::vector<SavedValue> values) const;

    Transport& transport_;
    schedule::Header& header_;
    CheckpointSettings settings_;
    CheckpointOrigin origin_;
    std::string device_;
    Messages messages_;
    Wishes wishes_;
    std::optional<FolderLock> lock_;  // at rank 0
    std::optional<FoundCheckpoint> resumed_;
    std::optional<schedule::Point> resumed_at_;
    std::set<std::string> bases_;     // see Manifest
    std::vector<NamedInput> inputs_;  // at rank 0
    InputCopies copies_;
    double seconds_before_ = 0;  // of computing, by runs before
    double began_;
    bool nothing_to_do_ = false;
    int failures_ = 0;                         // one after another
    bool told_ = false, told_beyond_ = false;  // of those failures; that the run goes on beyond its stop time
    bool rest_failed_ = false;
    CheckpointReport report_;
};

}  // namespace ein::executor
