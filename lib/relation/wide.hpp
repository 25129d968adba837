// The elements of a tensor in the widest type of their kind, so that the interpreter's loops read and write plain
// numbers. Example: an f16 tensor for a join in f32 is held in doubles, each rounded to f32; bools are held in 64-bit
// integers.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::relation {

class Wide {
public:
    Wide() = default;
    explicit Wide(DType type, std::size_t count = 0) : type_(type) {
        if (is_complex(type))
            complexes_.resize(count);
        else if (kind(type) == Kind::real)
            reals_.resize(count);
        else
            integers_.resize(count);
    }
    /// Converts to `compute` first, as the join wants its operands.
    Wide(tensor::HostTensor const& from, DType compute) : Wide(compute, static_cast<std::size_t>(from.elements())) {
        auto const count = static_cast<std::size_t>(from.elements());
        std::vector<std::byte> narrow;
        std::byte const* bytes = from.bytes().data();
        if (from.dtype() != compute && size_of(compute) < size_of(wide())) {
            narrow.resize(count * size_of(compute));
            tensor::convert(from.dtype(), bytes, 1, compute, narrow.data(), count);
            bytes = narrow.data();
        }
        tensor::convert(narrow.empty() ? from.dtype() : compute, bytes, 1, wide(), data(), count);
    }

    scalar::Scalar at(Extent k) const {
        auto const i = static_cast<std::size_t>(k);
        if (is_complex(type_)) return scalar::Scalar::of(complexes_[i]);
        if (kind(type_) == Kind::real) return scalar::Scalar::of(std::complex<double>(reals_[i]));
        return scalar::Scalar::of(integers_[i]);
    }
    void set(std::size_t i, scalar::Scalar const& value) {
        if (is_complex(type_))
            complexes_[i] = value.number;
        else if (kind(type_) == Kind::real)
            reals_[i] = value.number.real();
        else
            integers_[i] = value.integer;
    }
    double const* reals() const { return reals_.data(); }
    double* reals() { return reals_.data(); }

    void round_into(tensor::HostTensor& to) {
        tensor::convert(wide(), data(), 1, to.dtype(), to.bytes().data(), static_cast<std::size_t>(to.elements()));
    }

private:
    DType wide() const { return is_complex(type_) ? DType::c128 : kind(type_) == Kind::real ? DType::f64 : DType::i64; }
    void* data() {
        if (is_complex(type_)) return complexes_.data();
        return kind(type_) == Kind::real ? static_cast<void*>(reals_.data()) : integers_.data();
    }

    DType type_ = DType::f64;
    std::vector<double> reals_;
    std::vector<std::complex<double>> complexes_;
    std::vector<std::int64_t> integers_;
};

}  // namespace ein::relation
