#include "lib/graph/rest/source_text.hpp"

#include <nlohmann/json.hpp>

#include "lib/graph/write_graph.hpp"
#include "lib/tensor/host_tensor.hpp"

namespace ein::graph {
namespace {

using tensor::HostTensor;

/// Nested lists of a tensor's elements from `next` on, along `axis` and those after it (64 axes at most).
Json nested(HostTensor const& tensor, std::size_t axis, Extent& next) {
    if (axis == tensor.shape().size()) return element_json(tensor.at(next++), tensor.dtype());
    Json list = Json::array();
    for (Extent k = 0; k < tensor.shape()[axis]; ++k) list.push_back(nested(tensor, axis + 1, next));
    return list;
}

Json random_json(tensor::RandomSource const& source) {
    if (source.distribution == tensor::Distribution::uniform) return uniform_data(source.seed, source.a, source.b);
    return {{"random", "normal"}, {"mean", source.a}, {"std", source.b}, {"seed", source.seed}};
}

struct ToJson {
    Shape const& shape;
    DType dtype;
    FileName const& file_name;

    std::string file(std::string const& name) const { return file_name ? file_name(name) : name; }

    Json operator()(tensor::MissingSource const&) const { return nullptr; }
    Json operator()(tensor::NpySource const& from) const { return {{"npy", file(from.file)}}; }
    Json operator()(tensor::NpzSource const& from) const { return {{"npz", file(from.file)}, {"entry", from.entry}}; }
    Json operator()(tensor::SafetensorsSource const& from) const {
        return {{"safetensors", file(from.file)}, {"tensor", from.tensor}};
    }
    Json operator()(tensor::RawSource const& from) const {
        Json data{{"raw", file(from.file)}};
        if (from.offset) data["offset"] = *from.offset;
        return data;
    }
    Json operator()(tensor::FillSource const& from) const {
        bool const exact = kind(dtype) <= Kind::integer;
        return {
            {"fill", element_json(exact ? scalar::Scalar::of(from.integer) : scalar::Scalar::of(from.value), dtype)}};
    }
    Json operator()(tensor::ValuesSource const& from) const {
        HostTensor tensor(dtype, shape);
        tensor.bytes() = from.bytes;
        Extent next = 0;
        return {{"values", nested(tensor, 0, next)}};
    }
    Json operator()(tensor::RandomSource const& from) const { return random_json(from); }
    Json operator()(tensor::MtxSource const& from) const { return {{"mtx", file(from.file)}}; }
    Json operator()(tensor::TnsSource const& from) const { return {{"tns", file(from.file)}}; }
    Json operator()(tensor::ScipySource const& from) const { return {{"scipy", file(from.file)}}; }
    Json operator()(tensor::SparseRandomSource const& from) const {
        Json data = random_json(from.random);
        data["density"] = from.density;
        return data;
    }
};

}  // namespace

Json element_json(scalar::Scalar const& value, DType dtype) {
    double const real = value.is_integer ? static_cast<double>(value.integer) : value.number.real();
    switch (kind(dtype)) {
        case Kind::boolean: return value.integer != 0;
        case Kind::integer: return value.integer;
        case Kind::complex: return Json::array({number_json(real), number_json(value.number.imag())});
        case Kind::real: break;
    }
    return number_json(real);
}

Json source_json(tensor::Source const& source, Shape const& shape, DType dtype, FileName const& file_name) {
    return std::visit(ToJson{shape, dtype, file_name}, source);
}

}  // namespace ein::graph
