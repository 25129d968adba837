#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/schedule_generated.h"

namespace ein::schedule {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

Bytes finished(Builder const& builder) {
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

template <class Values, class Write>
auto vector_of(Builder& builder, Values const& values, Write write) {
    using Offset = decltype(write(*values.begin()));
    std::vector<Offset> offsets;
    for (auto const& value : values) offsets.push_back(write(value));
    return builder.CreateVector(offsets);
}

fb::Scalar scalar(scalar::Scalar const& value) {
    return {value.is_integer, value.integer, value.number.real(), value.number.imag()};
}

template <class IdType>
std::int32_t number(OptionalId<IdType> id) {
    return id ? (*id).value() : absent;
}

struct InputFields {
    std::string text, entry;
    double a = 0, b = 0, density = 0;
    std::uint64_t whole = 0;
    std::uint8_t choice = 0;
    std::vector<std::uint8_t> bytes;
};

/// The fields of a source; decode.cpp reads them back.
InputFields fields_of(tensor::Source const& source) {
    InputFields f;
    struct Visitor {
        InputFields& f;
        void operator()(tensor::MissingSource const&) const {}
        void operator()(tensor::NpySource const& s) const { f.text = s.file; }
        void operator()(tensor::NpzSource const& s) const { f.text = s.file, f.entry = s.entry; }
        void operator()(tensor::SafetensorsSource const& s) const { f.text = s.file, f.entry = s.tensor; }
        void operator()(tensor::RawSource const& s) const {
            f.text = s.file, f.whole = static_cast<std::uint64_t>(s.offset.value_or(no_offset));
        }
        void operator()(tensor::FillSource const& s) const {
            f.a = s.value.real(), f.b = s.value.imag(), f.whole = static_cast<std::uint64_t>(s.integer);
        }
        void operator()(tensor::ValuesSource const& s) const {
            for (std::byte byte : s.bytes) f.bytes.push_back(std::to_integer<std::uint8_t>(byte));
        }
        void operator()(tensor::RandomSource const& s) const {
            f.choice = static_cast<std::uint8_t>(s.distribution), f.a = s.a, f.b = s.b, f.whole = s.seed;
        }
        void operator()(tensor::MtxSource const& s) const { f.text = s.file; }
        void operator()(tensor::TnsSource const& s) const { f.text = s.file; }
        void operator()(tensor::ScipySource const& s) const { f.text = s.file; }
        void operator()(tensor::SparseRandomSource const& s) const { (*this)(s.random), f.density = s.density; }
    };
    std::visit(Visitor{f}, source);
    return f;
}

auto input(Builder& builder, Input const& value) {
    InputFields const f = fields_of(value.source);
    auto const text = builder.CreateString(f.text), entry = builder.CreateString(f.entry);
    auto const bytes = builder.CreateVector(f.bytes);
    std::optional<fb::Fingerprint> planned;
    if (value.planned) planned.emplace(value.planned->size, value.planned->checksum);
    return fb::CreateInput(builder, value.tensor.value(), static_cast<std::uint8_t>(value.source.index()), text, entry,
                           f.a, f.b, f.whole, f.choice, bytes, planned ? &*planned : nullptr, f.density);
}

auto kernel(Builder& builder, Kernel const& value) {
    graph::EinSum const& e = value.einsum;
    scalar::Names const names{static_cast<int>(e.operands()), e.labels, {}};
    auto const node = builder.CreateString(value.node);
    auto const labels = builder.CreateVectorOfStrings(e.labels);
    auto const extents = builder.CreateVector(e.extents);
    auto const inputs = vector_of(builder, e.inputs, [&](std::vector<int> const& axes) {
        return fb::CreateLabels(builder, builder.CreateVector(axes));
    });
    auto const output = builder.CreateVector(e.output);
    auto const join = builder.CreateString(scalar::print(e.join, names));
    flatbuffers::Offset<flatbuffers::Vector<std::int32_t>> looked_up;  // mostly none
    if (!value.looked_up.empty()) looked_up = builder.CreateVector(value.looked_up);
    return fb::CreateKernel(builder, node, labels, extents, inputs, output, join, static_cast<std::uint8_t>(e.agg),
                            static_cast<std::uint8_t>(value.compute), looked_up);
}

auto movement(Builder& builder, Movement const& value) {
    std::vector<fb::AxisMap> axes;
    for (graph::AxisMap const& axis : value.axes) axes.emplace_back(axis.start, axis.step);
    auto const node = builder.CreateString(value.node);
    return fb::CreateMovement(builder, node, builder.CreateVectorOfStructs(axes));
}

auto contraction_order(Builder& builder, graph::ContractionOrder const& order) {
    std::vector<int> path;
    for (auto const& [a, b] : order.path) path.insert(path.end(), {a, b});
    auto const value = builder.CreateString(order.value);
    auto const numbers = builder.CreateVector(path);
    graph::Slicing const slicing = order.slicing.value_or(graph::Slicing{});
    auto const sliced = builder.CreateVectorOfStrings(slicing.labels);
    return fb::CreateContractionOrder(builder, value, numbers, sliced, slicing.at_once);
}

auto prediction(Builder& builder, Prediction const& p) {
    return fb::CreatePrediction(builder, p.flops, builder.CreateVector(p.bytes_sent),
                                builder.CreateVector(p.bytes_received), builder.CreateVector(p.messages_sent),
                                builder.CreateVector(p.peak_bytes), p.worst_case_elements, p.worst_case_bytes);
}

auto fusion(Builder& builder, FusionSpec const& spec) {
    auto const members = vector_of(builder, spec.members, [&](FusionSpec::Member const& member) {
        std::vector<fb::Inside> operands;
        for (FusionSpec::Operand const& operand : member.operands)
            operands.emplace_back(operand.is_inside, operand.place);
        auto const structs = builder.CreateVectorOfStructs(operands);
        return fb::CreateMember(builder, member.kernel.value(), structs, member.tensor.value(),
                                static_cast<std::uint8_t>(member.dtype));
    });
    auto const axes = vector_of(builder, spec.axes, [&](FusionSpec::Axis const& axis) {
        return fb::CreateAxis(builder, builder.CreateVector(axis.labels), axis.parts, axis.is_carried);
    });
    return fb::CreateFusion(builder, members, axes);
}

}  // namespace

Bytes encode(Header const& header) {
    Builder builder(1 << 16);
    builder.ForceDefaults(true);  // else -0.0, which is equal to the default, would be left out and read as 0.0
    auto string = [&](std::string const& text) { return builder.CreateString(text); };
    auto const name = string(header.name), text = string(header.graph_text), file = string(header.graph_file),
               folder = string(header.folder), strategy = string(header.strategy), place = string(header.place);
    auto const params = vector_of(builder, header.params, [&](auto const& param) {
        return fb::CreateParam(builder, builder.CreateString(param.first), param.second);
    });
    auto const tensors = vector_of(builder, header.tensors, [&](Tensor const& tensor) {
        auto const tensor_name = string(tensor.name);
        auto const shape = builder.CreateVector(tensor.shape);
        std::optional<fb::Scalar> fill;
        if (tensor.fill) fill.emplace(scalar(*tensor.fill));
        return fb::CreateTensor(builder, tensor_name, shape, static_cast<std::uint8_t>(tensor.dtype),
                                fill ? &*fill : nullptr);
    });
    auto const inputs = vector_of(builder, header.inputs, [&](Input const& value) { return input(builder, value); });
    auto const outputs = vector_of(builder, header.outputs, [&](Output const& output) {
        return fb::CreateOutput(builder, output.tensor.value(), string(output.name));
    });
    auto const kernels =
        vector_of(builder, header.kernels, [&](Kernel const& value) { return kernel(builder, value); });
    auto const movements =
        vector_of(builder, header.movements, [&](Movement const& value) { return movement(builder, value); });
    auto const reshapes = vector_of(builder, header.reshapes, [&](ReshapeSpec const& value) {
        auto const node = string(value.node);
        auto const from = builder.CreateVector(value.from), to = builder.CreateVector(value.to);
        return fb::CreateReshape(builder, node, from, to);
    });
    auto const fills = vector_of(builder, header.fills, [&](FillSpec const& fill) {
        fb::Scalar const value = scalar(fill.value);
        return fb::CreateFill(builder, string(fill.node), &value);
    });
    auto const predicted = prediction(builder, header.prediction);
    auto const loops = vector_of(builder, header.loops, [&](LoopSpec const& loop) {
        return fb::CreateLoopSpec(builder, string(loop.name), loop.iterations, loop.conditional, number(loop.outer));
    });
    auto const fusions =
        vector_of(builder, header.fusions, [&](FusionSpec const& spec) { return fusion(builder, spec); });
    std::vector<fb::Moment> moments;
    for (MomentSpec const& moment : header.moments) moments.emplace_back(moment.nodes, number(moment.loop));
    std::vector<std::int32_t> node_order;
    for (NodeId node : header.node_order) node_order.push_back(node.value());
    auto const orders = vector_of(builder, header.orders, [&](graph::ContractionOrder const& order) {
        return contraction_order(builder, order);
    });
    auto const next = vector_of(builder, header.next.all(), [&](Succession::List const& list) {
        return fb::CreateLabels(builder, builder.CreateVector(list));
    });
    auto const moment_structs = builder.CreateVectorOfStructs(moments);
    auto const order_numbers = builder.CreateVector(node_order);
    builder.Finish(fb::CreateHeader(builder, name, text, file, folder, header.ranks, strategy, place, params, tensors,
                                    inputs, outputs, kernels, movements, reshapes, fills, predicted, loops,
                                    header.reproducible, moment_structs, order_numbers, fusions, orders, next));
    return finished(builder);
}

}  // namespace ein::schedule
