// Bytes as a Matrix Market or FROSTT file, or as the arrays of a SciPy archive: the first byte chooses. Whatever they
// are, reading ends with listed elements, the same in parts as as a whole, or an InputError, within memory that the
// bytes can account for.
#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "lib/base/error.hpp"
#include "lib/tensor/read.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/lib/tensor/zip_maker.hpp"

namespace {

using namespace ein;
using namespace ein::tensor;

constexpr std::array names{"format", "shape", "data", "indptr", "indices", "row", "col", "coords", "fill_value"};

/// A file that no other input had: readers remember files by their names.
class FuzzFile {
public:
    explicit FuzzFile(std::string const& text) {
        static std::string const folder = [] {
            std::string pattern = (std::filesystem::temp_directory_path() / "ein_fuzz_XXXXXX").string();
            return std::string(::mkdtemp(pattern.data()));
        }();
        static int number = 0;
        path_ = folder + "/" + std::to_string(number++);
        std::filesystem::create_directories(folder);
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~FuzzFile() { std::filesystem::remove_all(std::filesystem::path(path_).parent_path()); }
    FuzzFile(FuzzFile const&) = delete;
    FuzzFile& operator=(FuzzFile const&) = delete;
    std::string const& path() const { return path_; }

private:
    std::string path_;
};

/// Two bytes of length and an array, for each name; no array where the length is 0.
std::string archive_of(std::string_view bytes) {
    samples::ZipMaker zip(samples::Packing::stored, samples::ZipSizes::bits32);
    for (char const* name : names) {
        if (bytes.size() < 2) break;
        std::size_t const length = static_cast<unsigned char>(bytes[0]) | static_cast<unsigned char>(bytes[1]) << 8;
        std::string_view const array = bytes.substr(2, length);
        bytes.remove_prefix(2 + array.size());
        if (!array.empty()) zip.add(std::string(name) + ".npy", std::string(array));
    }
    return zip.finish();
}

void read_listed(Source const& source, DType dtype, Shape const& shape) {
    auto const reader = open_sparse(source, "A", dtype, shape, "");
    Box const whole = Box::whole(shape);
    Extent const listed = reader->listed(whole);
    SparseLayout const layout{{0}, false};
    if (shape.size() == 1) {
        std::vector<std::byte> block(static_cast<std::size_t>(sparse_bytes(layout, shape, dtype, listed)));
        reader->read(whole, layout, block);
        check_sparse_block(block, dtype, whole, layout);
    }
    promise(reader->elements(whole).count(dtype) == listed, "as many elements as are told");
    reader->histogram();
    if (shape.empty() || shape[0] < 2) return;
    Box first = whole, second = whole;
    first.length[0] = second.begin[0] = shape[0] / 2;
    second.length[0] -= first.length[0];
    promise(reader->listed(first) + reader->listed(second) == listed, "parts have what the whole has");
}

}  // namespace

/// Text of words and numbers; of archives the headers of arrays, their length kept true.
void ein::fuzz::mutate_structure(Bytes& input, Bytes const& other, Random& random) {
    if (!input.empty() && input[0] % 4 < 3 && input.size() > 1)
        mutate_text_inside(input, 1, input.size() - 1, other, random);
    else
        mutate_bytes(input, other, random);
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    if (size == 0) return 0;
    ::setenv("EINLOOM_CACHE", "off", 1);
    std::string const text(reinterpret_cast<char const*>(data + 1), size - 1);
    FuzzFile const file(data[0] % 4 < 3 ? text : archive_of(text));
    DType const dtype = data[0] % 2 == 0 ? DType::c128 : DType::i16;
    try {
        if (data[0] % 4 == 2) {
            read_listed(TnsSource{file.path()}, dtype, {5, 7, 3});
        } else if (data[0] % 4 == 3) {
            ScipySource const source{file.path()};
            read_listed(source, DType::c128, contents_of(source, "A", "").value().shape);
        } else {
            MtxSource const source{file.path()};
            read_listed(source, dtype, contents_of(source, "A", "").value().shape);
        }
    } catch (InputError const&) {
    }
    return 0;
}
