// A kernel that is one program (program.hpp), run by whoever can: the launcher of a GPU, or the host in tests.
// Example: std::make_unique<ProgramKernel<Launcher, PreparedProgram>>(launcher, std::move(program)).
#pragma once

#include <utility>

#include "executor/device/cuda/source/program.hpp"

namespace ein::executor::cuda {

template <class Runner, class Program>
class ProgramKernel final : public PreparedKernel {
public:
    ProgramKernel(Runner& runner, Program program) : runner_(runner), program_(std::move(program)) {}
    void launch(KernelCall const& call, WorkerTeam&) const override {
        runner_.run(program_, {call.operands, call.output, nullptr, nullptr, call.begin, call.task});
    }

private:
    Runner& runner_;
    Program program_;
};

}  // namespace ein::executor::cuda
