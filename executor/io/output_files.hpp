// Outputs as DIR/NAME.npy, sparse ones as DIR/NAME.npz. One rank reserves all files under temporary names before hours
// of work are done, every rank writes its own boxes in place, one rank renames: until then nothing stands under a final
// name. What is unfinished is removed, also when a signal ends us; what a killed run left is removed by the next that
// writes the same outputs (see run_lock.hpp). Example: output "grad/W" of run "1a2b" is written as
// results/.grad.W.npy.partial-1a2b.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "executor/io/listed_outputs.hpp"
#include "executor/io/output_sink.hpp"
#include "lib/base/files/run_lock.hpp"
#include "lib/base/files/unfinished_files.hpp"
#include "lib/schedule/model/schedule.hpp"

namespace ein::executor {

/// Where each output of a run goes. @param dense  sparse outputs too are written as npy
std::vector<std::filesystem::path> output_paths(schedule::Header const& header, std::filesystem::path const& folder,
                                                bool dense);

/// Outputs that go where another tensor is read from: "output 'W1' is written to results/W1.npy, which tensor 'W' is
/// read from". The run reads it whole first, but what was there is gone at its end, for --verify too. An output that is
/// the input itself is no other tensor.
std::vector<std::string> overwritten_inputs(schedule::Header const& header, std::filesystem::path const& data_folder,
                                            std::filesystem::path const& out, bool dense);

class OutputFiles final : public OutputSink {
public:
    /// @param run  unique_name() of one rank, which told it to the others: nobody else can guess what they will open
    /// @param dense  sparse outputs too are written as npy
    OutputFiles(schedule::Header const& header, std::filesystem::path folder, std::string const& run,
                bool dense = false);
    ~OutputFiles() override;  // where it made them, removes what is unfinished

    /// One rank: sweeps, makes folder and files and reserves their space. @throws RunError
    void create();
    /// Temporary files that others left and that may still be in use; known after create().
    std::vector<std::filesystem::path> const& in_doubt() const { return in_doubt_; }
    void write(schedule::OutputId output, DType dtype, Box const& box, std::span<std::byte const> bytes) override;
    void write_listed(schedule::OutputId output, tensor::SparseBlockView const& block,
                      scalar::Scalar const& fill) override;
    /// Whether any output is written as npz: then all ranks complete() them before one publishes.
    bool any_listed() const { return any_listed_; }
    ListedOutputs& listed() { return listed_; }
    /// One rank, when counts of all are known (ListedOutputs::place). @throws RunError
    void make_listed();
    std::vector<std::filesystem::path> const& temporary() const { return partial_; }
    /// One rank, when all have written. What an earlier run wrote of an output in the other form (NAME.npy of NAME.npz)
    /// goes once the new file has its name. @param inputs  files of the run: they stay
    /// @return what has gone  @throws RunError
    std::vector<std::filesystem::path> publish(std::span<std::filesystem::path const> inputs = {});
    /// Any rank, when the run failed: removes what is unfinished. Never throws.
    void discard() noexcept;

    std::filesystem::path final_path(std::size_t output) const { return final_[output]; }

private:
    schedule::Header const& header_;
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> final_, partial_, in_doubt_;
    std::vector<bool> is_listed_;
    bool any_listed_ = false;
    ListedOutputs listed_;
    bool made_ = false;  // here, and not published yet
    UnfinishedFiles unfinished_;
    std::optional<std::size_t> locked_;  // output whose temporary file holds the lock: the last to be renamed
    RunLock lock_;
};

}  // namespace ein::executor
