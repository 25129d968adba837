#include "lib/tensor/read.hpp"

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/tensor/convert.hpp"
#include "lib/tensor/formats/file_reader.hpp"
#include "lib/tensor/made_reader.hpp"
#include "lib/tensor/sparse/files/sparse_files.hpp"

namespace ein::tensor {
namespace {

[[noreturn]] void refuse_missing(std::string const& name) {
    throw InputError(
        Fault{"", "tensor '" + name + "'", "data for it", "none", "give it with --input " + name + "=FILE"});
}

/// A reader for each kind of source: one that is missing does not compile.
struct Opener {
    Wanted const wanted;
    scalar::Scalar const& fill;

    std::unique_ptr<Reader> operator()(NpySource const& source) const { return open_npy(source, wanted); }
    std::unique_ptr<Reader> operator()(NpzSource const& source) const { return open_npz(source, wanted); }
    std::unique_ptr<Reader> operator()(SafetensorsSource const& source) const {
        return open_safetensors(source, wanted);
    }
    std::unique_ptr<Reader> operator()(RawSource const& source) const { return open_raw(source, wanted); }
    std::unique_ptr<Reader> operator()(FillSource const& source) const { return open_fill(source, wanted); }
    std::unique_ptr<Reader> operator()(ValuesSource const& source) const { return open_values(source, wanted); }
    std::unique_ptr<Reader> operator()(RandomSource const& source) const { return open_random(source, wanted); }
    std::unique_ptr<Reader> operator()(MtxSource const& source) const { return scattered(source); }
    std::unique_ptr<Reader> operator()(TnsSource const& source) const { return scattered(source); }
    std::unique_ptr<Reader> operator()(ScipySource const& source) const { return scattered(source); }
    std::unique_ptr<Reader> operator()(SparseRandomSource const& source) const { return scattered(source); }
    std::unique_ptr<Reader> operator()(MissingSource const&) const { refuse_missing(wanted.name); }

    std::unique_ptr<Reader> scattered(Source const& source) const {
        return scatter(open_sparse(source, wanted.name, wanted.dtype, wanted.shape, wanted.folder, fill), fill);
    }
};

/// Each kind's header, or that it has none.
struct HeaderOf {
    Asker const asker;
    using Header = std::optional<FileContents>;

    Header operator()(NpySource const& source) const { return npy_contents(source, asker); }
    Header operator()(NpzSource const& source) const { return npz_contents(source, asker); }
    Header operator()(SafetensorsSource const& source) const { return safetensors_contents(source, asker); }
    Header operator()(RawSource const&) const { return std::nullopt; }
    Header operator()(FillSource const&) const { return std::nullopt; }
    Header operator()(ValuesSource const&) const { return std::nullopt; }
    Header operator()(RandomSource const&) const { return std::nullopt; }
    Header operator()(SparseRandomSource const&) const { return std::nullopt; }
    Header operator()(TnsSource const& source) const { return check_tns(source, asker), std::nullopt; }
    Header operator()(MtxSource const& source) const { return mtx_contents(source, asker); }
    Header operator()(ScipySource const& source) const { return scipy_contents(source, asker); }
    Header operator()(MissingSource const&) const { return std::nullopt; }
};

}  // namespace

std::unique_ptr<Reader> open(Source const& source, std::string const& name, DType dtype, Shape const& shape,
                             std::filesystem::path const& folder, scalar::Scalar const& fill) {
    return std::visit(Opener{{{name, folder}, dtype, shape}, fill}, source);
}

HostTensor read_all(Source const& source, std::string const& name, DType dtype, Shape const& shape,
                    std::filesystem::path const& folder, scalar::Scalar const& fill) {
    std::unique_ptr<Reader> const reader = open(source, name, dtype, shape, folder, fill);
    HostTensor tensor(dtype, shape);
    reader->read(Box::whole(shape), tensor.bytes());
    return tensor;
}

HostTensor read_npy(std::filesystem::path const& file) {
    FileContents const contents = npy_contents(file);
    return read_all(NpySource{file.string()}, file.stem().string(), contents.dtype, contents.shape, "");
}

std::optional<FileContents> contents_of(Source const& source, std::string const& name,
                                        std::filesystem::path const& folder) {
    return std::visit(HeaderOf{{name, folder}}, source);
}

bool may_be_read_as(Source const& source, DType in_file, DType declared) {
    if (lists_elements(source))  // converted once all is added up; to bool as != 0
        return kind(in_file) <= kind(declared) || (declared == DType::boolean && !is_complex(in_file));
    bool const rounds = declared == DType::bf16 && in_file == DType::f32;
    return in_file == declared || (rounds && !std::holds_alternative<SafetensorsSource>(source));
}

DType left_out_dtype(Source const& source, DType in_file, DType of_graph) {
    bool const fits = std::holds_alternative<ScipySource>(source) ? of_graph == DType::bf16 && in_file == DType::f32
                                                                  : may_be_read_as(source, in_file, of_graph);
    return fits ? of_graph : in_file;
}

bool may_be_read_as(Source const& source, Shape const& in_file, Shape const& declared) {
    return in_file == declared || (std::holds_alternative<SafetensorsSource>(source) && is_split(in_file, declared));
}

namespace {

/// "two.npz:b" names an array in a file, unless a file is called so.
std::optional<Source> source_within(std::string const& text) {
    for (std::string const ending : {".npz", ".safetensors"}) {
        std::size_t const at = lowered(text).rfind(ending + ":");
        if (at == std::string::npos || std::filesystem::exists(text)) continue;
        std::string const file = text.substr(0, at + ending.size()), entry = text.substr(file.size() + 1);
        if (entry.empty()) continue;
        return ending == ".npz" ? Source(NpzSource{file, entry}) : Source(SafetensorsSource{file, entry});
    }
    return std::nullopt;
}

}  // namespace

Source source_for_file(std::string const& file, std::string const& name) {
    if (auto within = source_within(file)) return *within;
    std::string const extension = lowered(std::filesystem::path(file).extension().string());
    if (extension == ".npy") return NpySource{file};
    if (extension == ".npz" && is_sparse_archive(file, name)) return ScipySource{file};
    if (extension == ".npz") return NpzSource{file, name};
    if (extension == ".safetensors") return SafetensorsSource{file, name};
    if (extension == ".mtx") return MtxSource{file};
    if (extension == ".tns") return TnsSource{file};
    return RawSource{file, std::nullopt};
}

}  // namespace ein::tensor
