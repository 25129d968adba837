#include "lib/tensor/formats/file_reader.hpp"

#include <algorithm>

#include "lib/base/box.hpp"
#include "lib/base/error.hpp"
#include "lib/base/files/input_file.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/file_kind.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/formats/raw_doubts.hpp"
#include "lib/tensor/formats/safetensors.hpp"
#include "lib/tensor/formats/zip.hpp"
#include "lib/tensor/read_back.hpp"
#include "lib/tensor/sparse/files/sparse_files.hpp"
#include "lib/tensor/storage/recent_cache.hpp"
#include "lib/tensor/storage/stored_array.hpp"

namespace ein::tensor {
namespace {

/// Reads boxes of a stored array, converting f32 to bf16 on the way when that is what the file has.
class ArrayReader : public Reader {
public:
    ArrayReader(StoredArray array, DType stored, DType dtype)
        : array_(std::move(array)), stored_(stored), dtype_(dtype) {}

    void read(Box const& box, std::span<std::byte> out) const override {
        if (stored_ == dtype_) return read_box(array_, box, out);
        std::vector<std::byte> elements(static_cast<std::size_t>(box.elements()) * size_of(stored_));
        read_box(array_, box, elements);
        convert(stored_, elements.data(), 1, dtype_, out.data(), static_cast<std::size_t>(box.elements()));
    }
    bool reads_in_parts() const override {
        return array_.axis_order == AxisOrder::c && array_.storage->reads_anywhere();
    }

private:
    StoredArray array_;
    DType stored_, dtype_;
};

/// Bytes of a whole tensor. @throws InputError when 64 bits do not hold them
std::uint64_t tensor_bytes(std::string const& file, std::string const& tensor, DType dtype, Shape const& shape) {
    std::optional<Extent> const count = checked_element_count(shape);
    std::uint64_t bytes = 0;
    if (!count || __builtin_mul_overflow(static_cast<std::uint64_t>(*count), size_of(dtype), &bytes) ||
        bytes > (UINT64_MAX >> 1))
        throw InputError(Fault{file, "tensor '" + tensor + "'", "fewer than 2^63 bytes", "shape " + to_string(shape),
                               "correct the shape"});
    return bytes;
}

/// What may follow a tensor's last byte in its file.
enum class After { nothing, anything };

/// Refuses a file that is shorter than its header, or the declared tensor, promises, or longer where nothing may
/// follow.
void check_length(Storage const& storage, std::string const& tensor, std::uint64_t offset, DType dtype,
                  Shape const& shape, After after, std::string const& fix_of_longer = "") {
    std::uint64_t const bytes = tensor_bytes(storage.name(), tensor, dtype, shape);
    bool const whole = offset <= storage.size() && bytes <= storage.size() - offset;
    if (whole && (after == After::anything || offset + bytes == storage.size())) return;
    throw InputError(Fault{storage.name(), "tensor '" + tensor + "'",
                           (after == After::anything ? "at least " : "") + std::to_string(offset + bytes) + " bytes (" +
                               std::to_string(bytes) + " for " + to_string(shape) + " of " + std::string(name(dtype)) +
                               " from byte " + std::to_string(offset) + " on)",
                           std::to_string(storage.size()) + " bytes",
                           whole ? fix_of_longer : "the file is cut short: copy or write it again"});
}

/// An .npy file, or entry of an archive, holds one array.
void check_npy_length(Storage const& storage, std::string const& tensor, NpyHeader const& header) {
    check_length(storage, tensor, header.data_offset, header.dtype, header.shape, After::nothing,
                 "the file is damaged or has more than one array: write one array a file");
}

std::size_t number_bytes(DType dtype) { return is_complex(dtype) ? size_of(dtype) / 2 : size_of(dtype); }

std::unique_ptr<Reader> make_reader(StoragePtr storage, std::uint64_t offset, DType stored, Wanted const& wanted,
                                    AxisOrder axis_order = AxisOrder::c, ByteOrder byte_order = ByteOrder::little) {
    StoredArray array{std::move(storage),   offset,     wanted.shape, size_of(stored),
                      number_bytes(stored), axis_order, byte_order};
    return std::make_unique<ArrayReader>(std::move(array), stored, wanted.dtype);
}

std::unique_ptr<Reader> open_npy_storage(StoragePtr storage, Source const& source, Wanted const& wanted) {
    NpyHeader const header = read_npy_header(*storage);
    check_contents(storage->name(), source, wanted, header.dtype, header.shape);
    check_npy_length(*storage, wanted.name, header);
    return make_reader(std::move(storage), header.data_offset, header.dtype, wanted, header.axis_order,
                       header.byte_order);
}

}  // namespace

namespace {

/// How NumPy calls it: "float32" for f32.
std::string numpy_name(DType dtype) {
    if (dtype == DType::boolean) return "bool";
    std::string const text(name(dtype));
    std::string const bits = text.substr(text.find_first_of("0123456789"));
    switch (text.front()) {
        case 'i': return "int" + bits;
        case 'u': return "uint" + bits;
        case 'c': return "complex" + bits;
        default: return "float" + bits;
    }
}

/// Where the file has the same elements under a shape that is near.
std::string mend_shape(Shape const& found, Shape const& wanted) {
    std::string const declare = "declare \"shape\": " + index_text(found);
    auto const squeezed = [](Shape shape) { return std::erase(shape, 1), shape; };
    if (squeezed(found) == squeezed(wanted))
        return declare + " or reshape what is in the file: a.reshape" + to_string(wanted);
    if (found == Shape(wanted.rbegin(), wanted.rend())) return declare + ", or transpose what is in the file: a.T";
    return declare + " with this file as the tensor's data, and plan again; or give another file";
}

}  // namespace

void check_contents(std::string const& file, Source const& source, Wanted const& wanted, DType dtype,
                    Shape const& shape) {
    Faults faults(file);
    if (!may_be_read_as(source, dtype, wanted.dtype))
        faults.add("tensor '" + wanted.name + "'", std::string(name(wanted.dtype)), std::string(name(dtype)),
                   "convert what is in the file" +
                       (wanted.dtype == DType::bf16 ? "" : ": a.astype(\"" + numpy_name(wanted.dtype) + "\")") +
                       ", or write \"dtype\": \"" + std::string(name(dtype)) +
                       "\" with this file as the tensor's \"data\", and plan again");
    if (!may_be_read_as(source, shape, wanted.shape))
        faults.add("tensor '" + wanted.name + "'", "shape " + to_string(wanted.shape), "shape " + to_string(shape),
                   mend_shape(shape, wanted.shape));
    faults.throw_if_any();
}

namespace {

/// For a path that is written as seen from the folder where the program runs, or "". Only one that is no way out of
/// --inputs-below is looked at.
std::string seen_from_here(Asker const& wanted, std::string const& file) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path const folder = wanted.folder.empty() ? "." : wanted.folder;
    if (!fs::path(file).is_relative() || fs::equivalent(folder, ".", error) || !may_be_input(file)) return "";
    return "\"" + file + "\" is a path from the working folder: write it as seen from the graph, \"" +
           fs::relative(file, folder, error).string() + "\"";
}

}  // namespace

std::shared_ptr<FileStorage const> open_for(Asker const& wanted, std::string const& file) {
    auto const asked_for = [&](InputError const& error) {
        Fault fault = error.faults().front();
        fault.where = "tensor '" + wanted.name + "'";
        if (std::string mend = seen_from_here(wanted, file); !mend.empty()) fault.fix = std::move(mend);
        fault.fix = or_else(fault.fix, "give another with --input " + wanted.name + "=FILE");
        return fault;
    };
    try {
        return open_file(path_in(wanted.folder, file));
    } catch (UnopenedFile const& error) {
        throw UnopenedFile(asked_for(error));
    } catch (InputError const& error) {
        throw InputError(asked_for(error));
    }
}

std::filesystem::path path_in(std::filesystem::path const& folder, std::string const& file) {
    std::filesystem::path path;
    for (auto const& part : folder / file)
        if (part != ".") path /= part;
    return path.empty() ? folder / file : path;
}

/// Whether each axis of `shape` is the product of consecutive axes of `parts`, as of [64, 172] and [4, 2, 8, 172]; axes
/// of extent 1 are free.
bool is_split(Shape const& shape, Shape const& parts) {
    std::size_t axis = 0;
    Extent rest = 1;  // of the axis that parts are taken from
    for (Extent const part : parts) {
        while (rest == 1 && part != 1) {
            if (axis == shape.size()) return false;
            rest = shape[axis++];
        }
        if (part == 0 || rest % part != 0) return false;
        rest /= part;
    }
    return rest == 1 &&
           std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end(), [](Extent e) { return e == 1; });
}

std::unique_ptr<Reader> open_npy(NpySource const& source, Wanted const& wanted) {
    return open_npy_storage(open_for(wanted, source.file), source, wanted);
}

std::unique_ptr<Reader> open_written(WrittenOutput const& output, std::string const& name, DType dtype,
                                     Shape const& shape) {
    std::filesystem::path const here;
    Wanted const wanted{{name, here}, dtype, shape};
    auto file = open_file(output.file, WrittenBy::this_run);
    if (output.fill) return scatter(list_scipy(std::move(file), {wanted, *output.fill}), *output.fill);
    return open_npy_storage(std::move(file), NpySource{output.file.string()}, wanted);
}

FileContents npy_contents(std::filesystem::path const& file) {
    auto const storage = open_file(file);
    NpyHeader const header = read_npy_header(*storage);
    check_npy_length(*storage, file.stem().string(), header);
    return {header.dtype, header.shape};
}

FileContents npy_contents(NpySource const& source, Asker const& asker) {
    auto const file = open_for(asker, source.file);
    NpyHeader const header = read_npy_header(*file);
    check_npy_length(*file, asker.name, header);
    return {header.dtype, header.shape};
}

namespace {

using ZipDirectory = std::vector<ZipEntry>;

ZipEntry const* find_entry(ZipDirectory const& directory, std::string const& wanted) {
    for (std::string const& name : {wanted, wanted + ".npy"})
        for (ZipEntry const& entry : directory)
            if (entry.name == name) return &entry;
    return nullptr;
}

/// Whether scipy.sparse.save_npz or sparse.save_npz wrote it.
bool is_of_sparse(ZipDirectory const& directory) {
    auto const has = [&](char const* name) { return find_entry(directory, name) != nullptr; };
    return has("data") && has("shape") && (has("format") || has("coords"));
}

/// A near name; where there is none, how the first entry is named.
std::string mend_entry(std::string const& entry, std::string const& file, std::string const& tensor,
                       std::vector<std::string> const& names) {
    std::string mend = mend_names(entry, names, "the file");
    if (names.empty() || mend.starts_with("did you mean")) return mend;
    return mend + "; write \"entry\": \"" + names.front() + "\" in the graph, or --input " + tensor + "=" +
           std::filesystem::path(file).filename().string() + ":" + names.front();
}

ZipEntry const& find_entry(ZipDirectory const& directory, std::string const& file, NpzSource const& source,
                           Asker const& wanted) {
    if (ZipEntry const* const found = find_entry(directory, source.entry)) return *found;
    std::vector<std::string> names;
    for (ZipEntry const& entry : directory)
        names.push_back(entry.name.ends_with(".npy") ? entry.name.substr(0, entry.name.size() - 4) : entry.name);
    throw InputError(Fault{file, "tensor '" + wanted.name + "'", "an entry '" + source.entry + "'",
                           "none among its " + std::to_string(names.size()),
                           is_of_sparse(directory) ? "it is a sparse matrix of SciPy: write \"sparse\": true, "
                                                     "\"data\": {\"scipy\": \"" +
                                                         source.file + "\"}"
                                                   : mend_entry(source.entry, file, wanted.name, names)});
}

std::shared_ptr<ZipDirectory const> npz_directory(std::shared_ptr<FileStorage const> const& file) {
    static RecentCache<FileIdentity, ZipDirectory> directories(16);
    return directories.find_or_make(file->identity(),
                                    [&] { return std::make_shared<ZipDirectory const>(read_zip_directory(*file)); });
}

std::shared_ptr<SafetensorsDirectory const> safetensors_directory(std::shared_ptr<FileStorage const> const& file) {
    static RecentCache<FileIdentity, SafetensorsDirectory> directories(16);
    return directories.find_or_make(file->identity(),
                                    [&] { return std::make_shared<SafetensorsDirectory const>(*file); });
}

/// Directories and entries are shared by the readers of one file, so that each entry is checked once; the index of a
/// deflated one takes memory, so few of these are kept.
StoragePtr open_shared(std::shared_ptr<FileStorage const> const& file, ZipEntry const& entry) {
    static RecentCache<std::pair<FileIdentity, std::string>, Storage> stored(4096), deflated(16);
    return (entry.method == 0 ? stored : deflated).find_or_make({file->identity(), entry.name}, [&] {
        return open_entry(file, entry);
    });
}

}  // namespace

StoragePtr npz_entry(std::shared_ptr<FileStorage const> const& file, std::string const& entry) {
    auto const directory = npz_directory(file);
    ZipEntry const* const found = find_entry(*directory, entry);
    return found ? open_shared(file, *found) : nullptr;
}

std::unique_ptr<Reader> open_npz(NpzSource const& source, Wanted const& wanted) {
    auto const file = open_for(wanted, source.file);
    auto const directory = npz_directory(file);
    return open_npy_storage(open_shared(file, find_entry(*directory, file->name(), source, wanted)), source, wanted);
}

FileContents npz_contents(NpzSource const& source, Asker const& asker) {
    constexpr std::uint64_t usual_header = 1 << 16;
    auto const file = open_for(asker, source.file);
    auto const directory = npz_directory(file);
    ZipEntry const entry = find_entry(*directory, file->name(), source, asker);
    NpyHeader const header = read_npy_header(*entry_beginning(file, entry, usual_header));
    return {header.dtype, header.shape, is_of_sparse(*directory)};
}

std::unique_ptr<Reader> open_safetensors(SafetensorsSource const& source, Wanted const& wanted) {
    auto file = open_for(wanted, source.file);
    SafetensorsEntry const entry = safetensors_directory(file)->find(source.tensor);
    check_contents(file->name(), source, wanted, entry.dtype, entry.shape);
    check_length(*file, wanted.name, entry.offset, entry.dtype, entry.shape, After::anything);
    return make_reader(std::move(file), entry.offset, entry.dtype, wanted);
}

FileContents safetensors_contents(SafetensorsSource const& source, Asker const& asker) {
    SafetensorsEntry const entry = safetensors_directory(open_for(asker, source.file))->find(source.tensor);
    return {entry.dtype, entry.shape};
}

namespace {

/// The dtypes of which a shape takes so many bytes: "\"f64\", \"c64\" or \"i64\""; none whose numbers would be odd.
std::string dtypes_of_length(Storage const& file, std::uint64_t offset, Wanted const& wanted) {
    std::uint64_t const bytes = file.size() - std::min(offset, file.size());
    std::vector<std::string> names;
    auto const elements = static_cast<std::uint64_t>(element_count(wanted.shape));
    for (DType const dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::c64, DType::c128, DType::i64,
                              DType::i32, DType::i16, DType::i8, DType::u8})
        if (elements > 0 && bytes == elements * size_of(dtype) && !is_doubtful(file, offset, dtype, wanted.shape))
            names.push_back("\"" + std::string(name(dtype)) + "\"");
    return names.empty() ? "" : one_of(names);
}

/// A raw file has no header; one of another length than its tensor may be of a kind that has.
void check_raw_length(Storage const& file, RawSource const& source, std::uint64_t offset, Wanted const& wanted) {
    try {
        check_length(file, wanted.name, offset, wanted.dtype, wanted.shape,
                     source.offset ? After::anything : After::nothing,
                     "correct the shape or dtype, or give \"offset\": with it the file may have more than the tensor");
    } catch (InputError const& error) {
        auto const kind = file_kind(file);
        Fault fault = error.faults().front();
        if (!kind) {
            std::uint64_t const bytes = file.size() - std::min(offset, file.size());
            std::string const dtypes = dtypes_of_length(file, offset, wanted);
            auto const fits = shape_of_length(bytes, wanted.dtype, wanted.shape);
            if (fits && !is_doubtful(file, offset, wanted.dtype, *fits))
                fault.fix = "write \"shape\": " + index_text(*fits) + ", of which " + std::string(name(wanted.dtype)) +
                            " takes so many bytes, or " + fault.fix;
            if (!dtypes.empty())
                fault.fix = "write \"dtype\": " + dtypes + ", which this shape takes so many bytes of, or " + fault.fix;
            throw InputError(fault);
        }
        fault.found += " of " + found_text(*kind);
        fault.fix = kind->mend;
        throw InputError(fault);
    }
}

}  // namespace

std::unique_ptr<Reader> open_raw(RawSource const& source, Wanted const& wanted) {
    auto file = open_for(wanted, source.file);
    if (source.offset.value_or(0) < 0)
        throw InputError(Fault{file->name(), "tensor '" + wanted.name + "'", "an offset in bytes, 0 or more",
                               std::to_string(*source.offset), "correct \"offset\""});
    auto const offset = static_cast<std::uint64_t>(source.offset.value_or(0));
    check_raw_length(*file, source, offset, wanted);
    return make_reader(std::move(file), offset, wanted.dtype, wanted);
}

}  // namespace ein::tensor
