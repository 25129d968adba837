#include "lib/tensor/formats/likely_dtype.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <vector>

#include "lib/tensor/convert.hpp"

namespace ein::tensor {
namespace {

// Powers of two, chosen: numbers that are made or measured stay well within them. A float read as a wider one has eight
// times the spread, since three bits of its fraction become those of the exponent.
constexpr double most_plain_spread = 3;      // standard deviation of the logarithms
constexpr double least_odd_spread = 6;       // of numbers that hardly belong together
constexpr double most_plain_logarithm = 20;  // of the mean, either way: 1e-6 to 1e6
constexpr double least_odd_logarithm = 40;
constexpr double least_change = 3;  // how much less the other dtype's numbers spread
constexpr double most_plain_integer = 1 << 20, most_plain_short = 1 << 10, least_odd_integer = 1 << 24;
constexpr std::size_t fewest = 32;          // elements, and numbers other than 0 among them
constexpr std::size_t fewest_integers = 8;  // that differ

/// A sample of elements as real numbers; a complex one is two.
struct Sample {
    std::vector<double> numbers;
    double spread = 0, logarithm = 0;  // of the sizes of those that are finite and not 0
    std::size_t nonzero = 0, subnormal = 0, not_finite = 0;
    double least = 0, most = 0;
    bool has_empty_phase = false;  // one of each 2 or 4 elements is always 0 (or -1), and others are not
    std::size_t distinct = 0;
};

bool is_filler(DType dtype, double number) { return number == 0 || (is_integer(dtype) && number == -1); }

/// Wider elements that are read as narrow ones leave what is high in them at every second or fourth place.
bool has_empty_phase(DType dtype, std::vector<double> const& numbers) {
    for (std::size_t const period : {2U, 4U}) {
        std::array<bool, 4> filled{};
        for (std::size_t k = 0; k < numbers.size(); ++k)
            if (!is_filler(dtype, numbers[k])) filled[k % period] = true;
        auto const used = std::count(filled.begin(), filled.begin() + period, true);
        if (used > 0 && used < static_cast<std::ptrdiff_t>(period)) return true;
    }
    return false;
}

DType part_of(DType dtype) { return dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype; }

double least_normal(DType dtype) {
    if (dtype == DType::f16) return 0x1p-14;
    return dtype == DType::f64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
}

Sample sample(std::span<std::byte const> bytes, DType dtype) {
    Sample out;
    out.numbers.resize(bytes.size() / size_of(dtype));
    convert(dtype, bytes.data(), 1, DType::f64, out.numbers.data(), out.numbers.size());
    double sum = 0, squares = 0;
    bool any = false;
    for (double const number : out.numbers) {
        if (!std::isfinite(number)) {
            ++out.not_finite;
            continue;
        }
        out.least = any ? std::min(out.least, number) : number;
        out.most = any ? std::max(out.most, number) : number;
        any = true;
        if (number == 0) continue;
        ++out.nonzero;
        out.subnormal += std::abs(number) < least_normal(dtype) ? 1U : 0U;
        double const logarithm = std::log2(std::abs(number));
        sum += logarithm;
        squares += logarithm * logarithm;
    }
    if (out.nonzero > 0) {
        out.logarithm = sum / static_cast<double>(out.nonzero);
        double const mean_square = squares / static_cast<double>(out.nonzero);
        out.spread = std::sqrt(std::max(0.0, mean_square - out.logarithm * out.logarithm));
    }
    out.has_empty_phase = has_empty_phase(dtype, out.numbers);
    if (is_integer(dtype)) out.distinct = std::set<double>(out.numbers.begin(), out.numbers.end()).size();
    return out;
}

bool is_plain(Sample const& of, DType dtype) {
    if (of.not_finite > 0 || of.nonzero < fewest || of.has_empty_phase) return false;
    double const most = dtype == DType::i16 ? most_plain_short : most_plain_integer;
    if (is_integer(dtype)) return of.distinct >= fewest_integers && std::max(-of.least, of.most) <= most;
    return of.subnormal == 0 && of.spread <= most_plain_spread && std::abs(of.logarithm) <= most_plain_logarithm;
}

bool is_odd(Sample const& of, DType dtype) {
    auto const most = [&](std::size_t count) { return 2 * count > of.nonzero + of.not_finite; };
    if (is_integer(dtype)) {
        auto const large =
            std::ranges::count_if(of.numbers, [](double number) { return std::abs(number) >= least_odd_integer; });
        return most(static_cast<std::size_t>(large));
    }
    return most(of.subnormal + of.not_finite) || of.spread >= least_odd_spread ||
           std::abs(of.logarithm) >= least_odd_logarithm || 64 * of.not_finite > of.numbers.size();
}

std::string range_text(Sample const& of) {
    char text[80];
    std::snprintf(text, sizeof text, "%.3g to %.3g", of.least, of.most);
    return text + std::string(of.not_finite > 0 ? ", and nan or inf" : "");
}

std::vector<std::byte> reversed_elements(std::span<std::byte const> bytes, std::size_t size) {
    std::vector<std::byte> out(bytes.begin(), bytes.end());
    for (std::size_t k = 0; k + size <= out.size(); k += size)
        std::reverse(out.begin() + static_cast<std::ptrdiff_t>(k), out.begin() + static_cast<std::ptrdiff_t>(k + size));
    return out;
}

/// Whether what is odd in one dtype is explained by another.
bool explains(Sample const& other, DType other_dtype, Sample const& declared, DType declared_dtype, bool pairs) {
    // Of 16 bits all are numbers: small floats are small integers, those of bf16 that lie far apart ones of f16.
    bool const undecided = size_of(declared_dtype) == 2 && size_of(other_dtype) == 2 && declared_dtype != DType::f16;
    bool const short_floats = size_of(declared_dtype) == 2 && other_dtype == DType::i16;
    if (undecided || short_floats || !is_plain(other, other_dtype)) return false;
    bool const wider = size_of(other_dtype) > size_of(declared_dtype) && declared_dtype != DType::bf16;
    if (wider && declared.has_empty_phase && !pairs && !is_odd(declared, declared_dtype)) return true;
    if (!is_odd(declared, declared_dtype)) return false;
    // Large numbers of one sign may be what they look like: times, identifiers.
    if (declared_dtype == DType::i32 && other_dtype == DType::f32 && (declared.least >= 0 || declared.most <= 0))
        return false;
    bool const by_spread = !is_integer(declared_dtype) && !is_integer(other_dtype) && declared.not_finite == 0 &&
                           std::abs(declared.logarithm) < least_odd_logarithm;
    return !by_spread || least_change * other.spread <= declared.spread;
}

}  // namespace

std::optional<LikelyDType> likely_dtype(std::span<std::byte const> bytes, DType declared, Shape const& shape) {
    constexpr std::array others{DType::f16, DType::f32, DType::f64, DType::i16, DType::i32, DType::i64};
    DType const part = part_of(declared);
    if (part != DType::bf16 && std::ranges::find(others, part) == others.end()) return std::nullopt;
    bytes = bytes.first(std::min(bytes.size(), likely_dtype_bytes) / 8 * 8);
    Sample const found = sample(bytes, part);
    if (found.numbers.size() < fewest) return std::nullopt;
    bool const pairs = is_complex(declared) || (!shape.empty() && shape.back() == 2);  // of which one may be 0
    std::optional<LikelyDType> best;
    double plainest = std::numeric_limits<double>::infinity();
    auto const consider = [&](std::span<std::byte const> elements, DType dtype, bool other_byte_order) {
        Sample const other = sample(elements, dtype);
        double const farness = other.spread + std::abs(other.logarithm);
        if (farness >= plainest || !explains(other, dtype, found, part, pairs)) return;
        plainest = farness;
        best = {dtype, other_byte_order, range_text(other), range_text(found)};
    };
    for (DType const dtype : others)
        if (dtype != part) consider(bytes, dtype, false);
    consider(reversed_elements(bytes, size_of(part)), part, true);
    if (best && best->other_byte_order) best->dtype = declared;
    return best;
}

}  // namespace ein::tensor
