#include "executor/device/cuda/driver/launcher.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cuda/tuning.hpp"
#include "executor/device/name_node.hpp"

namespace ein::executor::cuda {
namespace {

/// The host's cores are shared by its ranks; compiling takes some of them before the run begins.
int compiling_threads(int sharers) {
    int const cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::clamp(cores / sharers, 1, tuning::most_compiling);
}

}  // namespace

Launcher::Launcher(Context const& context, Events& events, MarkedStream& stream)
    : context_(context),
      stream_(stream),
      modules_(context, compiling_threads(context.gpu().sharers)),
      scratch_(context),
      faults_(context, tuning::most_records * sizeof(Fault), "the records of faults"),
      host_faults_(context, tuning::most_records * sizeof(Fault)),
      reader_(context, events) {
    driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(faults_.data()), 0, tuning::most_records * sizeof(Fault),
                             stream_.get());
    driver().cuStreamSynchronize(stream_.get());
}

Launcher::~Launcher() { stream_.drain(); }

PreparedProgram Launcher::prepare(Program program) {
    PreparedProgram prepared;
    scratch_.expect(program.scratch_bytes);
    for (Launch const& launch : program.launches) prepared.codes.push_back(modules_.ask(launch.kernel));
    for (Launch& launch : program.launches) launch.kernel = {};  // its text is not needed any more
    prepared.program = std::move(program);
    return prepared;
}

void Launcher::finish() {
    modules_.finish();
    scratch_.settle(stream_.get());
}

void Launcher::run(PreparedProgram const& prepared, Call call) {
    context_.enter();
    if (call.scratch == nullptr) call.scratch = scratch(prepared.program.scratch_bytes);
    call.fault = faults_.data() + prepared.faults * sizeof(Fault);
    thread_local std::vector<std::uint64_t> words;
    for (std::size_t l = 0; l < prepared.codes.size(); ++l) {
        Launch const& launch = prepared.program.launches[l];
        write_arguments(launch, call, words);
        void* argument[] = {words.data()};
        driver().cuLaunchKernel(prepared.codes[l].get(), launch.grid_x, launch.grid_y, 1, launch.block, 1, 1, 0,
                                stream_.get(), argument, nullptr);
    }
    count_launches(static_cast<std::int64_t>(prepared.codes.size()));
    stream_.asked();
}

/// Where there are too many nodes, the last ones share a record.
std::size_t Launcher::expect_faults(std::string const& node) {
    MutexLock const lock(reading_);
    auto const known = std::find(nodes_.begin(), nodes_.end(), node);
    if (known != nodes_.end()) return static_cast<std::size_t>(known - nodes_.begin());
    if (nodes_.size() == tuning::most_records)
        nodes_.back() += "' or '" + node;
    else
        nodes_.push_back(node);
    return nodes_.size() - 1;
}

void Launcher::check_faults() {
    MutexLock const lock(reading_);
    if (nodes_.empty()) return;
    context_.enter();
    read_faults();
    bool found = false;
    for (std::size_t record = 0; record < nodes_.size(); ++record) found |= fault(record).code != 0;
    if (!found) return;
    read_faults();  // a record is whole once its code was seen, not before
    for (std::size_t record = 0; record < nodes_.size(); ++record)
        naming_node(nodes_[record], [faulty = fault(record)] { check(faulty); });
}

void Launcher::read_faults() {
    driver().cuMemcpyDtoHAsync(host_faults_.data(), reinterpret_cast<CUdeviceptr>(faults_.data()),
                               nodes_.size() * sizeof(Fault), reader_.get());
    driver().cuStreamSynchronize(reader_.get());
}

Fault Launcher::fault(std::size_t record) const {
    Fault fault;
    std::memcpy(&fault, host_faults_.data() + record * sizeof(Fault), sizeof(Fault));
    return fault;
}

}  // namespace ein::executor::cuda
