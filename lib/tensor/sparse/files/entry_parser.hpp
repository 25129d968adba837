// Lines of a text file as entries: indices from 1 and a value on each, or, of an "array", a value alone. Blank lines
// and comments are left out. What is symmetric is not mirrored here. Example: "1 2 0.5\n3 1 -1e3\n" of a real (3, 3)
// matrix gives coordinates (0, 1), (2, 0) and values 0.5, -1000.
#pragma once

#include <string>
#include <string_view>

#include "lib/tensor/sparse/files/text_format.hpp"
#include "lib/tensor/sparse/sparse_block.hpp"

namespace ein::tensor {

/// Where a text begins in its file.
struct TextPlace {
    Extent line = 1;
    Extent entries = 0;  // before it
};

class EntryParser {
public:
    /// @param file  its name, for messages
    EntryParser(TextFormat const& format, std::string file) : format_(format), file_(std::move(file)) {}

    /// @param text  whole lines, the last one with its end  @param out  what it held is replaced; values of
    /// format.dtype()
    /// @return where the text after it begins  @throws InputError with the line
    TextPlace parse(std::string_view text, TextPlace at, ListedElements& out) const;

private:
    struct Reading;

    template <Field field>
    TextPlace parse_lines(std::string_view text, TextPlace at, ListedElements& out) const;
    template <Field field>
    void read_entry(Reading& reading) const;
    void read_indices(Reading& reading) const;
    void place_in_array(Reading& reading) const;
    double real(Reading& reading) const;
    std::int64_t integer(Reading& reading) const;
    static constexpr char const* correct_line = "correct the line, or the shape of the tensor";
    [[noreturn]] void fail(Reading const& reading, char const* at, std::string expected,
                           std::string fix = correct_line) const;

    TextFormat format_;
    std::string file_;
};

}  // namespace ein::tensor
