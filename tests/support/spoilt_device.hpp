// A device that makes one thing wrong: after each kernel of one node it changes the last element that was written, or
// all of them; or of each copy, reshape or fill. It stands for a kernel with a fault.
// Example: SpoiltDevice(make_device({DeviceKind::cpu}), {.node = "Z"}) makes products of node Z that are not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "executor/device/device.hpp"
#include "executor/device/reference/element.hpp"

namespace ein::test {

struct Spoil {
    std::string node = {};  // whose kernels; "": of none
    double by = 1.5;        // elements are multiplied by it, 0 becomes 1
    bool copies = false, reshapes = false, fills = false;
    bool every_element = true;  // else the last one alone
};

class SpoiltDevice final : public executor::Device {
public:
    SpoiltDevice(std::unique_ptr<executor::Device> device, Spoil spoil)
        : device_(std::move(device)), spoil_(std::move(spoil)) {}

    std::string_view name() const override { return "spoilt"; }

    std::unique_ptr<executor::PreparedKernel const> prepare(executor::KernelShape const& shape,
                                                            scalar::Params const& params) override {
        auto kernel = device_->prepare(shape, params);
        if (shape.kernel->node != spoil_.node) return kernel;
        return std::make_unique<Kernel>(std::move(kernel), shape, spoil_);
    }
    void copy(executor::CopyCall const& call, executor::WorkerTeam& team) override {
        device_->copy(call, team);
        if (!spoil_.copies) return;
        each(call.region.length, [&](std::vector<Extent> const& index) {
            Extent at = 0;
            for (std::size_t axis = 0; axis < index.size(); ++axis)
                at = at * call.to_box.length[axis] + call.region.begin[axis] + index[axis] - call.to_box.begin[axis];
            change(call.to, at, call.dtype);
        });
    }
    void reshape(executor::ReshapeCall const& call, executor::WorkerTeam& team) override {
        device_->reshape(call, team);
        if (!spoil_.reshapes || call.form == executor::ReshapeCall::Form::pack) return;
        each({call.to_box.elements()},
             [&](std::vector<Extent> const& index) { change(call.to, index[0], call.dtype); });
    }
    void fill(void* to, Extent elements, DType dtype, scalar::Scalar value, executor::WorkerTeam& team) override {
        device_->fill(to, elements, dtype, value, team);
        if (spoil_.fills) each({elements}, [&](std::vector<Extent> const& index) { change(to, index[0], dtype); });
    }

private:
    class Kernel final : public executor::PreparedKernel {
    public:
        Kernel(std::unique_ptr<executor::PreparedKernel const> kernel, executor::KernelShape shape, Spoil const& spoil)
            : kernel_(std::move(kernel)), shape_(std::move(shape)), spoil_(spoil) {}
        void launch(executor::KernelCall const& call, executor::WorkerTeam& team) const override {
            kernel_->launch(call, team);
            Shape lengths;
            for (int label : shape_.kernel->einsum.output) lengths.push_back(shape_.lengths[at(label)]);
            each(lengths, spoil_, [&](std::vector<Extent> const& index) {
                Extent place = 0;
                for (std::size_t axis = 0; axis < index.size(); ++axis)
                    place += index[axis] * shape_.output_strides[axis];
                change(call.output, place, shape_.output_dtype, spoil_);
            });
        }

    private:
        std::unique_ptr<executor::PreparedKernel const> kernel_;
        executor::KernelShape shape_;
        Spoil const& spoil_;
    };

    template <class Visit>
    static void each(Shape const& lengths, Spoil const& spoil, Visit const& visit) {
        std::vector<Extent> last;
        for_each_index(lengths, [&](std::vector<Extent> const& index) {
            if (spoil.every_element) visit(index);
            last = index;
        });
        if (!spoil.every_element && element_count(lengths) > 0) visit(last);
    }
    template <class Visit>
    void each(Shape const& lengths, Visit const& visit) const {
        each(lengths, spoil_, visit);
    }
    static void change(void* block, Extent at, DType dtype, Spoil const& spoil) {
        void* const place = static_cast<std::byte*>(block) + static_cast<std::size_t>(at) * size_of(dtype);
        scalar::Scalar value = executor::load_element(place, dtype);
        value.integer = value.integer == 0 ? 1 : value.integer * 2;
        value.number = value.number == 0.0 ? 1.0 : value.number * spoil.by;
        executor::store_element(value, place, dtype);
    }
    void change(void* block, Extent at, DType dtype) const { change(block, at, dtype, spoil_); }

    std::unique_ptr<executor::Device> device_;
    Spoil const spoil_;
};

}  // namespace ein::test
