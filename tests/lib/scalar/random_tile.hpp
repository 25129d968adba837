// Elements for programs, and what an Evaluator makes of the same ones: random tiles of every type, with specials.
// Example: RandomTile const tile = random_tile(DType::f32, 8, draw) has 8 elements of the operands x, y and z (some the
// same for all) and the labels [i] and [k]; tile.scalars(3) are those of element 3.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "lib/scalar/evaluate/evaluator.hpp"
#include "lib/scalar/program/program.hpp"
#include "tests/lib/scalar/random_expression.hpp"
#include "tests/support/catch.hpp"

namespace ein::scalar {

inline Names const names{3, {"i", "k"}, {"eta"}};

inline Expr parsed(std::string const& text, Names const& with = names) {
    ParseResult const result = parse(text, with);
    REQUIRE(result.faults.empty());
    return result.expr;
}

/// @param held  the register type
inline void store(Scalar const& value, DType held, void* to) {
    auto const put = [to](auto bits) { std::memcpy(to, &bits, sizeof bits); };
    switch (held) {
        case DType::f32: return put(static_cast<float>(value.number.real()));
        case DType::f64: return put(value.number.real());
        case DType::c64: return put(std::complex<float>(value.number));
        case DType::c128: return put(value.number);
        case DType::u8: return put(static_cast<std::uint8_t>(value.integer));
        case DType::i8: return put(static_cast<std::int8_t>(value.integer));
        case DType::i16: return put(static_cast<std::int16_t>(value.integer));
        case DType::i32: return put(static_cast<std::int32_t>(value.integer));
        default: return put(value.integer);
    }
}

template <class T>
T loaded(void const* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// @param held  the register type
inline Scalar load(void const* from, DType held) {
    switch (held) {
        case DType::f32: return Scalar::of(std::complex<double>(loaded<float>(from)));
        case DType::f64: return Scalar::of(std::complex<double>(loaded<double>(from)));
        case DType::c64: return Scalar::of(std::complex<double>(loaded<std::complex<float>>(from)));
        case DType::c128: return Scalar::of(loaded<std::complex<double>>(from));
        case DType::u8: return Scalar::of(std::int64_t{loaded<std::uint8_t>(from)});
        case DType::i8: return Scalar::of(std::int64_t{loaded<std::int8_t>(from)});
        case DType::i16: return Scalar::of(std::int64_t{loaded<std::int16_t>(from)});
        case DType::i32: return Scalar::of(std::int64_t{loaded<std::int32_t>(from)});
        default: return Scalar::of(loaded<std::int64_t>(from));
    }
}

/// Operands and labels of one vector tile, as a program and as an Evaluator want them.
struct RandomTile {
    std::size_t count = 0;
    DType held = DType::f32;  // the register type of operands
    std::vector<std::vector<std::byte>> data;
    std::vector<TileOperand> operands;
    std::vector<TileIndex> indices;

    std::vector<Scalar> scalars(std::size_t k) const {
        std::vector<Scalar> list;
        for (TileOperand const& operand : operands) {
            std::size_t const at = operand.constant ? 0 : k;
            list.push_back(load(static_cast<std::byte const*>(operand.data) + at * size_of(held), held));
        }
        return list;
    }
    std::vector<std::int64_t> labels(std::size_t k) const {
        std::vector<std::int64_t> list;
        for (TileIndex const& index : indices) list.push_back(index.first + static_cast<std::int64_t>(k) * index.step);
        return list;
    }
};

inline Scalar random_value(DType type, RandomExpression& draw) {
    if (register_dtype(type) == DType::i64) {
        return convert(Scalar::of(std::int64_t{draw.below(5) == 0 ? draw.below(1 << 30) : draw.below(12) - 6}),
                       DType::i64, type);
    }
    constexpr std::array<double, 8> specials{0.0, 1.0, -1.0, 0.5, HUGE_VAL, -HUGE_VAL, NAN, 2.5};
    auto const one = [&] {
        return draw.below(4) == 0 ? specials[static_cast<std::size_t>(draw.below(8))] : draw.any_double();
    };
    double const real = one();
    return convert(Scalar::of(std::complex<double>(real, is_complex(type) ? one() : 0.0)), DType::c128, type);
}

/// @param held  the register type of operands of `type`
inline RandomTile random_tile(DType type, DType held, std::size_t count, RandomExpression& draw) {
    RandomTile tile;
    tile.count = count;
    tile.held = held;
    std::size_t const width = size_of(held);
    for (int k = 0; k < names.operands; ++k) {
        bool const constant = draw.below(3) == 0;
        tile.data.emplace_back(width * (constant ? 1 : count));
        for (std::size_t at = 0; at < tile.data.back().size(); at += width)
            store(random_value(type, draw), held, &tile.data.back()[at]);
        tile.operands.push_back({tile.data.back().data(), constant});
    }
    for (std::size_t k = 0; k < names.labels.size(); ++k) tile.indices.push_back({draw.below(10), draw.below(3)});
    return tile;
}

inline RandomTile random_tile(DType type, std::size_t count, RandomExpression& draw) {
    return random_tile(type, register_dtype(type), count, draw);
}

inline bool same(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
inline bool same(Scalar const& a, Scalar const& b) {
    if (a.is_integer || b.is_integer) return a.is_integer && b.is_integer && a.integer == b.integer;
    return same(a.number.real(), b.number.real()) && same(a.number.imag(), b.number.imag());
}

/// Those whose result is exact or rounded once.
inline std::vector<Op> exact_ops(DType type) {
    std::vector<Op> ops{Op::neg, Op::logical_not, Op::abs, Op::conj, Op::real,        Op::imag,       Op::cast, Op::add,
                        Op::sub, Op::mul,         Op::eq,  Op::ne,   Op::logical_and, Op::logical_or, Op::where};
    if (type == DType::c64) std::erase(ops, Op::mul);
    if (is_complex(type)) {
        std::erase(ops, Op::abs);
        return ops;
    }
    ops.insert(ops.end(), {Op::sign, Op::floor, Op::ceil, Op::round, Op::sqrt, Op::relu, Op::div, Op::mod, Op::min,
                           Op::max, Op::lt, Op::le, Op::gt, Op::ge});
    return ops;
}

}  // namespace ein::scalar
