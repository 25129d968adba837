#include "lib/graph/read/read_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/graph_builder.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/headers.hpp"
#include "lib/graph/read/mend_data.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"

namespace ein::graph {
namespace {

using tensor::Distribution;
using tensor::RandomSource;
using tensor::Source;

/// Of several files each is a tensor.
std::optional<std::string> read_file_name(Cursor const& data, std::string const& key) {
    Json const& found = data.at(key).value();
    bool const several = found.is_array() && found.size() > 1 && std::ranges::all_of(found, &Json::is_string);
    if (!several) return read_name(data.at(key));
    data.at(key).fail("the name of one file", brief(found),
                      "write a tensor for each of the " + std::to_string(found.size()) +
                          ", and put them together in a node: {\"op\": \"concat\", \"inputs\": [\"X0\", \"X1\"" +
                          (found.size() > 2 ? ", ...]" : "]") + ", \"axis\": 0}");
    return std::nullopt;
}

/// A source that is a file and nothing else.
template <class FileSource>
std::optional<Source> read_file(Cursor const& data, std::string const& kind) {
    data.only_keys({kind});
    auto const file = read_file_name(data, kind);
    return file ? std::optional<Source>(FileSource{*file}) : std::nullopt;
}

std::optional<Source> read_archive(Cursor const& data, std::string const& kind, std::string const& member) {
    data.only_keys({kind, member});
    auto const file = read_file_name(data, kind);
    std::string mend = "name the array inside the file: \"" + member + "\": \"NAME\"";
    if (kind == "npz" && file)
        mend += "; of scipy.sparse.save_npz write \"sparse\": true, \"data\": {\"scipy\": " + brief(Json(*file)) + "}";
    auto const place = required(data, member, mend);
    auto const name = place ? place->string() : std::nullopt;
    if (!file || !name) return std::nullopt;
    if (kind == "npz") return tensor::NpzSource{*file, *name};
    return tensor::SafetensorsSource{*file, *name};
}

std::optional<Source> read_raw(Cursor const& data) {
    data.only_keys({"raw", "offset"});
    auto const file = read_file_name(data, "raw");
    std::optional<std::int64_t> offset;
    if (auto const at = optional_at(data, "offset")) {
        auto const bytes = at->integer();
        if (bytes && *bytes < 0)
            at->fail("an offset of 0 or more bytes", std::to_string(*bytes), "count from the file's first byte");
        if (!bytes || *bytes < 0) return std::nullopt;
        offset = bytes;
    }
    return file ? std::optional<Source>(tensor::RawSource{*file, offset}) : std::nullopt;
}

std::optional<Source> read_fill(Cursor const& data, DType dtype) {
    data.only_keys({"fill"});
    auto const element = read_element(data.at("fill"), dtype);
    if (!element) return std::nullopt;
    if (element->is_integer) return tensor::FillSource{static_cast<double>(element->integer), element->integer};
    return tensor::FillSource{element->number, 0};
}

/// @return nothing for a fault; `otherwise` without the key
std::optional<double> finite_number(Cursor const& data, std::string const& key, double otherwise) {
    auto const at = optional_at(data, key);
    if (!at) return otherwise;
    auto const number = at->number();
    if (!number || std::isfinite(*number)) return number;
    at->fail("a finite number", brief(at->value()), "write a number");
    return std::nullopt;
}

std::optional<std::uint64_t> read_seed(Cursor const& data) {
    auto const at = optional_at(data, "seed");
    if (!at) return std::uint64_t{0};
    if (at->value().is_number_unsigned()) return at->value().get<std::uint64_t>();
    at->fail("a seed from 0 to 2^64 - 1", brief(at->value()), "write a whole number");
    return std::nullopt;
}

bool check_uniform(Cursor const& data, RandomSource const& random, DType dtype) {
    std::string const found = "low " + brief(Json(random.a)) + " and high " + brief(Json(random.b));
    if (random.a > random.b) {
        data.fail("low <= high", found, "swap them");
        return false;
    }
    auto const holds = [&](double value) {
        if (std::fabs(value) >= 0x1p63) return false;
        scalar::Scalar const whole = scalar::Scalar::of(static_cast<std::int64_t>(value));
        return scalar::convert(whole, DType::i64, dtype).integer == whole.integer;
    };
    if (is_integer(dtype) && (!holds(std::ceil(random.a)) || !holds(std::ceil(random.b) - 1))) {
        data.fail("bounds that " + std::string(name(dtype)) + " holds", found,
                  "narrow them, or give the tensor a wider dtype");
        return false;
    }
    if (is_integer(dtype) && std::ceil(random.a) >= random.b) {
        data.fail("a whole number v with low <= v < high", found, "raise high: it is excluded");
        return false;
    }
    return true;
}

bool check_normal(Cursor const& data, RandomSource const& random, DType dtype) {
    if (random.b < 0) {
        data.at("std").fail("a standard deviation of 0 or more", brief(Json(random.b)), "write its absolute value");
        return false;
    }
    if (is_integer(dtype) || dtype == DType::boolean) {
        data.at("random").fail("\"uniform\" for " + std::string(name(dtype)), "\"normal\"",
                               "write \"uniform\", or another dtype");
        return false;
    }
    return true;
}

/// @return nothing for a fault; 1 without the key
std::optional<double> read_density(Cursor const& data) {
    auto const density = finite_number(data, "density", 1);
    if (!density || (*density >= 0 && *density <= 1)) return density;
    data.at("density").fail("a share of the elements, from 0 to 1", brief(Json(*density)),
                            "write how many are listed over how many there are");
    return std::nullopt;
}

/// Of what is no text: {"normal": {"mean": 0}} is "normal" with what is in it beside it.
std::string random_example(Json const& found) {
    std::string const name = found.is_object() && found.size() == 1 ? found.begin().key() : "";
    if (name != "normal" && name != "uniform") return "\"uniform\" or \"normal\"";
    std::string beside;
    if (found.begin()->is_object())
        for (auto const& [key, value] : found.begin()->items()) beside += ", \"" + key + "\": " + brief(value);
    return "\"" + name + "\"" +
           (beside.empty() ? "" : " with the rest beside it: {\"random\": \"" + name + "\"" + beside + "}");
}

/// What other libraries call their random numbers.
std::string mend_random(std::string const& text) {
    if (text.starts_with("gauss") || text == "randn") return "write \"normal\"";
    if (text == "rand" || text == "random") return "write \"uniform\"";
    if (text == "randint" || text.starts_with("int"))
        return "write \"uniform\" with \"low\" and \"high\", and \"dtype\": \"i64\" beside \"data\"";
    for (std::string_view const scaled : {"xavier", "glorot", "kaiming", "he", "lecun"})
        if (text.starts_with(scaled))
            return "write \"normal\" with \"std\" as a number, for example sqrt(2/fan_in) worked out";
    std::vector<std::string> const known{"uniform", "normal"};
    return mend_name(text, known, "write one of these");
}

std::optional<Source> read_random(Cursor const& data, DType dtype) {
    auto const text = data.at("random").string(random_example(data.at("random").value()));
    if (!text) return std::nullopt;
    bool const uniform = *text == "uniform";
    if (!uniform && *text != "normal") {
        data.at("random").fail("\"uniform\" or \"normal\"", quote(*text), mend_random(*text));
        return std::nullopt;
    }
    if (std::string const other = uniform ? "normal" : "uniform", first = uniform ? "mean" : "low",
        second = uniform ? "std" : "high";
        data.has(first) || data.has(second)) {
        data.at("random").fail(
            "\"" + other + "\" beside \"" + first + "\" and \"" + second + "\"", quote(*text),
            "write \"random\": \"" + other + "\", or " + (uniform ? "\"low\" and \"high\"" : "\"mean\" and \"std\""));
        return std::nullopt;
    }
    if (uniform)
        data.only_keys({"random", "low", "high", "seed", "density"});
    else
        data.only_keys({"random", "mean", "std", "seed", "density"});
    auto const a = finite_number(data, uniform ? "low" : "mean", 0);
    double const high = is_integer(dtype) ? 10 : 1;  // whole numbers below 1 would all be 0
    auto const b = finite_number(data, uniform ? "high" : "std", uniform ? high : 1);
    auto const seed = read_seed(data);
    auto const density = read_density(data);
    if (!a || !b || !seed || !density) return std::nullopt;
    RandomSource const random{uniform ? Distribution::uniform : Distribution::normal, *a, *b, *seed};
    bool const good = uniform ? check_uniform(data, random, dtype) : check_normal(data, random, dtype);
    if (!good) return std::nullopt;
    if (data.has("density")) return tensor::SparseRandomSource{random, *density};
    return random;
}

std::optional<Source> read_listed(Cursor const& data, std::optional<Shape> const& shape, DType dtype) {
    data.only_keys({"values"});
    if (!shape) return std::nullopt;
    auto values = read_values(data.at("values"), *shape, dtype);
    return values ? std::optional<Source>(std::move(*values)) : std::nullopt;
}

using Wanted = std::optional<Shape> const&;

/// What "data" may be, by the key that says so.
struct DataKind {
    std::string_view key;
    std::optional<Source> (*read)(Cursor const& data, Wanted shape, DType dtype);
};

constexpr DataKind kinds[]{
    {"npy", [](Cursor const& data, Wanted, DType) { return read_file<tensor::NpySource>(data, "npy"); }},
    {"npz", [](Cursor const& data, Wanted, DType) { return read_archive(data, "npz", "entry"); }},
    {"safetensors", [](Cursor const& data, Wanted, DType) { return read_archive(data, "safetensors", "tensor"); }},
    {"raw", [](Cursor const& data, Wanted, DType) { return read_raw(data); }},
    {"fill", [](Cursor const& data, Wanted, DType dtype) { return read_fill(data, dtype); }},
    {"values", [](Cursor const& data, Wanted shape, DType dtype) { return read_listed(data, shape, dtype); }},
    {"random", [](Cursor const& data, Wanted, DType dtype) { return read_random(data, dtype); }},
    {"mtx", [](Cursor const& data, Wanted, DType) { return read_file<tensor::MtxSource>(data, "mtx"); }},
    {"tns", [](Cursor const& data, Wanted, DType) { return read_file<tensor::TnsSource>(data, "tns"); }},
    {"scipy", [](Cursor const& data, Wanted, DType) { return read_file<tensor::ScipySource>(data, "scipy"); }},
};

}  // namespace

namespace {

bool check_object(Cursor const& data) {
    if (data.value().is_object()) return true;
    data.fail("an object that says what kind of data it is", brief(data.value()), mend_data(data.value()));
    return false;
}

}  // namespace

std::vector<std::string> data_kinds() {
    std::vector<std::string> names;
    for (DataKind const& kind : kinds) names.emplace_back(kind.key);
    return names;
}

std::optional<Source> read_source(Cursor const& data, std::optional<Shape> const& shape, DType dtype) {
    if (!check_object(data)) return std::nullopt;
    std::vector<DataKind const*> found;
    for (DataKind const& kind : kinds)
        if (data.has(std::string(kind.key))) found.push_back(&kind);
    if (found.size() == 1) return found.front()->read(data, shape, dtype);
    std::vector<std::string> const known = data_kinds();
    if (std::string const mend = found.empty() ? mend_kind_of_data(data.value()) : ""; !mend.empty()) {
        data.fail("one kind of data: " + one_of(known), brief(data.value()), mend);
        return std::nullopt;
    }
    std::string unknown;
    for (auto const& [key, unused] : data.value().items()) {
        if (unknown.empty() && !key.starts_with("x-")) unknown = key;
    }
    data.fail("one kind of data: " + one_of(known),
              found.empty() ? brief(data.value())
                            : "both " + std::string(found[0]->key) + " and " + std::string(found[1]->key),
              found.empty() ? mend_name(unknown, known, "write one of these keys") : "remove one of them");
    return std::nullopt;
}

namespace {

/// "values" say their shape themselves; those of complex dtypes do not: [1, 2] may be two numbers or one.
std::optional<Shape> shape_in_graph(Cursor const& tensor, DType dtype) {
    auto const data = optional_at(tensor, "data");
    if (!data || !data->has("values") || is_complex(dtype)) return std::nullopt;
    return shape_of_lists(data->at("values").value());
}

}  // namespace

namespace {

/// "listed": as many elements as a sparse tensor may list.
std::optional<Extent> read_listed(Cursor const& at) {
    std::optional<std::int64_t> const listed = at.integer();
    if (listed && *listed >= 0) return *listed;
    at.fail("a number of elements, 0 or more", brief(at.value()), "write as many as the data lists at most");
    return std::nullopt;
}

/// "sparse", "fill" and "listed".
std::optional<Listing> read_listing(Cursor const& tensor, DType dtype) {
    auto const at = optional_at(tensor, "sparse");
    if (at && !at->value().is_boolean())
        at->fail("true or false", brief(at->value()), "write \"sparse\": true for a tensor that lists its elements");
    bool const sparse = at && at->value() == Json(true);
    auto const fill = optional_at(tensor, "fill");
    if (fill && !sparse) {
        fill->fail("a sparse tensor", "a dense one", "add \"sparse\": true, or move it into \"data\": {\"fill\": ...}");
        return std::nullopt;
    }
    auto const listed = optional_at(tensor, "listed");
    if (listed && !sparse) {
        listed->fail("a sparse tensor", "a dense one", "add \"sparse\": true, or leave it out");
        return std::nullopt;
    }
    if (!sparse) return std::nullopt;
    std::optional<scalar::Scalar> const value =
        fill ? read_element(*fill, dtype) : scalar::convert(scalar::Scalar::of(std::int64_t{0}), DType::i64, dtype);
    if (!value) return std::nullopt;
    Listing out{*value};
    if (listed) out.most = read_listed(*listed).value_or(out.most);
    return out;
}

/// How a tensor may be written of which nothing stands there but its shape.
std::string shape_alone(Json const& found) {
    return "{\"shape\": " + (found.is_array() ? brief(found) : std::string("[4, 3]")) + "}";
}

/// Whether it is an object, as tensors are; a file's name or a number alone is its data.
bool check_tensor(Cursor const& tensor) {
    Json const& found = tensor.value();
    if (!found.is_string() && !found.is_number()) return tensor.expect_object(shape_alone(found));
    tensor.fail("an object", brief(found), mend_tensor(found));
    return false;
}

}  // namespace

TensorDeclaration read_tensor(Cursor const& tensor, std::string const& name, DType default_dtype,
                              HeaderReader const& headers) {
    TensorDeclaration declaration;
    declaration.dtype = default_dtype;
    if (!check_tensor(tensor)) return declaration;
    tensor.only_keys({"shape", "dtype", "data", "sparse", "fill", "listed"});
    Written written;
    if (auto const at = optional_at(tensor, "dtype")) written.dtype = read_dtype(*at);
    declaration.dtype = written.dtype.value_or(default_dtype);
    written.shape = tensor.has("shape") ? read_shape(tensor.at("shape")) : shape_in_graph(tensor, declaration.dtype);
    declaration.shape = written.shape;
    if (auto const data = optional_at(tensor, "data")) {
        auto source = read_source(*data, written.shape, declaration.dtype);
        if (source) declaration.source = std::move(*source);
    }
    complete(declaration, written, tensor, name, headers);
    declaration.listing = read_listing(tensor, declaration.dtype);  // a file's header may have said the dtype
    if (declaration.shape && !fits(*declaration.shape, declaration.dtype)) {
        (tensor.has("shape") ? tensor.at("shape") : tensor)
            .fail("a tensor of at most 2^62 bytes", to_string(*declaration.shape), "write smaller extents");
        declaration.shape.reset();
    }
    return declaration;
}

}  // namespace ein::graph
