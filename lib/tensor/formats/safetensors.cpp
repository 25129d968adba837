#include "lib/tensor/formats/safetensors.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"
#include "lib/base/limits.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/tensor/formats/file_kind.hpp"

namespace ein::tensor {
namespace {

struct TypeName {
    std::string_view name;
    DType dtype;
};
constexpr std::array<TypeName, 12> type_names{{{"F16", DType::f16},
                                               {"BF16", DType::bf16},
                                               {"F32", DType::f32},
                                               {"F64", DType::f64},
                                               {"C64", DType::c64},
                                               {"C128", DType::c128},
                                               {"I8", DType::i8},
                                               {"I16", DType::i16},
                                               {"I32", DType::i32},
                                               {"I64", DType::i64},
                                               {"U8", DType::u8},
                                               {"BOOL", DType::boolean}}};

std::optional<DType> dtype_of(std::string const& text) {
    for (TypeName const& entry : type_names)
        if (entry.name == text) return entry.dtype;
    return std::nullopt;
}

std::string type_list() {
    std::vector<std::string> names;
    for (TypeName const& entry : type_names) names.emplace_back(entry.name);
    return one_of(names);
}

std::string const fix_damaged = "the file is damaged: copy or write it again";

/// A list of integers that are not negative.
std::optional<std::vector<std::int64_t>> counts(Cursor const& list) {
    if (!list.expect_list()) return std::nullopt;
    std::vector<std::int64_t> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        std::optional<std::int64_t> const value = list.at(i).integer();
        if (!value) return std::nullopt;
        if (*value < 0) {
            list.at(i).fail("a number that is not negative", std::to_string(*value), fix_damaged);
            return std::nullopt;
        }
        out.push_back(*value);
    }
    return out;
}

bool has_keys(Cursor const& entry) {
    if (!entry.expect_object()) return false;
    for (std::string const key : {"dtype", "shape", "data_offsets"}) {
        if (entry.has(key)) continue;
        entry.fail("the key \"" + key + "\"", "none", fix_damaged);
        return false;
    }
    return true;
}

/// Checks that the tensor's place is inside the data and as long as its shape says.
void check_place(Cursor const& place, std::vector<std::int64_t> const& offsets, SafetensorsEntry const& entry,
                 std::uint64_t data_bytes) {
    if (offsets.size() != 2 || offsets[0] > offsets[1] || static_cast<std::uint64_t>(offsets[1]) > data_bytes) {
        place.fail("[begin, end] inside the " + std::to_string(data_bytes) + " bytes of data in the file",
                   brief(place.value()), "the file is cut short or damaged: copy or write it again");
        return;
    }
    std::optional<Extent> const elements = checked_element_count(entry.shape);
    std::int64_t bytes = 0;
    bool const fits =
        elements && !__builtin_mul_overflow(*elements, static_cast<std::int64_t>(size_of(entry.dtype)), &bytes);
    if (!fits || bytes != offsets[1] - offsets[0])
        place.fail((fits ? std::to_string(bytes) : "fewer than 2^63") + " bytes for " + to_string(entry.shape) +
                       " of " + std::string(name(entry.dtype)),
                   std::to_string(offsets[1] - offsets[0]), fix_damaged);
}

SafetensorsEntry read_entry(Cursor const& entry, std::uint64_t data_offset, std::uint64_t data_bytes) {
    SafetensorsEntry out;
    if (!has_keys(entry)) return out;
    std::optional<std::string> const type = entry.at("dtype").string();
    std::optional<DType> const dtype = type ? dtype_of(*type) : std::nullopt;
    if (type && !dtype)
        entry.at("dtype").fail(type_list(), "'" + *type + "'", "convert the tensor to one of these before saving it");
    auto const shape = counts(entry.at("shape"));
    auto const offsets = counts(entry.at("data_offsets"));
    if (!dtype || !shape || !offsets) return out;
    out.dtype = *dtype;
    out.shape = *shape;
    check_place(entry.at("data_offsets"), *offsets, out, data_bytes);
    if (!offsets->empty()) out.offset = data_offset + static_cast<std::uint64_t>(offsets->front());
    return out;
}

}  // namespace

SafetensorsDirectory::SafetensorsDirectory(Storage const& storage)
    : file_(storage.name()), file_bytes_(storage.size()) {
    auto refuse = [&](std::string found) {
        refuse_kind(storage, "a .safetensors file", std::move(found),
                    "check that this is the right file and that it is complete");
    };
    if (file_bytes_ < 8) refuse("a file of " + std::to_string(file_bytes_) + " bytes");
    std::array<std::byte, 8> length_bytes{};
    storage.read_at(0, length_bytes);
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < 8; ++i)
        length |= std::uint64_t{std::to_integer<std::uint8_t>(length_bytes[i])} << (8 * i);
    if (length > file_bytes_ - 8)
        refuse("a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(file_bytes_));
    check_header(file_, Limit::safetensors_header, length);
    std::string text(length, '\0');
    storage.read_at(8, std::as_writable_bytes(std::span(text)));
    data_offset_ = 8 + length;
    header_ = parse_json(text, file_);
    if (!header_.is_object()) refuse("a header that is " + describe(header_));
}

std::vector<std::string> SafetensorsDirectory::names() const {
    std::vector<std::string> out;
    for (auto const& [name, unused] : header_.items())
        if (name != "__metadata__") out.push_back(name);
    return out;
}

SafetensorsEntry SafetensorsDirectory::find(std::string const& tensor) const {
    if (tensor == "__metadata__" || !header_.contains(tensor))
        throw InputError(Fault{file_, "", "a tensor named '" + tensor + "'",
                               "none among its " + std::to_string(names().size()),
                               mend_names(tensor, names(), "the file")});
    Faults faults(file_);
    SafetensorsEntry const entry =
        read_entry(Cursor(header_, faults).at(tensor), data_offset_, file_bytes_ - data_offset_);
    faults.throw_if_any();
    return entry;
}

}  // namespace ein::tensor
