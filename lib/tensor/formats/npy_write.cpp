#include "lib/tensor/formats/npy_write.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/base/files/written_file.hpp"
#include "lib/tensor/box_runs.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/formats/whole_file.hpp"
#include "lib/tensor/tuning.hpp"

namespace ein::tensor {
namespace {

NpyUse output() { return {"--out", false}; }

std::uint64_t array_bytes(DType dtype, Shape const& shape) {
    std::optional<Extent> const count = checked_element_count(shape);
    std::uint64_t bytes = 0;
    promise(count && !__builtin_mul_overflow(static_cast<std::uint64_t>(*count), size_of(dtype), &bytes) &&
                bytes < (UINT64_MAX >> 2),
            "an array of fewer than 2^62 bytes is written");
    return bytes;
}

/// From the first element of a box to its last, in elements of the array.
struct Hull {
    std::uint64_t begin = 0, end = 0;
};
Hull hull(Box const& box, Shape const& shape) {
    Hull out;
    std::vector<Extent> const strides = row_major_strides(shape);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        out.begin += static_cast<std::uint64_t>(box.begin[axis] * strides[axis]);
        out.end += static_cast<std::uint64_t>((box.end(axis) - 1) * strides[axis]);
    }
    ++out.end;
    return out;
}

}  // namespace

void fail_write(std::filesystem::path const& file, std::string const& option, std::string const& what, int error) {
    std::string fix = "check the folder and its permissions, or choose another with " + option;
    if (error == ENOSPC || error == EDQUOT) fix = "free some space, or choose another folder with " + option;
    if (error == EFBIG) fix = "raise the limit on file sizes (ulimit -f), or choose another folder with " + option;
    throw RunError("cannot write " + file.string() + " (" + what + "): " + std::strerror(error) + "; " + fix);
}

DType npy_dtype(DType dtype) { return dtype == DType::bf16 ? DType::f32 : dtype; }

NpyWriter::NpyWriter(std::filesystem::path file, DType dtype, Shape shape, NpyUse use)
    : file_(std::move(file)), dtype_(dtype), shape_(std::move(shape)), use_(std::move(use)) {}

std::uint64_t NpyWriter::bytes() const { return array_bytes(stored(), shape_); }

void NpyWriter::check(int error, std::uint64_t needed) const {
    if (error != 0) fail_write(file_, use_.option, std::to_string(needed) + " bytes", error);
}

void NpyWriter::make() {
    Box const whole = Box::whole(shape_);
    make({&whole, 1});
}

void NpyWriter::make(std::span<Box const> boxes) {
    std::string const header = npy_header(stored(), shape_);
    check(written_.make(file_), header.size() + bytes());
    try {
        make_with(header, boxes);
    } catch (RunError const&) {
        ::unlink(file_.c_str());
        throw;
    }
}

void NpyWriter::make_with(std::string const& header, std::span<Box const> boxes) {
    std::uint64_t const whole = header.size() + bytes(), size = size_of(stored());
    check(written_.reserve_range(0, header.size()), whole);
    for (Box const& box : boxes) {
        if (box.empty()) continue;
        auto const [begin, end] = hull(box, shape_);
        check(written_.reserve_range(header.size() + begin * size, (end - begin) * size), whole);
    }
    check(written_.set_length(whole), whole);
    check(written_.write_at(0, std::as_bytes(std::span(header))), whole);
}

void NpyWriter::open_made() { check(written_.open_made(file_), bytes()); }
void NpyWriter::sync() { check(written_.sync(), bytes()); }
void NpyWriter::close() { check(written_.close(), bytes()); }

/// Writes elements of the dtype as they stand in the file, from byte `offset` on.
void NpyWriter::write_elements(std::uint64_t offset, std::span<std::byte const> elements) {
    if (dtype_ == stored()) return check(written_.write_at(offset, elements), elements.size());
    std::vector<std::byte> converted;
    std::size_t const from_size = size_of(dtype_), to_size = size_of(stored());
    for (std::size_t done = 0; done < elements.size() / from_size; done += tuning::converted_elements) {
        std::size_t const count = std::min(tuning::converted_elements, elements.size() / from_size - done);
        converted.resize(count * to_size);
        convert(dtype_, elements.data() + done * from_size, 1, stored(), converted.data(), count);
        check(written_.write_at(offset + done * to_size, converted), elements.size() / from_size * to_size);
    }
}

void NpyWriter::write(Box const& box, std::span<std::byte const> elements) {
    promise(box.order() == shape_.size() && Box::whole(shape_).contains(box), "a box inside its array is written");
    promise(elements.size() == static_cast<std::size_t>(box.elements()) * size_of(dtype_), "as many bytes as the box");
    if (box.empty()) return;
    std::uint64_t const data_offset = npy_header(stored(), shape_).size();
    std::size_t const size = size_of(dtype_), stored_size = size_of(stored());
    for_each_run(shape_, box, [&](Run const& run) {
        write_elements(
            data_offset + static_cast<std::uint64_t>(run.in_array) * stored_size,
            elements.subspan(static_cast<std::size_t>(run.in_box) * size, static_cast<std::size_t>(run.count) * size));
    });
}

void NpyWriter::begin_sync(Box const& box) const {
    if (box.empty()) return;
    auto const [begin, end] = hull(box, shape_);
    std::uint64_t const size = size_of(stored());
    written_.begin_sync(npy_header(stored(), shape_).size() + begin * size, (end - begin) * size);
}

void create_npy(std::filesystem::path const& file, DType dtype, Shape const& shape) {
    NpyWriter out(file, dtype, shape, output());
    out.make();
    try {
        out.close();
    } catch (RunError const&) {
        ::unlink(file.c_str());
        throw;
    }
}

void write_npy_box(std::filesystem::path const& file, DType dtype, Shape const& shape, Box const& box,
                   std::span<std::byte const> bytes) {
    if (box.empty()) return;
    NpyWriter out(file, dtype, shape, output());
    out.open_made();
    out.write(box, bytes);
    out.close();
}

void write_npy(std::filesystem::path const& file, HostTensor const& tensor) {
    write_whole_file(
        file, [&](auto const& name) { create_npy(name, tensor.dtype(), tensor.shape()); },
        [&](auto const& name) {
            write_npy_box(name, tensor.dtype(), tensor.shape(), Box::whole(tensor.shape()), tensor.bytes());
        });
}

}  // namespace ein::tensor
