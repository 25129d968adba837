// The CPU device: contractions in tiles (complex ones through OpenBLAS, one thread a call), lookups as copies of rows,
// everything else through loop kernels. Threads come from the WorkerTeam. Results do not depend on how many there are.
#pragma once

#include "executor/device/device.hpp"

namespace ein::executor {

class CpuDevice final : public Device {
public:
    CpuDevice();
    std::string_view name() const override { return "cpu"; }
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) override;
    std::unique_ptr<PreparedKernel const> prepare_best_search(KernelShape const& search, scalar::Agg agg,
                                                              scalar::Params const& params) override;
    void copy(CopyCall const& call, WorkerTeam& team) override;
    void reshape(ReshapeCall const& call, WorkerTeam& team) override;
    void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam& team) override;

private:
    static std::unique_ptr<PreparedKernel const> prepare_dense(KernelShape const& shape, scalar::Params const& params);
};

}  // namespace ein::executor
