// Bytes as a .npy, .safetensors or .npz file: the first byte chooses. Whatever they are, reading ends with a tensor or
// an InputError, within memory that the bytes can account for.
#include <cstdint>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/tensor/formats/npy_header.hpp"
#include "lib/tensor/formats/safetensors.hpp"
#include "lib/tensor/formats/zip.hpp"
#include "lib/tensor/storage/stored_array.hpp"
#include "tests/fuzz/mutate.hpp"

namespace {

using namespace ein;
using namespace ein::tensor;

/// Reads the last element of what a header describes, as far as it is inside the bytes.
void read_npy(StoragePtr const& storage) {
    NpyHeader const header = read_npy_header(*storage);
    StoredArray const array{
        storage,           header.data_offset, header.shape, size_of(header.dtype), size_of(header.dtype),
        header.axis_order, header.byte_order};
    Box box = Box::whole(header.shape);
    for (std::size_t axis = 0; axis < box.order(); ++axis) {
        if (box.length[axis] == 0) return;
        box.begin[axis] = box.length[axis] - 1;
        box.length[axis] = 1;
    }
    require_inside(*storage, header.data_offset, 0);
    if (element_count(header.shape) > static_cast<Extent>(storage->size()))
        return;  // refused by its length before any read
    std::vector<std::byte> element(size_of(header.dtype));
    read_box(array, box, element);
}

void read_npz(StoragePtr const& storage) {
    for (ZipEntry const& entry : read_zip_directory(*storage)) {
        try {
            read_npy(open_entry(storage, entry));
        } catch (InputError const&) {
        }
    }
}

void read_safetensors(StoragePtr const& storage) {
    SafetensorsDirectory const directory(*storage);
    for (std::string const& name : directory.names()) {
        try {
            SafetensorsEntry const entry = directory.find(name);
            promise(entry.offset <= storage->size(), "a checked tensor is inside its file");
        } catch (InputError const&) {
        }
    }
}

/// The length of the header that follows it, in `count` bytes, the lowest first.
std::size_t length_at(fuzz::Bytes const& input, std::size_t at, std::size_t count) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < count; ++i) length |= static_cast<std::size_t>(input[at + i]) << (8 * i);
    return length;
}

/// Changes the text of a header and keeps the length that stands before it true.
/// @return false where no such header is
bool mutate_header(fuzz::Bytes& input, std::size_t at, std::size_t count, fuzz::Bytes const& other,
                   fuzz::Random& random) {
    if (input.size() < at + count) return false;
    std::size_t const length = length_at(input, at, count), begin = at + count;
    if (length > input.size() - begin) return false;
    std::size_t const now = fuzz::mutate_text_inside(input, begin, length, other, random);
    for (std::size_t i = 0; i < count; ++i) input[at + i] = static_cast<std::uint8_t>(now >> (8 * i));
    return true;
}

}  // namespace

/// The text inside of a .npy or .safetensors header, its length kept true; of .npz any bytes.
void ein::fuzz::mutate_structure(Bytes& input, Bytes const& other, Random& random) {
    constexpr std::size_t chooser = 1, magic = 6, version = 2;
    bool done = false;
    if (!input.empty() && input[0] % 3 == 0 && input.size() > chooser + magic)
        done = mutate_header(input, chooser + magic + version, input[chooser + magic] == 1 ? 2 : 4, other, random);
    else if (!input.empty() && input[0] % 3 == 1)
        done = mutate_header(input, chooser, 8, other, random);
    if (!done) mutate_bytes(input, other, random);
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    std::vector<std::byte> bytes(size - 1);
    if (size > 1) std::memcpy(bytes.data(), data + 1, size - 1);
    auto const storage = std::make_shared<MemoryStorage const>("input", std::move(bytes));
    try {
        switch (data[0] % 3) {
            case 0: read_npy(storage); break;
            case 1: read_safetensors(storage); break;
            default: read_npz(storage);
        }
    } catch (InputError const&) {
    }
    return 0;
}
