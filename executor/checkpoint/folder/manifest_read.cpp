#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <type_traits>

#include "executor/checkpoint/folder/checkpoint_number.hpp"
#include "executor/checkpoint/folder/manifest.hpp"
#include "executor/checkpoint/folder/manifest_text.hpp"
#include "lib/base/error.hpp"

namespace ein::executor {

namespace {

constexpr char const* fix = "the file was damaged or edited: use another checkpoint";
constexpr std::int64_t most_integer = std::int64_t{1} << 62;

/// An object of the manifest. What is wrong is added to the faults, and something harmless read instead.
class Fields {
public:
    explicit Fields(Cursor cursor) : cursor_(std::move(cursor)) {}

    template <class Read>
    std::invoke_result_t<Read, Cursor const&> field(char const* key, Read read) const {
        if (cursor_.has(key)) return read(cursor_.at(key));
        cursor_.fail(std::string("the key '") + key + "'", "none", fix);
        return {};
    }

    std::string text(char const* key) const { return field(key, text_of); }
    std::uint64_t digits(char const* key) const { return field(key, hash_at); }
    double number(char const* key) const {
        return field(key, [](Cursor const& at) { return at.number().value_or(0); });
    }
    std::int64_t integer(char const* key, std::int64_t least, std::int64_t most) const {
        return field(key, [&](Cursor const& at) { return integer_of(at, least, most); });
    }
    std::vector<std::int64_t> integers(char const* key) const {
        return list<std::int64_t>(key, [](Cursor const& at) { return integer_of(at, 0, most_integer); });
    }

    template <class Item, class Read>
    std::vector<Item> list(char const* key, Read read) const {
        return field(key, [&](Cursor const& at) {
            std::vector<Item> out;
            if (at.expect_list())
                for (std::size_t i = 0; i < at.size(); ++i) out.push_back(read(at.at(i)));
            return out;
        });
    }

    static std::int64_t integer_of(Cursor const& at, std::int64_t least, std::int64_t most) {
        std::optional<std::int64_t> const value = at.integer();
        if (value && *value >= least && *value <= most) return *value;
        if (value)
            at.fail("a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                    std::to_string(*value), fix);
        return least;
    }

    /// Text, or bytes as {"hex": "2f74..."}.
    static std::string text_of(Cursor const& at) {
        if (!at.has("hex")) return at.string().value_or("");
        return bytes_of(at.at("hex"));
    }

    /// Two hexadecimal digits a byte.
    static std::string bytes_of(Cursor const& at) {
        std::string const pairs = at.string().value_or("");
        std::string out;
        for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
            unsigned byte = 0;
            if (!is_hex(pairs.data() + i, pairs.data() + i + 2, byte))
                return at.fail("pairs of hexadecimal digits", pairs.substr(i, 2), fix), out;
            out += static_cast<char>(byte);
        }
        return out;
    }

    static std::uint64_t hash_at(Cursor const& at) {
        std::uint64_t value = 0;
        std::string const digits = at.string().value_or("0000000000000000");
        if (digits.size() != 16 || !is_hex(digits.data(), digits.data() + 16, value))
            at.fail("16 hexadecimal digits", "'" + digits + "'", fix);
        return value;
    }

private:
    template <class Number>
    static bool is_hex(char const* begin, char const* end, Number& out) {
        auto const [at, error] = std::from_chars(begin, end, out, 16);
        return error == std::errc() && at == end;
    }

    Cursor cursor_;
};

/// Whether a name in the manifest is one in its own folder.
bool is_plain(std::string const& file) {
    return !file.empty() && file.front() != '.' && file.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}
bool is_plain(std::string const& file, char const* ending) {
    return file.size() > 4 && file.ends_with(ending) && is_plain(file);
}

NamedInput input_of(Cursor const& at) {
    NamedInput out;
    if (!at.expect_object()) return out;
    Fields const fields(at);
    out.tensor = fields.text("tensor");
    out.source = fields.text("source");
    if (at.has("copy")) out.copy = fields.text("copy");
    bool const in_a_checkpoint = out.copy.size() > 7 && is_checkpoint_number(out.copy.substr(0, 6)) &&
                                 out.copy[6] == '/' && is_plain(out.copy.substr(7));
    if (!out.copy.empty() && !in_a_checkpoint)
        at.at("copy").fail("a file of a checkpoint, as 000001/X.npy", "'" + out.copy + "'", fix);
    if (!at.has("file") || !at.at("file").expect_object()) return out;
    Fields const file(at.at("file"));
    out.file = {static_cast<std::uint64_t>(file.integer("bytes", 0, most_integer)), file.digits("checksum")};
    return out;
}

SavedBox box_of(Cursor const& at, Shape const& shape, bool sparse) {
    SavedBox out;
    if (!at.expect_object()) return out;
    Fields const fields(at);
    out.box = {fields.integers("begin"), fields.integers("length")};
    out.hash = fields.digits("hash");
    bool const inside = out.box.begin.size() == shape.size() && out.box.length.size() == shape.size() &&
                        std::ranges::all_of(out.box.length, [&, axis = 0UL](Extent length) mutable {
                            Extent const begin = out.box.begin[axis];
                            return begin <= shape[axis] && length <= shape[axis++] - begin;
                        });
    if (!inside) return at.fail("a box inside " + to_string(shape), brief(at.value()), fix), SavedBox{};
    if (sparse) out.listed = fields.integer("listed", 0, out.box.elements());
    return out;
}

DType dtype_of(Cursor const& at) {
    std::string const text = at.string().value_or("f32");
    for (int i = 0; i < dtype_count; ++i)
        if (name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
    at.fail("one of " + dtype_names(), "'" + text + "'", fix);
    return DType::f32;
}

void check_size(Cursor const& at, SavedValue const& value) {
    std::optional<Extent> const count = checked_element_count(value.shape);
    if (!count || *count > most_integer / static_cast<Extent>(size_of(value.dtype)))
        at.fail("a shape of fewer than 2^62 bytes", to_string(value.shape), fix);
}

bool boolean_of(Cursor const& at) { return at.boolean().value_or(false); }

void check_listed(Cursor const& at, SavedValue const& value) {
    Extent listed = 0;
    bool fits = true;
    for (SavedBox const& saved : value.boxes) fits = fits && !__builtin_add_overflow(listed, saved.listed, &listed);
    auto const most = most_integer / static_cast<Extent>(8 * value.shape.size() + size_of(value.dtype));
    if (!fits || listed > most) at.fail("fewer than 2^62 bytes of listed elements", brief(at.value()), fix);
}

/// What sparse values have besides.
void read_sparse(Cursor const& at, Fields const& fields, SavedValue& out) {
    out.frame = fields.digits("frame");
    std::string const fill = fields.field("fill", Fields::bytes_of);
    if (fill.size() != size_of(out.dtype))
        at.fail("a fill of " + std::to_string(size_of(out.dtype)) + " bytes", std::to_string(fill.size()), fix);
    out.fill.resize(size_of(out.dtype));
    std::memcpy(out.fill.data(), fill.data(), std::min(fill.size(), out.fill.size()));
}

SavedValue value_of(Cursor const& at) {
    SavedValue out;
    if (!at.expect_object()) return out;
    Fields const fields(at);
    out.name = fields.text("name");
    out.file = fields.text("file");
    bool const sparse = at.has("sparse") && fields.field("sparse", boolean_of);
    char const* const ending = sparse ? ".npz" : ".npy";
    if (!is_plain(out.file, ending))
        at.fail(std::string("the name of a ") + ending + " file in this folder", "'" + out.file + "'", fix);
    out.dtype = fields.field("dtype", dtype_of);
    out.shape = fields.integers("shape");
    check_size(at, out);
    if (sparse) read_sparse(at, fields, out);
    out.boxes = fields.list<SavedBox>("boxes", [&](Cursor const& box) { return box_of(box, out.shape, sparse); });
    if (sparse) check_listed(at, out);
    return out;
}

SavedCopy copy_of(Cursor const& at) {
    SavedCopy out;
    if (!at.expect_object()) return out;
    Fields const fields(at);
    out.file = fields.text("file");
    if (!is_plain(out.file)) at.fail("the name of a file in this folder", "'" + out.file + "'", fix);
    out.bytes = static_cast<std::uint64_t>(fields.integer("bytes", 0, most_integer));
    out.hashes = fields.list<std::uint64_t>("hashes", Fields::hash_at);
    if (out.hashes.size() != pieces_of(out.bytes))
        at.fail(std::to_string(pieces_of(out.bytes)) + " hashes", std::to_string(out.hashes.size()), fix);
    return out;
}

std::map<std::string, double> params_of(Cursor const& at) {
    std::map<std::string, double> out;
    if (!at.expect_object()) return out;
    for (auto const& [key, value] : at.value().items()) out[key] = at.at(key).number().value_or(0);
    return out;
}

std::optional<SavedRest> rest_of(Cursor const& at) {
    if (!at.has("rest") || !at.at("rest").expect_object()) return std::nullopt;
    Fields const fields(at.at("rest"));
    return SavedRest{static_cast<std::uint64_t>(fields.integer("bytes", 0, most_integer)), fields.digits("hash")};
}

/// Refuses what was changed after it was written: what is read below is as it was written.
void check_document(Cursor const& at) {
    if (!at.expect_object()) return;
    Fields const fields(at);
    std::int64_t const format = fields.integer("checkpoint", 0, most_integer);
    if (!at.has("checkpoint")) return;
    if (format != manifest_format)
        return at.at("checkpoint")
            .fail("a checkpoint of format " + std::to_string(manifest_format), brief(at.value()["checkpoint"]),
                  "go on with the version of Einloom that wrote it");
    std::string const found = fields.text("checksum"), expected = checksum_of(at.value());
    if (at.has("checksum") && found != expected) at.at("checksum").fail(expected, found, fix);
}

std::string number_of(Cursor const& at) {
    std::string const number = Fields::text_of(at);
    if (!is_checkpoint_number(number)) at.fail("six digits", "'" + number + "'", fix);
    return number;
}

void check_files_differ(Cursor const& at, Manifest const& manifest) {
    std::set<std::string> files;
    for (SavedValue const& value : manifest.values)
        if (!files.insert(value.file).second)
            at.at("values").fail("a file for each value", "'" + value.file + "' twice", fix);
    files.insert({"manifest.json", "rest.json"});
    for (SavedCopy const& copy : manifest.copies)
        if (!files.insert(copy.file).second)
            at.at("copies").fail("a file for each copy", "'" + copy.file + "' twice", fix);
}

Manifest read_fields(Cursor const& at) {
    Fields const fields(at);
    Manifest out;
    out.version = fields.text("version");
    out.schedule_hash = fields.text("schedule");
    out.graph_hash = fields.text("graph");
    out.device = fields.text("device");
    for (std::string const& base : fields.list<std::string>("bases", number_of)) out.bases.insert(base);
    out.ranks = static_cast<int>(fields.integer("ranks", 1, INT32_MAX));
    out.nodes = static_cast<std::int32_t>(fields.integer("nodes", 0, INT32_MAX));
    out.iterations = fields.integers("iterations");
    out.begun = fields.integers("begun");
    out.tasks_done = fields.integer("tasks_done", 0, most_integer);
    out.seconds = fields.number("seconds");
    out.time = fields.text("time");
    out.params = fields.field("params", params_of);
    out.inputs = fields.list<NamedInput>("inputs", input_of);
    out.values = fields.list<SavedValue>("values", value_of);
    if (at.has("copies")) out.copies = fields.list<SavedCopy>("copies", copy_of);
    out.rest = rest_of(at);
    check_files_differ(at, out);
    return out;
}

}  // namespace

Manifest manifest_from(std::string const& text, std::string const& file) {
    Json const document = parse_json(text, file);
    Faults faults(file);
    Cursor const cursor(document, faults);
    check_document(cursor);
    faults.throw_if_any();
    Manifest manifest = read_fields(cursor);
    faults.throw_if_any();
    return manifest;
}

}  // namespace ein::executor
