#include "lib/tensor/made_reader.hpp"

#include <cstring>

#include "lib/base/error.hpp"
#include "lib/tensor/box_runs.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/random.hpp"

namespace ein::tensor {
namespace {

/// A tensor whose elements are made when a box of it is read.
template <class Source>
class MadeReader : public Reader {
public:
    MadeReader(Source source, DType dtype, Shape shape)
        : source_(std::move(source)), dtype_(dtype), shape_(std::move(shape)) {}

    void read(Box const& box, std::span<std::byte> out) const final {
        promise(box.order() == shape_.size() && Box::whole(shape_).contains(box), "a box inside its tensor is read");
        promise(out.size() == static_cast<std::size_t>(box.elements()) * size_of(dtype_), "a buffer of the box's size");
        make(box, out);
    }
    bool reads_in_parts() const final { return true; }

protected:
    virtual void make(Box const& box, std::span<std::byte> out) const = 0;
    /// For each run of a box: run and where its first element belongs.
    template <class Visit>
    void for_each_run_of(Box const& box, std::span<std::byte> out, Visit visit) const {
        for_each_run(shape_, box, [&](Run const& run) {
            visit(run, out.data() + static_cast<std::size_t>(run.in_box) * size_of(dtype_));
        });
    }

    Source source_;
    DType dtype_;

private:
    Shape shape_;
};

class FillReader final : public MadeReader<FillSource> {
    using MadeReader::MadeReader;
    void make(Box const& box, std::span<std::byte> out) const override {
        auto const count = static_cast<std::size_t>(box.elements());
        bool const whole = kind(dtype_) <= Kind::integer && source_.integer != 0;  // integers keep all their bits
        if (whole)
            convert(DType::i64, &source_.integer, 0, dtype_, out.data(), count);
        else
            convert(DType::c128, &source_.value, 0, dtype_, out.data(), count);
    }
};

class ValuesReader final : public MadeReader<ValuesSource> {
    using MadeReader::MadeReader;
    void make(Box const& box, std::span<std::byte> out) const override {
        std::size_t const size = size_of(dtype_);
        for_each_run_of(box, out, [&](Run const& run, std::byte* to) {
            std::memcpy(to, source_.bytes.data() + static_cast<std::size_t>(run.in_array) * size,
                        static_cast<std::size_t>(run.count) * size);
        });
    }
};

class RandomReader final : public MadeReader<RandomSource> {
    using MadeReader::MadeReader;
    void make(Box const& box, std::span<std::byte> out) const override {
        for_each_run_of(box, out, [&](Run const& run, std::byte* to) {
            fill_random(source_, dtype_, run.in_array, run.count, to);
        });
    }
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
