#include <limits>
#include <utility>

#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/file/columns.hpp"
#include "lib/schedule/file/damaged.hpp"
#include "lib/schedule/file/section_fields.hpp"

namespace ein::schedule {
namespace {

constexpr std::size_t place_of(Column column) { return static_cast<std::size_t>(column); }

/// Of lists of a section, and the column of which each of their records has one number at least.
template <class Fields, class Of>
void pass_sizes(Fields& fields, Of& section) {
    fields.resize(Column::sizes, section.blocks, Column::block_tensor);
    fields.resize(Column::sizes, section.tasks, Column::kind);
    fields.resize(Column::sizes, section.operands, Column::operand);
    fields.resize(Column::sizes, section.coords, Column::coordinate);
    fields.resize(Column::sizes, section.loops, Column::loops);
    fields.resize(Column::sizes, section.moments, Column::moments);
}

class FieldsWriter {
public:
    template <class Number>
    void number(Column column, Number value, std::int64_t expected) {
        columns_.add(place_of(column), value, expected);
    }
    template <class Enum>
    void choice(Column column, Enum value, std::size_t, char const*) {
        columns_.add(place_of(column), static_cast<std::int64_t>(value), 0);
    }
    template <class List>
    void resize(Column column, List const& list, Column) {
        columns_.add(place_of(column), static_cast<std::int64_t>(list.size()), 0);
    }
    template <class Value>
    void keep(Value const&, Value const&) {}
    Bytes finish() const { return columns_.finish(); }

private:
    ColumnsWriter columns_{place_of(Column::count)};
};

class FieldsReader {
public:
    FieldsReader(std::span<std::uint8_t const> bytes, std::string const& file)
        : file_(file), columns_(bytes, place_of(Column::count), file) {}

    template <class Number>
    void number(Column column, Number& value, std::int64_t expected) {
        value = narrowed<Number>(columns_.next(place_of(column), expected));
    }
    template <class Enum>
    void choice(Column column, Enum& value, std::size_t count, char const* what) {
        std::int64_t const number = columns_.next(place_of(column), 0);
        if (!std::in_range<std::uint8_t>(number) || static_cast<std::size_t>(number) >= count)
            damaged(file_, "the unknown " + std::string(what) + " " + std::to_string(number));
        value = static_cast<Enum>(number);
    }
    template <class List>
    void resize(Column column, List& list, Column each) {
        std::int64_t const size = columns_.next(place_of(column), 0);
        if (size < 0 || std::cmp_greater(size, columns_.left(place_of(each))))
            damaged(file_, "a list of " + std::to_string(size) + " elements, which are not there");
        list.resize(static_cast<std::size_t>(size));
    }
    template <class Value>
    void keep(Value& place, Value const& value) {
        place = value;
    }
    template <class Number>
    Number narrowed(std::int64_t number) const {
        if (!std::in_range<Number>(number)) damaged(file_, "the number " + std::to_string(number) + " of a field");
        return static_cast<Number>(number);
    }
    void finish() const { columns_.finish(); }

private:
    std::string const& file_;
    ColumnsReader columns_;
};

}  // namespace

Bytes encode(Section const& section) {
    FieldsWriter fields;
    pass_sizes(fields, section);
    pass_section(fields, section);
    return fields.finish();
}

Section decode_section(std::span<std::uint8_t const> bytes, std::string const& file) {
    Section out;
    FieldsReader fields(bytes, file);
    pass_sizes(fields, out);
    pass_section(fields, out);
    fields.finish();
    return out;
}

}  // namespace ein::schedule
