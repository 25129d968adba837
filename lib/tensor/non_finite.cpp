#include "lib/tensor/non_finite.hpp"

#include <algorithm>
#include <cstring>

#include "lib/base/error.hpp"

namespace ein::tensor {

namespace {

constexpr std::size_t batch = 4096;  // elements that are looked at again, in the first-level cache, where one is found

/// Numbers by their bits: an exponent of ones alone means NaN, or infinity where nothing else is set.
template <class Word, Word exponent>
struct Numbers {
    static Word at(std::byte const* bytes, std::size_t number) {
        Word word;
        std::memcpy(&word, bytes + number * sizeof word, sizeof word);
        return word;
    }
    static bool is_finite(Word word) { return (word & exponent) != exponent; }
    static bool is_nan(Word word) {
        constexpr auto mantissa = static_cast<Word>((exponent & (~exponent + 1U)) - 1U);
        return !is_finite(word) && (word & mantissa) != 0;
    }
    /// One more in the exponent sets the sign's bit where all of the exponent's were set: no comparison, so that every
    /// instruction set has it as vectors.
    static bool all_finite(std::byte const* bytes, std::size_t numbers) {
        constexpr auto one = static_cast<Word>(exponent & (~exponent + 1U)), sign = static_cast<Word>(exponent + one);
        Word found = 0;
        for (std::size_t i = 0; i < numbers; ++i)
            found = static_cast<Word>(found | static_cast<Word>((at(bytes, i) & exponent) + one));
        return (found & sign) == 0;
    }
};

/// @tparam parts  numbers an element
template <class Numbers, std::size_t parts>
NonFinite count_batch(std::byte const* bytes, std::size_t elements) {
    NonFinite out;
    for (std::size_t i = 0; i < elements * parts; i += parts) {
        bool nan = false, finite = true;
        for (std::size_t part = 0; part < parts; ++part) {
            auto const word = Numbers::at(bytes, i + part);
            nan = nan || Numbers::is_nan(word);
            finite = finite && Numbers::is_finite(word);
        }
        if (nan)
            ++out.nan;
        else if (!finite)
            ++out.infinite;
    }
    return out;
}

template <class Word, Word exponent, std::size_t parts = 1>
NonFinite count(std::byte const* bytes, std::size_t elements) {
    using Of = Numbers<Word, exponent>;
    NonFinite out;
    for (std::size_t first = 0; first < elements; first += batch) {
        std::size_t const here = std::min(batch, elements - first);
        std::byte const* const at = bytes + first * parts * sizeof(Word);
        if (!Of::all_finite(at, here * parts)) out += count_batch<Of, parts>(at, here);
    }
    return out;
}

}  // namespace

NonFinite count_non_finite(DType dtype, std::byte const* bytes, std::size_t elements) {
    switch (dtype) {
        case DType::f16: return count<std::uint16_t, 0x7c00>(bytes, elements);
        case DType::bf16: return count<std::uint16_t, 0x7f80>(bytes, elements);
        case DType::f32: return count<std::uint32_t, 0x7f800000>(bytes, elements);
        case DType::f64: return count<std::uint64_t, 0x7ff0000000000000>(bytes, elements);
        case DType::c64: return count<std::uint32_t, 0x7f800000, 2>(bytes, elements);
        case DType::c128: return count<std::uint64_t, 0x7ff0000000000000, 2>(bytes, elements);
        case DType::i8:
        case DType::i16:
        case DType::i32:
        case DType::i64:
        case DType::u8:
        case DType::boolean: return {};
    }
    throw InternalError("a dtype of no kind");
}

}  // namespace ein::tensor
