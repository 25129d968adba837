#include <array>
#include <cmath>
#include <limits>

#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/read_tensors.hpp"
#include "lib/graph/read/tuning.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::graph {
namespace {

using scalar::Scalar;

struct Range {
    std::int64_t least, most;
};

Range range_of(DType integer) {
    if (integer == DType::u8) return {0, 255};
    int const bits = 8 * static_cast<int>(size_of(integer));
    std::int64_t const most =
        bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1;
    return {-most - 1, most};
}

std::optional<Scalar> read_integer_element(Cursor const& at, DType dtype) {
    if (at.value().is_boolean()) return Scalar::of(std::int64_t{at.value().get<bool>()});
    auto const value = at.integer();
    if (!value) return std::nullopt;
    Range const range = range_of(dtype);
    if (*value >= range.least && *value <= range.most) return Scalar::of(*value);
    at.fail("a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most),
            std::to_string(*value), "write one that fits in " + std::string(name(dtype)) + ", or use a wider dtype");
    return std::nullopt;
}

std::optional<Scalar> read_bool_element(Cursor const& at) {
    if (at.value().is_boolean()) return Scalar::of(std::int64_t{at.value().get<bool>()});
    if (at.value().is_number() && (at.value() == 0 || at.value() == 1))
        return Scalar::of(std::int64_t{at.value() == 1});
    at.fail("true, false, 0 or 1", brief(at.value()), "write one of these, or use another dtype");
    return std::nullopt;
}

/// A number that does not become infinite by rounding to `dtype`.
std::optional<double> read_real(Cursor const& at, DType dtype) {
    if (at.value().is_boolean()) return at.value().get<bool>() ? 1.0 : 0.0;
    auto number = at.number();
    if (!number || !std::isfinite(*number)) return number;
    if (auto const* const whole = at.value().get_ptr<std::int64_t const*>())  // by way of f64 it would round twice
        number = scalar::convert(Scalar::of(*whole), DType::i64, dtype).number.real();
    Scalar const rounded = scalar::convert(Scalar::of(std::complex<double>(*number)), DType::f64, dtype);
    if (std::isfinite(rounded.number.real())) return number;
    at.fail("a number that " + std::string(name(dtype)) + " holds", brief(at.value()),
            "write a smaller one or \"" + std::string(*number < 0 ? "-" : "") + "inf\", or use a wider dtype");
    return std::nullopt;
}

std::optional<Scalar> read_complex_element(Cursor const& at, DType dtype) {
    if (!at.value().is_array()) {
        auto const real = read_real(at, dtype);
        return real ? std::optional(Scalar::of(std::complex<double>(*real))) : std::nullopt;
    }
    if (at.size() != 2) {
        at.fail("a complex number: [re, im]", brief(at.value()), "write two numbers");
        return std::nullopt;
    }
    auto const re = read_real(at.at(0), dtype);
    auto const im = read_real(at.at(1), dtype);
    return re && im ? std::optional(Scalar::of(std::complex<double>(*re, *im))) : std::nullopt;
}

/// Walks nested lists of known depth (at most max_order, so recursion is safe) in C order.
class ValuesReader {
public:
    ValuesReader(Shape const& shape, DType dtype) : shape_(shape), tensor_(dtype, shape) {}

    bool read(Cursor const& at, std::size_t axis) {
        if (axis == shape_.size()) return element(at);
        if (!at.value().is_array() || at.size() != static_cast<std::size_t>(shape_[axis])) {
            at.fail("a list of " + std::to_string(shape_[axis]) + " (axis " + std::to_string(axis) + " of shape " +
                        to_string(shape_) + ")",
                    at.value().is_array() ? "a list of " + std::to_string(at.size()) : brief(at.value()),
                    "correct the values or the shape");
            return false;
        }
        bool good = true;
        for (std::size_t k = 0; k < at.size() && at.faults().list().size() < tuning::most_element_faults; ++k)
            good = read(at.at(k), axis + 1) && good;
        return good;
    }
    std::vector<std::byte> take() { return std::move(tensor_.bytes()); }

private:
    bool element(Cursor const& at) {
        auto const value = read_element(at, tensor_.dtype());
        if (value) tensor_.set(next_++, *value);
        return value.has_value();
    }

    Shape const& shape_;
    tensor::HostTensor tensor_;
    Extent next_ = 0;
};

/// Numbers in a nested list, without recursion.
std::size_t count_numbers(Json const& values) {
    std::size_t count = 0;
    std::vector<Json const*> open{&values};
    while (!open.empty()) {
        Json const& next = *open.back();
        open.pop_back();
        if (!next.is_array())
            ++count;
        else
            for (Json const& item : next) open.push_back(&item);
    }
    return count;
}

}  // namespace

std::optional<Shape> shape_of_lists(Json const& values) {
    Shape shape;
    std::vector<Json const*> level{&values};
    while (!level.empty() && level.front()->is_array() && shape.size() < max_order) {
        std::size_t const extent = level.front()->size();
        std::vector<Json const*> below;
        for (Json const* list : level) {
            if (!list->is_array() || list->size() != extent) return std::nullopt;
            for (Json const& item : *list) below.push_back(&item);
        }
        shape.push_back(static_cast<Extent>(extent));
        level = std::move(below);
    }
    bool const ragged = std::any_of(level.begin(), level.end(), [](Json const* item) { return item->is_array(); });
    return ragged ? std::nullopt : std::optional(shape);
}

std::optional<Scalar> read_element(Cursor const& at, DType dtype) {
    switch (kind(dtype)) {
        case Kind::boolean: return read_bool_element(at);
        case Kind::integer: return read_integer_element(at, dtype);
        case Kind::complex: return read_complex_element(at, dtype);
        case Kind::real: break;
    }
    auto const real = read_real(at, dtype);
    return real ? std::optional(Scalar::of(std::complex<double>(*real))) : std::nullopt;
}

std::optional<tensor::ValuesSource> read_values(Cursor const& values, Shape const& shape, DType dtype) {
    // Checked before memory for `shape` is taken: a short list under a huge shape is a fault, not an allocation.
    auto const elements = static_cast<std::size_t>(element_count(shape));
    std::size_t const numbers = count_numbers(values.value());
    if (numbers < elements) {
        values.fail(std::to_string(elements) + " numbers (shape " + to_string(shape) + ")", std::to_string(numbers),
                    "write them all, or use \"fill\" or \"random\"");
        return std::nullopt;
    }
    ValuesReader reader(shape, dtype);
    if (!reader.read(values, 0)) return std::nullopt;
    return tensor::ValuesSource{reader.take()};
}

}  // namespace ein::graph
