// Element types: their names, sizes, kinds, NumPy's promotion, and the types that arithmetic runs in.
// Conversions between types are in lib/tensor; f16 and bf16 bit patterns in lib/base/float16.hpp.
// Example: promote(i32, f32) is f64, as in NumPy; compute_dtype({f16, f16}, f16) is f32.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ein {

enum class DType : std::uint8_t { f16, bf16, f32, f64, c64, c128, i8, i16, i32, i64, u8, boolean };
inline constexpr int dtype_count = 12;

enum class Kind : std::uint8_t { boolean, integer, real, complex };

std::string_view name(DType type);  // "f32"; boolean is "bool"
std::size_t size_of(DType type);    // bytes of one element
Kind kind(DType type);
inline bool is_complex(DType type) { return kind(type) == Kind::complex; }
inline bool is_integer(DType type) { return kind(type) == Kind::integer; }
/// Arithmetic of integers and booleans does not round.
inline bool is_exact(DType type) { return is_integer(type) || kind(type) == Kind::boolean; }

/// Reads "f32", "float32", "np.complex64", "<f8", "bool", ...; nothing when the name is unknown, or means two types.
std::optional<DType> dtype_from_name(std::string_view text);

/// NumPy's and others' names: what is taken beside our own.
struct DTypeName {
    std::string_view written;
    DType type;
};
std::span<DTypeName const> taken_dtype_names();
/// Names that different libraries have for different types: refused with both.
struct AmbiguousDType {
    struct Meaning {
        std::string_view name, where;
    };
    std::string_view written;
    Meaning one, other;
};
std::span<AmbiguousDType const> ambiguous_dtype_names();
/// What an ambiguous name could mean, for messages; "" for every other.
std::string meanings_of_dtype(std::string_view text);
/// What to write in place of a text that is no dtype: in small letters, the nearest, or what is there in its place.
std::string mend_dtype(std::string_view text);

/// "f16, bf16, ...": for messages.
std::string dtype_names();

/// NumPy's promote_types, with bf16 below f32 beside f16 (bf16 with f16 gives f32).
DType promote(DType a, DType b);
DType common_dtype(std::span<DType const> types);

/// The type that a join runs in: the inputs' common type, widened to the output's where the output is of the same
/// or a wider kind (bool < integer < real < complex); f16 and bf16 compute in f32. A narrower output is rounded once,
/// at the end.
DType compute_dtype(std::span<DType const> inputs, DType output);

}  // namespace ein
