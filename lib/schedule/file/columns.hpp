// Numbers of many records, a column for each field: every number as what it differs from the expected one, small
// differences of either sign in one byte, and all columns deflated together. What repeats from record to record, or
// from field to field, then takes next to nothing. Leaves to its caller what the fields are, and what is expected.
// Example: tags 7, 8, 9 of one peer, each expected to be one more than that before: differences 7, 0, 0, three bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ein::schedule {

class ColumnsWriter {
public:
    explicit ColumnsWriter(std::size_t columns) : columns_(columns) {}

    /// Differences wrap around, so that any number may be expected.
    void add(std::size_t column, std::int64_t value, std::int64_t expected) {
        std::uint64_t const difference = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(expected);
        std::uint64_t const sign = difference >> 63 == 0 ? 0 : ~std::uint64_t{0};
        add_digits(columns_[column], (difference << 1) ^ sign);
    }
    std::vector<std::uint8_t> finish() const;

private:
    using Digits = std::vector<std::uint8_t>;
    static void add_digits(Digits& to, std::uint64_t number) {
        for (; number >= 128; number >>= 7) to.push_back(static_cast<std::uint8_t>(number | 128));
        to.push_back(static_cast<std::uint8_t>(number));
    }

    std::vector<Digits> columns_;
};

/// What a ColumnsWriter made, which may be damaged, or made to harm.
class ColumnsReader {
public:
    /// @param file  names the file in errors  @throws InputError for bytes that are no such columns, or more than one
    /// section may have
    ColumnsReader(std::span<std::uint8_t const> bytes, std::size_t columns, std::string const& file);

    /// The column's next number. @throws InputError after the last one
    std::int64_t next(std::size_t column, std::int64_t expected) {
        std::uint64_t const digits = next_digits(columns_[column]);
        std::uint64_t const difference = (digits >> 1) ^ (0 - (digits & 1));
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(expected) + difference);
    }
    /// Numbers that a column holds at most.
    std::size_t left(std::size_t column) const { return columns_[column].size(); }
    /// @throws InputError unless every number was taken
    void finish() const;

private:
    using Digits = std::span<std::uint8_t const>;
    std::uint64_t next_digits(Digits& from) const;

    std::string const& file_;
    std::vector<std::uint8_t> raw_;
    std::vector<Digits> columns_;  // what is left of each
};

}  // namespace ein::schedule
