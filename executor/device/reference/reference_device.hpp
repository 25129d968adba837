// The reference: every kernel as plain loops over its labels, one element at a time through scalar::Evaluator.
// Slow and simple; other devices are tested against it and fall back to it for the few combinations they do not know.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

class ReferenceDevice final : public Device {
public:
    std::string_view name() const override { return "reference"; }
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) override;
    void copy(CopyCall const& call, WorkerTeam& team) override;
    void reshape(ReshapeCall const& call, WorkerTeam& team) override;
    void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) override;
};

}  // namespace ein::executor
