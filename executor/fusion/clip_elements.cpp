#include "executor/fusion/clip_elements.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/reference/element.hpp"

namespace ein::executor {
namespace {

/// Calls `run(data, count, stride)` for each run along the axis with the shortest stride.
template <class Run>
bool each_run(std::byte* data, Shape lengths, std::vector<Extent> strides, Run const& run) {
    for (Extent length : lengths)
        if (length == 0) return true;
    if (lengths.empty()) return run(data, Extent{1}, Extent{0});
    std::size_t inner = 0;
    for (std::size_t a = 1; a < lengths.size(); ++a)
        if (lengths[a] > 1 && (lengths[inner] == 1 || std::abs(strides[a]) <= std::abs(strides[inner]))) inner = a;
    Extent const count = lengths[inner], stride = strides[inner];
    lengths.erase(lengths.begin() + static_cast<std::ptrdiff_t>(inner));
    strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(inner));
    std::vector<Extent> at(lengths.size(), 0);
    while (true) {
        std::byte* from = data;
        for (std::size_t a = 0; a < at.size(); ++a) from += at[a] * strides[a];
        if (!run(from, count, stride)) return false;
        std::size_t a = at.size();
        while (a > 0 && ++at[a - 1] == lengths[a - 1]) at[--a] = 0;
        if (a == 0) return true;
    }
}

/// Whether no adjacent element's magnitude has these bits or greater ones, as infinities and nan have.
template <class Bits, Bits First>
bool below(std::byte const* data, Extent count) {
    constexpr auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
    Bits found = 0;
    for (Extent i = 0; i < count; ++i) {
        Bits bits;
        std::memcpy(&bits, data + i * static_cast<Extent>(sizeof bits), sizeof bits);
        found |= static_cast<Bits>((bits & magnitude) >= First);
    }
    return found == 0;
}

bool is(ClipFact::Kind kind, DType type, std::byte const* element) {
    if (kind == ClipFact::Kind::finite && ein::kind(type) <= Kind::integer) return true;
    scalar::Scalar const value = load_element(element, type);
    double const number = value.is_integer ? static_cast<double>(value.integer) : value.number.real();
    switch (kind) {
        case ClipFact::Kind::finite: return std::isfinite(number);
        case ClipFact::Kind::positive: return std::isfinite(number) && number > 0;
        case ClipFact::Kind::moderate: return std::fabs(number) <= scalar::Range::moderate().most;
        case ClipFact::Kind::moderate_positive: break;
    }
    return number >= scalar::Range::moderate_positive().least && number <= scalar::Range::moderate_positive().most;
}

/// A number as an element of a type.
struct Element {
    Element(double value, DType type) {
        store_element(scalar::convert(scalar::Scalar::of(std::complex<double>(value)), DType::f64, type), bytes, type);
    }
    alignas(16) std::byte bytes[16] = {};
};

}  // namespace

bool all_are(ClipFact::Kind kind, DType type, std::byte const* data, Shape const& lengths,
             std::vector<Extent> const& strides) {
    auto const size = static_cast<Extent>(size_of(type));
    return each_run(const_cast<std::byte*>(data), lengths, strides, [&](std::byte const* run, Extent n, Extent step) {
        if (kind == ClipFact::Kind::finite && step == size) {
            if (type == DType::f32) return below<std::uint32_t, 0x7f800000u>(run, n);
            if (type == DType::f64) return below<std::uint64_t, 0x7ff0000000000000u>(run, n);
            if (type == DType::f16) return below<std::uint16_t, 0x7c00>(run, n);
            if (type == DType::bf16) return below<std::uint16_t, 0x7f80>(run, n);
        }
        if (kind == ClipFact::Kind::moderate && step == size) {  // below 2^30
            if (type == DType::f32) return below<std::uint32_t, 0x4e800000u>(run, n);
            if (type == DType::f64) return below<std::uint64_t, 0x41d0000000000000u>(run, n);
            if (type == DType::f16) return below<std::uint16_t, 0x7c00>(run, n);
            if (type == DType::bf16) return below<std::uint16_t, 0x4e80>(run, n);
        }
        for (Extent i = 0; i < n; ++i)
            if (!is(kind, type, run + i * step)) return false;
        return true;
    });
}

void fill_elements(double value, DType type, std::byte* data, Shape const& lengths, std::vector<Extent> const& strides,
                   FillStores stores) {
    constexpr std::size_t buffered = 2048;  // bytes; a multiple of every element
    alignas(64) std::array<std::byte, buffered> buffer;
    Element const element(value, type);
    auto const size = static_cast<Extent>(size_of(type));
    for (std::size_t at = 0; at < buffered; at += size_of(type))
        std::memcpy(buffer.data() + at, element.bytes, size_of(type));
    each_run(data, lengths, strides, [&](std::byte* run, Extent n, Extent step) {
        if (step != size) {
            for (Extent i = 0; i < n; ++i) std::memcpy(run + i * step, element.bytes, size_of(type));
            return true;
        }
        for (auto left = static_cast<std::size_t>(n * size); left > 0;) {
            std::size_t const bytes = std::min(left, buffered);
            if (stores == FillStores::past_cache)
                copy_past_cache(run, buffer.data(), bytes);
            else
                std::memcpy(run, buffer.data(), bytes);
            run += bytes, left -= bytes;
        }
        return true;
    });
    if (stores == FillStores::past_cache) finish_past_cache();
}

namespace {

template <class T>
void mask(std::span<scalar::Prefix const> ends, T value, T* data, std::vector<int> const& axes,
          std::vector<scalar::IndexRange> const& box, std::vector<Extent> const& strides) {
    std::size_t const outer = axes.size() - 1;
    scalar::IndexRange const row = box[outer];
    std::vector<Extent> at;
    for (std::size_t a = 0; a < outer; ++a) at.push_back(box[a].begin);
    std::vector<std::size_t> of;  // the axis whose index shifts an end
    for (scalar::Prefix const& end : ends)
        of.push_back(static_cast<std::size_t>(std::find(axes.begin(), axes.end(), end.output) - axes.begin()));
    while (true) {
        T* to = data;
        for (std::size_t a = 0; a < outer; ++a) to += (at[a] - box[a].begin) * strides[a];
        Extent first = row.begin, last = row.end;
        for (std::size_t e = 0; e < ends.size(); ++e) {
            Extent const shifted = at[of[e]] + ends[e].offset;
            if (ends[e].is_suffix)
                first = std::max(first, shifted);
            else
                last = std::min(last, shifted + 1);
        }
        first = std::min(first, row.end);
        last = std::clamp(last, first, row.end);
        std::fill(to, to + (first - row.begin), value);
        std::fill(to + (last - row.begin), to + row.length(), value);
        std::size_t a = outer;
        while (a > 0 && ++at[a - 1] == box[a - 1].end) {
            at[a - 1] = box[a - 1].begin;
            --a;
        }
        if (a == 0) return;
    }
}

}  // namespace

void mask_elements(std::span<scalar::Prefix const> ends, double value, DType type, std::byte* data,
                   std::vector<int> const& axes, std::vector<scalar::IndexRange> const& box,
                   std::vector<Extent> const& strides) {
    Element const element(value, type);
    auto const mask_with = [&](auto bits) {
        std::memcpy(&bits, element.bytes, sizeof bits);
        mask(ends, bits, reinterpret_cast<decltype(bits)*>(data), axes, box, strides);
    };
    switch (size_of(type)) {
        case 1: return mask_with(std::uint8_t{});
        case 2: return mask_with(std::uint16_t{});
        case 4: return mask_with(std::uint32_t{});
        case 8: return mask_with(std::uint64_t{});
        default: return mask_with(std::array<std::uint64_t, 2>{});
    }
}

}  // namespace ein::executor
