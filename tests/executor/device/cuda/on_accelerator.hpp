// Kernel cases, whose operands lie in the host, on a device with memory of its own: what a call touches is copied
// there, and the output back. Example: OnAccelerator device(accelerator, 1 << 20); test.run(device, team) compares with
// what the reference gives.
#pragma once

#include <algorithm>
#include <cstring>

#include "executor/device/accelerator.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

class OnAccelerator final : public Device {
public:
    OnAccelerator(Accelerator& device, std::int64_t bytes)
        : device_(device), bytes_(bytes), arena_(device.reserve(bytes)), host_(device.allocate_host(bytes)) {}
    ~OnAccelerator() override {
        device_.drain();
        device_.free_host(host_, bytes_);
    }

    std::string_view name() const override { return device_.name(); }
    std::unique_ptr<PreparedKernel const> prepare(KernelShape const& shape, scalar::Params const& params) override {
        return std::make_unique<Kernel>(*this, shape, device_.prepare(shape, params));
    }
    void copy(CopyCall const&, WorkerTeam&) override {}
    void reshape(ReshapeCall const&, WorkerTeam&) override {}
    void fill(void*, Extent, DType, scalar::Scalar, WorkerTeam&) override {}

private:
    struct Range {
        std::byte* host;
        std::int64_t bytes;
        std::int64_t place;  // in the arena and in the buffer
    };

    class Kernel final : public PreparedKernel {
    public:
        Kernel(OnAccelerator& on, KernelShape shape, std::unique_ptr<PreparedKernel const> kernel)
            : on_(on), shape_(std::move(shape)), kernel_(std::move(kernel)) {}

        void launch(KernelCall const& call, WorkerTeam& team) const override {
            graph::EinSum const& einsum = shape_.kernel->einsum;
            std::int64_t next = 0;
            std::vector<Range> ranges;
            auto const add = [&](void const* at, std::vector<int> const& axes, std::vector<Extent> const& strides,
                                 DType type) {
                Extent reach = 1;
                bool empty = false;
                for (std::size_t axis = 0; axis < axes.size(); ++axis) {
                    Extent const length = shape_.lengths[static_cast<std::size_t>(axes[axis])];
                    reach += (length - 1) * strides[axis];
                    empty = empty || length == 0;
                }
                std::int64_t const misplaced = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % 16);
                std::int64_t const bytes = empty ? 0 : reach * static_cast<Extent>(size_of(type));
                ranges.push_back({static_cast<std::byte*>(const_cast<void*>(at)), bytes, next + misplaced});
                next = (next + misplaced + bytes + 255) / 256 * 256;
            };
            for (std::size_t k = 0; k < einsum.operands(); ++k)
                add(call.operands[k], einsum.inputs[k], shape_.operand_strides[k], shape_.operand_dtypes[k]);
            add(call.output, einsum.output, shape_.output_strides, shape_.output_dtype);
            promise(next <= on_.bytes_, "a test's arena is too small");
            on_.run(ranges, *kernel_, call, team);
        }

    private:
        OnAccelerator& on_;
        KernelShape shape_;
        std::unique_ptr<PreparedKernel const> kernel_;
    };

    void run(std::vector<Range> const& ranges, PreparedKernel const& kernel, KernelCall call, WorkerTeam& team) {
        std::vector<void const*> operands;
        for (Range const& range : ranges) {
            std::memcpy(host_ + range.place, range.host, static_cast<std::size_t>(range.bytes));
            device_.copy_in(arena_ + range.place, host_ + range.place, range.bytes);
            operands.push_back(arena_ + range.place);
        }
        device_.wait(Stream::compute, Stream::in, device_.mark(Stream::in));
        call.output = arena_ + ranges.back().place;
        call.operands = std::span(operands).first(operands.size() - 1);
        kernel.launch(call, team);
        auto const launched = device_.mark(Stream::compute);
        device_.wait(Stream::out, Stream::compute, launched);
        device_.copy_out(host_ + ranges.back().place, arena_ + ranges.back().place, ranges.back().bytes);
        device_.sync(Stream::compute, launched);
        device_.sync(Stream::out, device_.mark(Stream::out));
        std::memcpy(ranges.back().host, host_ + ranges.back().place, static_cast<std::size_t>(ranges.back().bytes));
    }

    Accelerator& device_;
    std::int64_t bytes_;
    std::byte *arena_, *host_;
};

}  // namespace ein::executor
