#include "lib/tensor/made_reader.hpp"

#include <cstring>

#include "lib/base/error.hpp"
#include "lib/tensor/box_runs.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/random.hpp"

namespace ein::tensor {
namespace {

void check_box(Shape const& shape, Box const& box, std::span<std::byte> out, DType dtype) {
    promise(box.order() == shape.size() && Box::whole(shape).contains(box), "a box inside its tensor is read");
    promise(out.size() == static_cast<std::size_t>(box.elements()) * size_of(dtype), "a buffer of the box's size");
}

class FillReader : public Reader {
public:
    FillReader(FillSource const& source, DType dtype, Shape shape)
        : source_(source), dtype_(dtype), shape_(std::move(shape)) {}

    void read(Box const& box, std::span<std::byte> out) const override {
        check_box(shape_, box, out, dtype_);
        auto const count = static_cast<std::size_t>(box.elements());
        bool const whole = kind(dtype_) <= Kind::integer && source_.integer != 0;  // integers keep all their bits
        if (whole)
            convert(DType::i64, &source_.integer, 0, dtype_, out.data(), count);
        else
            convert(DType::c128, &source_.value, 0, dtype_, out.data(), count);
    }

private:
    FillSource source_;
    DType dtype_;
    Shape shape_;
};

class ValuesReader : public Reader {
public:
    ValuesReader(ValuesSource const& source, DType dtype, Shape shape)
        : bytes_(source.bytes), dtype_(dtype), shape_(std::move(shape)) {}

    void read(Box const& box, std::span<std::byte> out) const override {
        check_box(shape_, box, out, dtype_);
        std::size_t const size = size_of(dtype_);
        for_each_run(shape_, box, [&](Run const& run) {
            std::memcpy(out.data() + static_cast<std::size_t>(run.in_box) * size,
                        bytes_.data() + static_cast<std::size_t>(run.in_array) * size,
                        static_cast<std::size_t>(run.count) * size);
        });
    }

private:
    std::vector<std::byte> bytes_;
    DType dtype_;
    Shape shape_;
};

class RandomReader : public Reader {
public:
    RandomReader(RandomSource const& source, DType dtype, Shape shape)
        : source_(source), dtype_(dtype), shape_(std::move(shape)) {}

    void read(Box const& box, std::span<std::byte> out) const override {
        check_box(shape_, box, out, dtype_);
        std::size_t const size = size_of(dtype_);
        for_each_run(shape_, box, [&](Run const& run) {
            fill_random(source_, dtype_, run.in_array, run.count,
                        out.data() + static_cast<std::size_t>(run.in_box) * size);
        });
    }

private:
    RandomSource source_;
    DType dtype_;
    Shape shape_;
};

}  // namespace

std::unique_ptr<Reader> open_fill(FillSource const& source, Wanted const& wanted) {
    return std::make_unique<FillReader>(source, wanted.dtype, wanted.shape);
}

std::unique_ptr<Reader> open_values(ValuesSource const& source, Wanted const& wanted) {
    std::size_t const bytes = static_cast<std::size_t>(element_count(wanted.shape)) * size_of(wanted.dtype);
    if (source.bytes.size() != bytes)
        throw InputError(Fault{
            "", "values of tensor '" + wanted.name + "'",
            std::to_string(bytes) + " bytes for " + to_string(wanted.shape) + " of " + std::string(name(wanted.dtype)),
            std::to_string(source.bytes.size()), "write as many values as the shape has elements"});
    return std::make_unique<ValuesReader>(source, wanted.dtype, wanted.shape);
}

std::unique_ptr<Reader> open_random(RandomSource const& source, Wanted const& wanted) {
    check_random(source, wanted.name, wanted.dtype);
    return std::make_unique<RandomReader>(source, wanted.dtype, wanted.shape);
}

}  // namespace ein::tensor
