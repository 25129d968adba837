#include "lib/tensor/formats/npy_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/base/limits.hpp"
#include "lib/tensor/formats/file_kind.hpp"

namespace ein::tensor {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// Reads the dictionary. Positions in messages count bytes of the dictionary from 0.
class DictionaryParser {
public:
    DictionaryParser(std::string_view text, std::string const& file, NpyHeader& header)
        : text_(text), file_(file), header_(header) {}

    void parse() {
        expect('{');
        while (!accept('}')) {
            entry();
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_space();
        if (at_ < text_.size()) fail("the header's end", "more text");
        require(has_descr_, "descr");
        require(has_order_, "fortran_order");
        require(has_shape_, "shape");
    }

private:
    [[noreturn]] void fail(std::string expected, std::string found) const {
        throw InputError(Fault{file_, "header, byte " + std::to_string(at_), std::move(expected), std::move(found),
                               "write the file again, for example with numpy.save"});
    }

    void require(bool has, std::string const& key) const {
        if (!has) fail("the key '" + key + "'", "a header without it");
    }

    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    }

    bool accept(char wanted) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    void expect(char wanted) {
        if (!accept(wanted)) fail(std::string("'") + wanted + "'", here());
    }

    std::string here() const {
        return at_ < text_.size() ? "\"" + std::string(text_.substr(at_, 20)) + "\"" : "the header's end";
    }

    void entry() {
        std::string const key = quoted();
        expect(':');
        if (key == "descr")
            once(has_descr_, key), element_type();
        else if (key == "fortran_order")
            once(has_order_, key), order();
        else if (key == "shape")
            once(has_shape_, key), shape();
        else
            fail("descr, fortran_order or shape", "the key '" + key + "'");
    }

    void once(bool& seen, std::string const& key) {
        if (seen) fail("each key once", "'" + key + "' twice");
        seen = true;
    }

    std::string quoted() {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) fail("a name in quotes", here());
        char const quote = text_[at_++];
        std::size_t const end = text_.find(quote, at_);
        if (end == std::string_view::npos) fail("a closing quote", here());
        std::string out(text_.substr(at_, end - at_));
        at_ = end + 1;
        return out;
    }

    void order() {
        skip_space();
        for (auto [word, value] : {std::pair(std::string_view("True"), AxisOrder::fortran),
                                   std::pair(std::string_view("False"), AxisOrder::c)}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            header_.axis_order = value;
            at_ += word.size();
            return;
        }
        fail("True or False", here());
    }

    void shape() {
        expect('(');
        while (!accept(')')) {
            header_.shape.push_back(extent());
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        if (!checked_element_count(header_.shape))
            fail("a shape of fewer than 2^63 elements", to_string(header_.shape));
    }

    Extent extent() {
        skip_space();
        std::size_t const begin = at_;
        Extent value = 0;
        for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
            if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
                fail("an extent below 2^63", "a larger one");
        if (at_ == begin) fail("an extent", here());
        if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
        return value;
    }

    void element_type();
    std::string mend_object() const;
    [[noreturn]] void refuse_fields() const;

    std::string_view text_;
    std::string const& file_;
    NpyHeader& header_;
    std::size_t at_ = 0;
    bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

std::optional<DType> dtype_of(std::string_view kind_and_size) {
    if (kind_and_size == "V2") return DType::bf16;  // what numpy.save makes of ml_dtypes.bfloat16
    for (std::string const order : {"<", "|"})
        if (auto dtype = dtype_from_name(order + std::string(kind_and_size))) return dtype;
    return std::nullopt;
}

/// Of what NumPy has and we do not: unsigned numbers, texts, times.
std::string mend_type(std::string_view descr) {
    char const kind = descr.size() > 1 ? descr[1] : ' ';
    if (kind == 'U' || kind == 'S') return "write numbers in place of the texts, such as their places in a list";
    if (kind == 'u') return "convert the array before saving it: a.astype('int64') holds all below 2^63";
    if (kind == 'M' || kind == 'm') return "convert the times before saving them: a.astype('int64')";
    return "convert the array before saving it, for example with a.astype('float32')";
}

/// Of Python's objects: rows of several lengths, or, without axes, one object.
std::string DictionaryParser::mend_object() const {
    if (text_.find("'shape': ()") == std::string_view::npos)
        return "it holds objects, as of rows of several lengths: pad them to one, then numpy.array(rows, \"float32\")";
    std::string const archive = std::filesystem::path(file_).replace_extension(".npz").string();
    return "it holds one Python object, such as a dict; of a dict of arrays: numpy.savez(\"" + archive +
           "\", **numpy.load(\"" + file_ + "\", allow_pickle=True).item()), then {\"npz\": \"" + archive +
           "\", \"entry\": NAME}";
}

/// Of a structured dtype, as [('n', '<U3'), ('v', '<f8')]: its first field of numbers is what may be meant.
void DictionaryParser::refuse_fields() const {
    std::string const fields(text_.substr(at_, text_.find(']', at_) - at_ + 1));
    std::string field, first;
    for (std::size_t at = fields.find("('"); field.empty() && at != std::string::npos; at = fields.find("('", at + 1)) {
        std::size_t const end = fields.find('\'', at + 2), type = fields.find('\'', end + 1);
        if (end == std::string::npos || type == std::string::npos) break;
        std::string const name = fields.substr(at + 2, end - at - 2);
        if (first.empty()) first = name;
        bool const number =
            type + 2 < fields.size() && std::string_view("fiucb").find(fields[type + 2]) != std::string_view::npos;
        if (number) field = name;
    }
    if (field.empty()) field = first.empty() ? "NAME" : first;
    throw InputError(Fault{file_, "header, descr", "one number an element",
                           "a structured dtype, " + fields.substr(0, 60) + (fields.size() > 60 ? "..." : ""),
                           "write one of its fields: numpy.save(FILE, a[\"" + field + "\"])"});
}

void DictionaryParser::element_type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') refuse_fields();
    header_.descr = quoted();
    std::string_view const descr = header_.descr;
    std::optional<DType> const dtype =
        descr.empty() || std::string_view("<>|=").find(descr.front()) == std::string_view::npos
            ? std::nullopt
            : dtype_of(descr.substr(1));
    if (!dtype)
        throw InputError(Fault{file_, "header, descr", "an element type among " + dtype_names(),
                               "'" + header_.descr + "'", descr == "|O" ? mend_object() : mend_type(descr)});
    header_.dtype = *dtype;
    header_.byte_order = descr.front() == '>' ? ByteOrder::big : ByteOrder::little;
}

std::string read_text(Storage const& storage, std::uint64_t offset, std::uint64_t length) {
    std::string text(length, '\0');
    storage.read_at(offset, std::as_writable_bytes(std::span(text)));
    return text;
}

[[noreturn]] void not_npy(Storage const& storage, std::string found) {
    refuse_kind(storage, "a .npy file of format version 1, 2 or 3", std::move(found),
                "write it with numpy.save, or name its real format in \"data\"");
}

}  // namespace

NpyHeader read_npy_header(Storage const& storage) {
    if (storage.size() < 10) not_npy(storage, "a file of " + std::to_string(storage.size()) + " bytes");
    std::string const prefix = read_text(storage, 0, std::min<std::uint64_t>(storage.size(), 12));
    if (!prefix.starts_with(magic)) not_npy(storage, "a file that begins otherwise");
    unsigned const version = static_cast<unsigned char>(prefix[6]);
    if (version < 1 || version > 3)
        throw InputError(Fault{storage.name(), "", "a .npy file of format version 1, 2 or 3",
                               "version " + std::to_string(version), "write it again with numpy.save"});
    std::size_t const length_bytes = version == 1 ? 2 : 4;
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < length_bytes && 8 + i < prefix.size(); ++i)
        length |= std::uint64_t{static_cast<unsigned char>(prefix[8 + i])} << (8 * i);
    check_header(storage.name(), Limit::npy_header, length);
    NpyHeader header;
    header.data_offset = 8 + length_bytes + length;
    require_inside(storage, 0, header.data_offset);
    std::string const text = read_text(storage, 8 + length_bytes, length);
    DictionaryParser(text, storage.name(), header).parse();
    return header;
}

namespace {

std::string descr_of(DType dtype) {
    if (dtype == DType::bf16) return "<V2";  // as numpy.save writes ml_dtypes.bfloat16
    std::size_t const bytes = size_of(dtype);
    char const letter = std::array{'b', 'i', 'f', 'c'}.at(static_cast<std::size_t>(kind(dtype)));
    return std::string(bytes == 1 ? "|" : "<") + (dtype == DType::u8 ? 'u' : letter) + std::to_string(bytes);
}

}  // namespace

std::string npy_header(DType dtype, Shape const& shape) {
    std::string text =
        "{'descr': '" + descr_of(dtype) + "', 'fortran_order': False, 'shape': " + to_string(shape) + ", }";
    std::size_t const length_bytes = text.size() + 128 < 65536 ? 2 : 4;
    std::size_t const prefix = magic.size() + 2 + length_bytes;
    text.append((64 - (prefix + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    std::string out(magic);
    out += length_bytes == 2 ? '\1' : '\2';
    out += '\0';
    for (std::size_t i = 0; i < length_bytes; ++i) out += static_cast<char>((text.size() >> (8 * i)) & 0xff);
    return out + text;
}

}  // namespace ein::tensor
