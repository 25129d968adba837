// Outputs as DIR/NAME.npy. One rank reserves all files under temporary names before hours of work are done, every rank
// writes its own boxes in place, one rank renames: until then nothing stands under a final name. What is unfinished is
// removed, also when a signal ends us; what a killed run left is removed by the next that writes the same outputs (see
// run_lock.hpp). Example: output "grad/W" of run "1a2b" is written as results/.grad.W.npy.partial-1a2b.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "executor/engine/task_runner.hpp"
#include "lib/base/files/run_lock.hpp"
#include "lib/base/files/unfinished_files.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

class OutputFiles final : public OutputSink {
public:
    /// @param run  unique_name() of one rank, which told it to the others: nobody else can guess what they will open
    OutputFiles(schedule::Header const& header, std::filesystem::path folder, std::string const& run);
    ~OutputFiles() override;  // where it made them, removes what is unfinished

    /// One rank: sweeps, makes folder and files and reserves their space. @throws RunError
    void create();
    /// Temporary files that others left and that may still be in use; known after create().
    std::vector<std::filesystem::path> const& in_doubt() const { return in_doubt_; }
    void write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) override;
    /// One rank, when all have written. @throws RunError
    void publish();
    /// Any rank, when the run failed: removes what is unfinished. Never throws.
    void discard() noexcept;

    std::filesystem::path final_path(std::size_t output) const { return final_[output]; }

private:
    schedule::Header const& header_;
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> final_, partial_, in_doubt_;
    bool made_ = false;  // here, and not published yet
    UnfinishedFiles unfinished_;
    RunLock lock_;  // on the last of partial_, which is the last to be renamed
};

}  // namespace ein::executor
