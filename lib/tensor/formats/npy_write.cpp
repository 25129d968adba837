#include "lib/tensor/formats/npy_write.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/files/run_lock.hpp"
#include "lib/base/files/temporary_name.hpp"
#include "lib/base/files/written_file.hpp"
#include "lib/tensor/box_runs.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

[[noreturn]] void fail(std::filesystem::path const& file, std::string const& what, int error) {
    std::string fix = "check the folder and its permissions, or choose another with --out";
    if (error == ENOSPC || error == EDQUOT) fix = "free some space, or choose another folder with --out";
    if (error == EFBIG) fix = "raise the limit on file sizes (ulimit -f), or choose another folder with --out";
    throw RunError("cannot write " + file.string() + " (" + what + "): " + std::strerror(error) + "; " + fix);
}

/// What is done to a file, with a message that says how many bytes it was to take.
class NpyFile {
public:
    NpyFile(std::filesystem::path const& file, std::string what) : file_(file), what_(std::move(what)) {}

    void make() { check(written_.make(file_)); }
    void open_made() { check(written_.open_made(file_)); }
    void reserve(std::uint64_t bytes) { check(written_.reserve(bytes)); }
    void write_at(std::uint64_t offset, std::span<std::byte const> bytes) { check(written_.write_at(offset, bytes)); }
    void close() { check(written_.close()); }

private:
    void check(int error) const {
        if (error != 0) fail(file_, what_, error);
    }

    std::filesystem::path file_;
    std::string what_;
    WrittenFile written_;
};

std::string needs(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

std::uint64_t array_bytes(DType dtype, Shape const& shape) {
    std::optional<Extent> const count = checked_element_count(shape);
    std::uint64_t bytes = 0;
    promise(count && !__builtin_mul_overflow(static_cast<std::uint64_t>(*count), size_of(dtype), &bytes) &&
                bytes < (UINT64_MAX >> 2),
            "an array of fewer than 2^62 bytes is written");
    return bytes;
}

/// `count` elements of `dtype` as they stand in the file, written from byte `offset` on.
void write_elements(NpyFile& out, DType dtype, std::uint64_t offset, std::span<std::byte const> bytes) {
    if (dtype == npy_dtype(dtype)) return out.write_at(offset, bytes);
    std::vector<std::byte> converted;
    std::size_t const from_size = size_of(dtype), to_size = size_of(npy_dtype(dtype));
    for (std::size_t done = 0; done < bytes.size() / from_size; done += tuning::converted_elements) {
        std::size_t const count = std::min(tuning::converted_elements, bytes.size() / from_size - done);
        converted.resize(count * to_size);
        convert(dtype, bytes.data() + done * from_size, 1, npy_dtype(dtype), converted.data(), count);
        out.write_at(offset + done * to_size, converted);
    }
}

}  // namespace

DType npy_dtype(DType dtype) { return dtype == DType::bf16 ? DType::f32 : dtype; }

void create_npy(std::filesystem::path const& file, DType dtype, Shape const& shape) {
    std::string const header = npy_header(npy_dtype(dtype), shape);
    std::uint64_t const bytes = header.size() + array_bytes(npy_dtype(dtype), shape);
    NpyFile out(file, needs(bytes));
    out.make();
    try {
        out.reserve(bytes);
        out.write_at(0, std::as_bytes(std::span(header)));
        out.close();
    } catch (RunError const&) {
        ::unlink(file.c_str());
        throw;
    }
}

void write_npy_box(std::filesystem::path const& file, DType dtype, Shape const& shape, Box const& box,
                   std::span<std::byte const> bytes) {
    promise(box.order() == shape.size() && Box::whole(shape).contains(box), "a box inside its array is written");
    promise(bytes.size() == static_cast<std::size_t>(box.elements()) * size_of(dtype), "as many bytes as the box has");
    if (box.empty()) return;
    std::uint64_t const data_offset = npy_header(npy_dtype(dtype), shape).size();
    std::size_t const size = size_of(dtype), stored_size = size_of(npy_dtype(dtype));
    NpyFile out(file, needs(static_cast<std::uint64_t>(box.elements()) * stored_size));
    out.open_made();
    for_each_run(shape, box, [&](Run const& run) {
        write_elements(
            out, dtype, data_offset + static_cast<std::uint64_t>(run.in_array) * stored_size,
            bytes.subspan(static_cast<std::size_t>(run.in_box) * size, static_cast<std::size_t>(run.count) * size));
    });
    out.close();
}

void write_npy(std::filesystem::path const& file, HostTensor const& tensor) {
    sweep_leftovers(file.parent_path(), {file});
    RunLock lock;
    std::filesystem::path temporary;
    do {
        temporary = temporary_path(file, unique_name());
        create_npy(temporary, tensor.dtype(), tensor.shape());
    } while (!lock.hold(temporary));
    try {
        write_npy_box(temporary, tensor.dtype(), tensor.shape(), Box::whole(tensor.shape()), tensor.bytes());
        if (int const error = rename_complete(temporary, file)) fail(file, "renaming " + temporary.string(), error);
    } catch (RunError const&) {
        ::unlink(temporary.c_str());
        throw;
    }
}

}  // namespace ein::tensor
