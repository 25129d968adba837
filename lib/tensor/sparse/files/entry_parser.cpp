#include "lib/tensor/sparse/files/entry_parser.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

constexpr std::size_t first_room = 1024;  // entries

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

char const* after_space(char const* at) {
    while (is_space(*at)) ++at;
    return at;
}

}  // namespace

/// A text that is being read, and room for what it gives.
struct EntryParser::Reading {
    char const* begin;
    char const* at;
    char const* end;
    char const* line_begin;
    TextPlace place;
    ListedElements& out;
    std::vector<Extent*> coords;
    std::size_t count = 0, room = 0;
    Extent row = 0, column = 0;  // of the next value of an array

    void grow(std::size_t size) {
        room = std::max({first_room, 2 * room, out.values.capacity() / size});
        out.values.resize(room * size);
        for (std::size_t axis = 0; axis < coords.size(); ++axis) {
            out.coords[axis].resize(room);
            coords[axis] = out.coords[axis].data();
        }
    }
    void shrink(std::size_t size) const {
        out.values.resize(count * size);
        for (std::vector<Extent>& axis : out.coords) axis.resize(count);
    }
};

void EntryParser::fail(Reading const& reading, char const* at, std::string expected, std::string fix) const {
    Extent const before = std::count(reading.begin, reading.line_begin, '\n');
    fail_at_line(file_, reading.place.line + before, std::move(expected),
                 quoted_word({at, static_cast<std::size_t>(reading.end - at)}), std::move(fix));
}

void EntryParser::read_indices(Reading& reading) const {
    for (std::size_t axis = 0; axis < reading.coords.size(); ++axis) {
        char const* const begin = reading.at = after_space(reading.at);
        std::uint64_t index = 0;
        char const* at = begin;
        for (unsigned digit; (digit = static_cast<unsigned>(*at) - '0') <= 9; ++at) index = index * 10 + digit;
        bool const whole = at != begin && at - begin <= 19 && (is_space(*at) || *at == '\n');
        if (!whole || index - 1 >= static_cast<std::uint64_t>(format_.shape[axis]))
            fail(reading, begin,
                 "an index from 1 to " + std::to_string(format_.shape[axis]) + " along axis " + std::to_string(axis) +
                     " of shape " + to_string(format_.shape),
                 whole && index == 0 ? "indices begin with 1 in .mtx and .tns files: add 1 to each of them"
                 : at == begin && reading.place.entries == 0 && reading.count == 0 &&
                         std::isalpha(static_cast<unsigned char>(*begin)) != 0
                     ? "remove the line of names: each line has indices and a value"
                 : at != begin && *at == '.' ? "write whole numbers: 1 for 1.0"
                                             : correct_line);
        reading.coords[axis][reading.count] = static_cast<Extent>(index - 1);
        reading.at = at;
    }
}

/// Values of an array go down the columns; of symmetric matrices from the diagonal on.
void EntryParser::place_in_array(Reading& reading) const {
    if (reading.column == format_.shape[1])
        fail(reading, reading.at, "no more than " + std::to_string(*format_.entries) + " values");
    reading.coords[0][reading.count] = reading.row;
    reading.coords[1][reading.count] = reading.column;
    if (++reading.row < format_.shape[0]) return;
    ++reading.column;
    bool const last = format_.symmetry == Symmetry::skew_symmetric && reading.column + 1 >= format_.shape[1];
    if (last) reading.column = format_.shape[1];
    reading.row = format_.symmetry == Symmetry::general          ? 0
                  : format_.symmetry == Symmetry::skew_symmetric ? reading.column + 1
                                                                 : reading.column;
}

double EntryParser::real(Reading& reading) const {
    char const* const begin = reading.at = after_space(reading.at);
    char const* const number = *begin == '+' && begin[1] != '-' ? begin + 1 : begin;
    double value = 0;
    auto [end, error] = std::from_chars(number, reading.end, value);
    if (error == std::errc::result_out_of_range) {
        value = std::strtod(std::string(number, end).c_str(), nullptr);
        if (std::isinf(value)) fail(reading, begin, "a number that f64 holds, or inf");
        error = {};
    }
    if (error != std::errc{} || !(is_space(*end) || *end == '\n')) fail(reading, begin, "a number");
    reading.at = end;
    return value;
}

std::int64_t EntryParser::integer(Reading& reading) const {
    char const* const begin = reading.at = after_space(reading.at);
    char const* const number = *begin == '+' && begin[1] != '-' ? begin + 1 : begin;
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(number, reading.end, value);
    if (error == std::errc{} && (is_space(*end) || *end == '\n') && (value >= 0 || !format_.is_unsigned)) {
        reading.at = end;
        return value;
    }
    if (error == std::errc{} && format_.takes_whole_reals) {
        double const whole = real(reading);
        if (whole == std::nearbyint(whole) && std::fabs(whole) < 0x1p63) return static_cast<std::int64_t>(whole);
    }
    fail(reading, begin, format_.is_unsigned ? "a whole number from 0 to 2^63 - 1" : "a whole number below 2^63");
}

template <Field field>
void EntryParser::read_entry(Reading& reading) const {
    if (format_.lists_all)
        place_in_array(reading);
    else
        read_indices(reading);
    bool const on_diagonal =
        format_.symmetry != Symmetry::general && reading.coords[0][reading.count] == reading.coords[1][reading.count];
    if (on_diagonal && format_.symmetry == Symmetry::skew_symmetric)
        fail(reading, reading.line_begin, "no element on the diagonal of a skew-symmetric matrix");
    auto put = [&](auto value) {
        std::memcpy(reading.out.values.data() + reading.count * sizeof value, &value, sizeof value);
    };
    if constexpr (field == Field::pattern)
        put(std::int64_t{1});
    else if constexpr (field == Field::integer)
        put(integer(reading));
    else if constexpr (field == Field::real)
        put(real(reading));
    else {
        double const re = real(reading);
        reading.at = after_space(reading.at);
        char const* const imaginary = reading.at;
        double const im = real(reading);
        if (on_diagonal && format_.symmetry == Symmetry::hermitian && im != 0)
            fail(reading, imaginary, "the imaginary part 0 on the diagonal of a hermitian matrix");
        put(std::complex<double>(re, im));
    }
    reading.at = after_space(reading.at);
    if (*reading.at != '\n')
        fail(reading, reading.at, format_.lists_all ? "one value on a line" : "nothing after an element");
    ++reading.count;
}

template <Field field>
TextPlace EntryParser::parse_lines(std::string_view text, TextPlace at, ListedElements& out) const {
    out.coords.resize(format_.shape.size());
    std::size_t const size = size_of(format_.dtype());
    Reading reading{text.data(),
                    text.data(),
                    text.data() + text.size(),
                    text.data(),
                    at,
                    out,
                    std::vector<Extent*>(format_.shape.size())};
    if (format_.lists_all) std::tie(reading.row, reading.column) = format_.array_place(at.entries);
    reading.grow(size);
    Extent lines = 0;
    while (reading.at < reading.end) {
        reading.line_begin = reading.at;
        reading.at = after_space(reading.at);
        if (*reading.at == format_.comment)
            reading.at = static_cast<char const*>(
                std::memchr(reading.at, '\n', static_cast<std::size_t>(reading.end - reading.at)));
        else if (*reading.at != '\n') {
            if (reading.count == reading.room) reading.grow(size);
            read_entry<field>(reading);
        }
        ++reading.at;
        ++lines;
    }
    reading.shrink(size);
    return {at.line + lines, at.entries + static_cast<Extent>(reading.count)};
}

TextPlace EntryParser::parse(std::string_view text, TextPlace at, ListedElements& out) const {
    promise(text.empty() || text.back() == '\n', "whole lines are parsed");
    switch (format_.field) {
        case Field::real: return parse_lines<Field::real>(text, at, out);
        case Field::integer: return parse_lines<Field::integer>(text, at, out);
        case Field::complex: return parse_lines<Field::complex>(text, at, out);
        case Field::pattern: return parse_lines<Field::pattern>(text, at, out);
    }
    throw InternalError("unknown field");
}

}  // namespace ein::tensor
