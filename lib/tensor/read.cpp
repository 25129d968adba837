#include "lib/tensor/read.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/made_reader.hpp"

namespace ein::tensor {
namespace {

[[noreturn]] void refuse_missing(std::string const& name) {
    throw InputError(
        Fault{"", "tensor '" + name + "'", "data for it", "none", "give it with --input " + name + "=FILE"});
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

}  // namespace

std::unique_ptr<Reader> open(Source const& source, std::string const& name, DType dtype, Shape const& shape,
                             std::filesystem::path const& folder) {
    Wanted const wanted{name, dtype, shape, folder};
    if (auto const* npy = std::get_if<NpySource>(&source)) return open_npy(*npy, wanted);
    if (auto const* npz = std::get_if<NpzSource>(&source)) return open_npz(*npz, wanted);
    if (auto const* safetensors = std::get_if<SafetensorsSource>(&source))
        return open_safetensors(*safetensors, wanted);
    if (auto const* raw = std::get_if<RawSource>(&source)) return open_raw(*raw, wanted);
    if (auto const* fill = std::get_if<FillSource>(&source)) return open_fill(*fill, wanted);
    if (auto const* values = std::get_if<ValuesSource>(&source)) return open_values(*values, wanted);
    if (auto const* random = std::get_if<RandomSource>(&source)) return open_random(*random, wanted);
    refuse_missing(name);
}

HostTensor read_all(Source const& source, std::string const& name, DType dtype, Shape const& shape,
                    std::filesystem::path const& folder) {
    std::unique_ptr<Reader> const reader = open(source, name, dtype, shape, folder);
    HostTensor tensor(dtype, shape);
    reader->read(Box::whole(shape), tensor.bytes());
    return tensor;
}

HostTensor read_npy(std::filesystem::path const& file) {
    FileContents const contents = npy_contents(file);
    return read_all(NpySource{file.string()}, file.stem().string(), contents.dtype, contents.shape, "");
}

Source source_for_file(std::string const& file, std::string const& name) {
    std::string const extension = lower(std::filesystem::path(file).extension().string());
    if (extension == ".npy") return NpySource{file};
    if (extension == ".npz") return NpzSource{file, name};
    if (extension == ".safetensors") return SafetensorsSource{file, name};
    return RawSource{file, std::nullopt};
}

}  // namespace ein::tensor
