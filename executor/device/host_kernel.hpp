// A kernel that a device with memory of its own leaves to the host.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

class HostKernel final : public PreparedKernel {
public:
    explicit HostKernel(std::unique_ptr<PreparedKernel const> kernel) : kernel_(std::move(kernel)) {}
    void launch(KernelCall const& call, WorkerTeam& team) const override { kernel_->launch(call, team); }
    bool runs_on_host() const override { return true; }

private:
    std::unique_ptr<PreparedKernel const> kernel_;
};

}  // namespace ein::executor
