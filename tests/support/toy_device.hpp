// A device for executor tests: f64 sums of products and moves, by plain loops, with a hook before each launch that may
// wait or throw. It shares no code with the real devices.
#pragma once

#include <cstring>
#include <functional>

#include "executor/device/device.hpp"
#include "lib/tensor/reshape_runs.hpp"

namespace ein::test {

class ToyDevice final : public executor::Device {
public:
    using Hook = std::function<void(std::string const& node)>;
    explicit ToyDevice(Hook hook = {}) : hook_(std::move(hook)) {}

    std::string_view name() const override { return "toy"; }

    std::unique_ptr<executor::PreparedKernel const> prepare(executor::KernelShape const& shape,
                                                            scalar::Params const&) override {
        ++prepared;
        return std::make_unique<Kernel const>(shape, hook_);
    }

    void copy(executor::CopyCall const& call, executor::WorkerTeam&) override {
        if (hook_) hook_("copy");
        std::size_t const size = size_of(call.dtype);
        for_each_index(call.region.length, [&](std::vector<Extent> const& index) {
            Extent from = 0, to = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis) {
                Extent const out = call.region.begin[axis] + index[axis];
                Extent const in = call.axes[axis].start + call.axes[axis].step * out;
                to = to * call.to_box.length[axis] + out - call.to_box.begin[axis];
                from = from * call.from_box.length[axis] + in - call.from_box.begin[axis];
            }
            std::memcpy(static_cast<std::byte*>(call.to) + static_cast<std::size_t>(to) * size,
                        static_cast<std::byte const*>(call.from) + static_cast<std::size_t>(from) * size, size);
        });
    }

    void reshape(executor::ReshapeCall const& call, executor::WorkerTeam&) override {
        std::size_t const size = size_of(call.dtype);
        Extent packed = 0;
        tensor::for_each_shared_run(
            call.spec->from, call.from_box, call.spec->to, call.to_box, [&](Extent from, Extent to, Extent count) {
                using Form = executor::ReshapeCall::Form;
                Extent const read = call.form == Form::unpack ? packed : from,
                             written = call.form == Form::pack ? packed : to;
                std::memcpy(static_cast<std::byte*>(call.to) + static_cast<std::size_t>(written) * size,
                            static_cast<std::byte const*>(call.from) + static_cast<std::size_t>(read) * size,
                            static_cast<std::size_t>(count) * size);
                packed += count;
            });
    }

    void fill(void* to, Extent elements, DType, scalar::Scalar value, executor::WorkerTeam&) override {
        for (Extent i = 0; i < elements; ++i) static_cast<double*>(to)[i] = value.number.real();
    }

    int prepared = 0;

private:
    class Kernel final : public executor::PreparedKernel {
    public:
        Kernel(executor::KernelShape const& shape, Hook const& hook) : shape_(shape), hook_(hook) {}

        /// One piece for each value of the output's first label, so that idle workers have something to take.
        void launch(executor::KernelCall const& call, executor::WorkerTeam& team) const override {
            if (hook_) hook_(shape_.kernel->node);
            graph::EinSum const& einsum = shape_.kernel->einsum;
            if (einsum.output.empty() || team.width() == 1) return add_up(call, -1, 0);
            int const first = einsum.output[0];
            team.run(shape_.lengths[static_cast<std::size_t>(first)],
                     [&](std::int64_t value) { add_up(call, first, value); });
        }

    private:
        void add_up(executor::KernelCall const& call, int fixed, Extent value) const {
            auto* const out = static_cast<double*>(call.output);
            if (!shape_.accumulate) each(call, fixed, value, [&](Extent at, double) { out[at] = 0; });
            each(call, fixed, value, [&](Extent at, double product) { out[at] += product; });
        }

        template <class Visit>
        void each(executor::KernelCall const& call, int fixed, Extent value, Visit&& visit) const {
            graph::EinSum const& einsum = shape_.kernel->einsum;
            Shape lengths = shape_.lengths;
            if (fixed >= 0) lengths[static_cast<std::size_t>(fixed)] = 1;
            for_each_index(lengths, [&](std::vector<Extent> index) {
                if (fixed >= 0) index[static_cast<std::size_t>(fixed)] = value;
                double product = 1;
                for (std::size_t k = 0; k < einsum.inputs.size(); ++k)
                    product *= static_cast<double const*>(
                        call.operands[k])[offset(einsum.inputs[k], shape_.operand_strides[k], index)];
                visit(offset(einsum.output, shape_.output_strides, index), product);
            });
        }

        static Extent offset(std::vector<int> const& labels, std::vector<Extent> const& strides,
                             std::vector<Extent> const& index) {
            Extent out = 0;
            for (std::size_t axis = 0; axis < labels.size(); ++axis)
                out += index[static_cast<std::size_t>(labels[axis])] * strides[axis];
            return out;
        }

        executor::KernelShape shape_;
        Hook hook_;
    };

    Hook hook_;
};

}  // namespace ein::test
