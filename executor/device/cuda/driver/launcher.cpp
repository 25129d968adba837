#include "executor/device/cuda/driver/launcher.hpp"

#include <algorithm>
#include <cstring>

#include "executor/device/cuda/tuning.hpp"

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
      fault_(context, sizeof(Fault), "the record of a fault"),
      host_fault_(context, sizeof(Fault)),
      reader_(context, events) {
    driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(fault_.data()), 0, sizeof(Fault), stream_.get());
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
    call.fault = fault_.data();
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

void Launcher::check_fault() {
    if (!expects_faults_) return;
    MutexLock const lock(reading_);
    context_.enter();
    if (read_fault().code == 0) return;
    check(read_fault());  // the record is whole once its code was seen, not before
}

Fault Launcher::read_fault() {
    driver().cuMemcpyDtoHAsync(host_fault_.data(), reinterpret_cast<CUdeviceptr>(fault_.data()), sizeof(Fault),
                               reader_.get());
    driver().cuStreamSynchronize(reader_.get());
    Fault fault;
    std::memcpy(&fault, host_fault_.data(), sizeof(Fault));
    return fault;
}

}  // namespace ein::executor::cuda
