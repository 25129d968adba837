#include "lib/tensor/sparse/files/text_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/tensor/formats/file_kind.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

constexpr char const* mend_header = "write the file again, for example with scipy.io.mmwrite";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Words of a line.
std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while (at < line.size()) {
        if (is_space(line[at])) {
            ++at;
            continue;
        }
        std::size_t const begin = at;
        while (at < line.size() && !is_space(line[at])) ++at;
        words.push_back(line.substr(begin, at - begin));
    }
    return words;
}

/// Lines from the beginning of a storage, read piece by piece.
class HeaderLines {
public:
    explicit HeaderLines(Storage const& storage) : storage_(storage) {}

    /// The next line, without its end; nothing at the file's end.
    std::optional<std::string_view> next() {
        std::size_t end = text_.find('\n', at_);
        while (end == std::string::npos && text_.size() < storage_.size()) {
            std::size_t const searched = text_.size();
            more();
            end = text_.find('\n', searched);
        }
        if (end == std::string::npos && at_ == text_.size()) return std::nullopt;
        std::size_t const begin = at_, stop = end == std::string::npos ? text_.size() : end;
        at_ = end == std::string::npos ? stop : stop + 1;
        ++line_;
        return std::string_view(text_).substr(begin, stop - begin);
    }
    Extent line() const { return line_; }  // that next() gave
    std::uint64_t position() const { return at_; }

private:
    void more() {
        std::size_t const had = text_.size();
        if (had > tuning::most_text_header)
            fail_at_line(storage_.name(), line_ + 1, "a header of at most 16 MiB", "a longer one", mend_header);
        text_.resize(had +
                     static_cast<std::size_t>(std::min<std::uint64_t>(tuning::text_chunk / 16, storage_.size() - had)));
        storage_.read_at(had, std::as_writable_bytes(std::span(text_)).subspan(had));
    }

    Storage const& storage_;
    std::string text_;
    std::size_t at_ = 0;
    Extent line_ = 0;
};

template <class Value>
struct Named {
    std::string_view name;
    Value value;
};

template <class Value, std::size_t count>
Value one_named(std::array<Named<Value>, count> const& table, std::string_view word, HeaderLines const& lines,
                Storage const& storage) {
    std::string const wanted = lowered(word);
    std::vector<std::string> names;
    for (Named<Value> const& row : table) {
        if (row.name == wanted) return row.value;
        names.emplace_back(row.name);
    }
    fail_at_line(storage.name(), lines.line(), one_of(names), quoted_word(word), mend_header);
}

/// Looked at before anything is read up to a line's end: other kinds may have none.
void refuse_no_banner(Storage const& storage) {
    constexpr std::string_view banner = "%%matrixmarket";
    std::string begins(static_cast<std::size_t>(std::min<std::uint64_t>(banner.size(), storage.size())), '\0');
    storage.read_at(0, std::as_writable_bytes(std::span(begins)));
    if (lowered(begins) == banner) return;
    refuse_no_words(storage,
                    "a Matrix Market file: \"%%MatrixMarket matrix coordinate real general\", or the like, first");
}

void read_banner(TextFormat& format, HeaderLines& lines, Storage const& storage) {
    std::vector<std::string_view> const words = words_of(lines.next().value_or(""));
    if (words.empty() || lowered(words[0]) != "%%matrixmarket")
        fail_at_line(storage.name(), 1, "\"%%MatrixMarket matrix coordinate real general\", or the like",
                     words.empty() ? "none" : quoted_word(words[0]),
                     "give a Matrix Market file, or name the file's real format in \"data\"");
    if (words.size() != 5)
        fail_at_line(storage.name(), 1, "five words: \"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\"",
                     std::to_string(words.size()), mend_header);
    constexpr std::array<Named<bool>, 1> objects{{{"matrix", true}}};
    constexpr std::array<Named<bool>, 2> layouts{{{"coordinate", false}, {"array", true}}};
    constexpr std::array<Named<Field>, 6> fields{{{"real", Field::real},
                                                  {"integer", Field::integer},
                                                  {"complex", Field::complex},
                                                  {"pattern", Field::pattern},
                                                  {"double", Field::real},
                                                  {"unsigned-integer", Field::integer}}};
    constexpr std::array<Named<Symmetry>, 4> symmetries{{{"general", Symmetry::general},
                                                         {"symmetric", Symmetry::symmetric},
                                                         {"skew-symmetric", Symmetry::skew_symmetric},
                                                         {"hermitian", Symmetry::hermitian}}};
    one_named(objects, words[1], lines, storage);
    format.lists_all = one_named(layouts, words[2], lines, storage);
    format.field = one_named(fields, words[3], lines, storage);
    format.is_unsigned = lowered(words[3]) == "unsigned-integer";
    format.symmetry = one_named(symmetries, words[4], lines, storage);
    auto refuse = [&](std::string expected) {
        fail_at_line(storage.name(), 1, std::move(expected),
                     lowered(words[2]) + " " + lowered(words[3]) + " " + lowered(words[4]), mend_header);
    };
    if (format.lists_all && format.field == Field::pattern) refuse("a pattern that is listed: \"coordinate pattern\"");
    if (format.symmetry == Symmetry::hermitian && format.field != Field::complex)
        refuse("\"complex\" for a hermitian matrix");
    if (format.symmetry == Symmetry::skew_symmetric && format.field == Field::pattern)
        refuse("values for a skew-symmetric matrix");
}

void read_sizes(TextFormat& format, HeaderLines& lines, Storage const& storage) {
    std::size_t const wanted = format.lists_all ? 2 : 3;
    std::string const expected =
        format.lists_all ? "the numbers of rows and columns" : "the numbers of rows, columns and listed elements";
    std::vector<std::string_view> words;
    do {
        std::optional<std::string_view> const line = lines.next();
        if (!line) fail_at_line(storage.name(), lines.line() + 1, expected, "the file's end", mend_header);
        words = words_of(*line);
    } while (words.empty() || words[0].front() == '%');
    if (words.size() != wanted)
        fail_at_line(storage.name(), lines.line(), expected, std::to_string(words.size()) + " words", mend_header);
    std::array<Extent, 3> numbers{};
    for (std::size_t k = 0; k < wanted; ++k) {
        std::string_view const word = words[k];
        auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), numbers[k]);
        if (error != std::errc{} || end != word.data() + word.size() || numbers[k] < 0)
            fail_at_line(storage.name(), lines.line(), expected + ", whole numbers from 0 to 2^63 - 1",
                         quoted_word(word), mend_header);
    }
    format.shape = {numbers[0], numbers[1]};
    if (format.symmetry != Symmetry::general && numbers[0] != numbers[1])
        fail_at_line(storage.name(), lines.line(), "as many rows as columns in a symmetric matrix",
                     std::to_string(numbers[0]) + " and " + std::to_string(numbers[1]), mend_header);
    if (format.lists_all && !checked_element_count(format.shape))
        fail_at_line(storage.name(), lines.line(), "fewer than 2^63 elements", to_string(format.shape), mend_header);
    format.entries = format.lists_all ? format.array_values() : numbers[2];
}

}  // namespace

DType TextFormat::dtype() const {
    switch (field) {
        case Field::complex: return DType::c128;
        case Field::real: return DType::f64;
        case Field::integer:
        case Field::pattern: return DType::i64;
    }
    throw InternalError("unknown field");
}

Extent TextFormat::array_values() const {
    Extent const rows = shape[0], columns = shape[1];
    if (symmetry == Symmetry::general) return rows * columns;
    Extent const below = rows % 2 == 0 ? rows / 2 * (rows - 1) : (rows - 1) / 2 * rows;
    return symmetry == Symmetry::skew_symmetric ? below : below + rows;
}

std::pair<Extent, Extent> TextFormat::array_place(Extent value) const {
    Extent const rows = shape[0], columns = shape[1];
    if (value >= array_values()) return {0, columns};
    if (symmetry == Symmetry::general) return {value % rows, value / rows};
    Extent const first = symmetry == Symmetry::skew_symmetric ? 1 : 0;  // below the diagonal
    auto before = [&](Extent column) {                                  // values in the columns before it
        TextFormat rest = *this;
        rest.shape = {rows - column, rows - column};
        return array_values() - rest.array_values();
    };
    Extent low = 0, high = columns;  // before(low) <= value < before(high)
    while (high - low > 1) {
        Extent const middle = low + (high - low) / 2;
        (before(middle) <= value ? low : high) = middle;
    }
    return {low + first + value - before(low), low};
}

TextFormat read_mtx_header(Storage const& storage) {
    refuse_no_banner(storage);
    TextFormat format;
    HeaderLines lines(storage);
    read_banner(format, lines, storage);
    read_sizes(format, lines, storage);
    format.begin = lines.position();
    format.line = lines.line() + 1;
    return format;
}

TextFormat tns_format(Shape shape, DType dtype) {
    TextFormat format;
    format.shape = std::move(shape);
    format.field = is_integer(dtype) ? Field::integer : Field::real;
    format.takes_whole_reals = true;
    format.comment = '#';
    return format;
}

void fail_at_line(std::string const& file, Extent line, std::string expected, std::string found, std::string fix) {
    throw InputError(
        Fault{file, "line " + std::to_string(line), std::move(expected), std::move(found), std::move(fix)});
}

std::string quoted_word(std::string_view text) {
    constexpr std::size_t most = 40;
    std::size_t end = 0;
    while (end < text.size() && !is_space(text[end]) && text[end] != '\n') ++end;
    if (end == 0) return "the line's end";
    return "'" + std::string(text.substr(0, std::min(end, most))) + (end > most ? "...'" : "'");
}

}  // namespace ein::tensor
