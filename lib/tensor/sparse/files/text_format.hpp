// What the lines of a text file that lists elements look like: read from the header of a Matrix Market file, known
// beforehand of a FROSTT file, which has none. Leaves the lines to entry_parser.hpp.
// Example: "%%MatrixMarket matrix coordinate real symmetric", a comment, "5 5 8" is the format of eight lines such as
// "5 3 1.0", which begin at line 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

enum class Field : std::uint8_t { real, integer, complex, pattern };
enum class Symmetry : std::uint8_t { general, symmetric, skew_symmetric, hermitian };

struct TextFormat {
    Shape shape;
    Field field = Field::real;
    Symmetry symmetry = Symmetry::general;
    bool lists_all = false;          // values alone, column by column: Matrix Market's "array"
    bool is_unsigned = false;        // integers
    bool takes_whole_reals = false;  // "3.0" as an integer
    std::optional<Extent> entries;   // that are promised
    char comment = '%';              // begins lines that say nothing
    std::uint64_t begin = 0;         // of the first line after the header, in bytes
    Extent line = 1;                 // its number

    /// f64, i64 or c128.
    DType dtype() const;
    /// Values that an "array" has: of symmetric matrices the lower triangle, of skew-symmetric ones below the diagonal.
    Extent array_values() const;
    /// Row and column of one of them; the column is the number of columns behind the last.
    std::pair<Extent, Extent> array_place(Extent value) const;
    friend bool operator==(TextFormat const&, TextFormat const&) = default;
};

/// Reads the header of a Matrix Market file. @throws InputError, with the line, when it is not one
TextFormat read_mtx_header(Storage const& storage);

/// Lines of a FROSTT file with values for a tensor of this dtype.
TextFormat tns_format(Shape shape, DType dtype);

/// A fault at a line of a text file.
[[noreturn]] void fail_at_line(std::string const& file, Extent line, std::string expected, std::string found,
                               std::string fix);
/// The beginning of a text up to white space, quoted; "the line's end" where there is none.
std::string quoted_word(std::string_view text);

}  // namespace ein::tensor
