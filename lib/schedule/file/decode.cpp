#include "lib/base/error.hpp"
#include "lib/scalar/expression/parse.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/schedule_generated.h"

namespace ein::schedule {
namespace {

[[noreturn]] void damaged(std::string const& file, std::string const& found) {
    throw InputError(Fault{file, "", "a sound schedule", found, "write it again with einplan"});
}

template <class Table>
Table const& verified_root(std::span<std::uint8_t const> bytes, std::string const& file) {
    constexpr std::size_t most_tables = std::size_t{1} << 30;
    flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 16, most_tables);
    if (!verifier.VerifyBuffer<Table>(nullptr)) damaged(file, "a damaged table");
    return *flatbuffers::GetRoot<Table>(bytes.data());
}

std::string text(flatbuffers::String const* value) { return value ? value->str() : std::string(); }

template <class Value>
std::vector<Value> numbers(flatbuffers::Vector<Value> const* values) {
    return values ? std::vector<Value>(values->begin(), values->end()) : std::vector<Value>();
}

template <class Enum>
Enum checked_enum(std::uint8_t value, std::size_t count, std::string const& file, char const* what) {
    if (value >= count) damaged(file, "the unknown " + std::string(what) + " " + std::to_string(value));
    return static_cast<Enum>(value);
}

template <class IdType>
OptionalId<IdType> optional_id(std::int32_t number) {
    return number == absent ? OptionalId<IdType>() : OptionalId(IdType{number});
}

DType dtype(std::uint8_t value, std::string const& file) {
    return checked_enum<DType>(value, dtype_count, file, "dtype");
}

scalar::Scalar scalar(fb::Scalar const* value) {
    if (!value) return {};
    return {value->is_integer(), value->integer(), {value->real(), value->imag()}};
}

tensor::Source source(fb::Input const& in, std::string const& file) {
    switch (in.kind()) {
        case 0: return tensor::MissingSource{};
        case 1: return tensor::NpySource{text(in.text())};
        case 2: return tensor::NpzSource{text(in.text()), text(in.entry())};
        case 3: return tensor::SafetensorsSource{text(in.text()), text(in.entry())};
        case 4: {
            auto const offset = static_cast<std::int64_t>(in.whole());
            return tensor::RawSource{text(in.text()), offset == no_offset ? std::nullopt : std::optional(offset)};
        }
        case 5: return tensor::FillSource{{in.a(), in.b()}, static_cast<std::int64_t>(in.whole())};
        case 6: {
            tensor::ValuesSource values;
            for (std::uint8_t byte : numbers(in.bytes())) values.bytes.push_back(std::byte{byte});
            return values;
        }
        case 7:
            return tensor::RandomSource{checked_enum<tensor::Distribution>(in.choice(), 2, file, "distribution"),
                                        in.a(), in.b(), in.whole()};
        default: damaged(file, "the unknown kind of data " + std::to_string(in.kind()));
    }
}
static_assert(std::variant_size_v<tensor::Source> == 8, "a new source needs its fields in encode.cpp and decode.cpp");

Kernel kernel(fb::Kernel const& in, scalar::Params const& params, std::string const& file) {
    Kernel out;
    out.node = text(in.node());
    graph::EinSum& e = out.einsum;
    if (in.labels())
        for (auto const* label : *in.labels()) e.labels.push_back(text(label));
    e.extents = numbers(in.extents());
    if (in.inputs())
        for (auto const* axes : *in.inputs()) e.inputs.push_back(numbers(axes->of()));
    e.output = numbers(in.output());
    e.agg = checked_enum<scalar::Agg>(in.agg(), scalar::agg_count, file, "aggregation");
    out.compute = dtype(in.compute(), file);
    scalar::Names names{static_cast<int>(e.operands()), e.labels, {}};
    for (auto const& [name, value] : params) names.params.push_back(name);
    scalar::ParseResult const join = scalar::parse(text(in.join()), names);
    if (join.expr.empty()) damaged(file, "the unreadable join '" + text(in.join()) + "' of node '" + out.node + "'");
    e.join = join.expr;
    return out;
}

Prediction prediction(fb::Prediction const* in) {
    if (!in) return {};
    return {in->flops(),
            numbers(in->bytes_sent()),
            numbers(in->bytes_received()),
            numbers(in->messages_sent()),
            numbers(in->peak_bytes()),
            in->worst_case_elements(),
            in->worst_case_bytes()};
}

/// Calls read for each table of a vector that may be missing.
template <class Vector, class Read>
auto all_of(Vector const* values, Read read) {
    std::vector<decltype(read(*values->Get(0)))> out;
    if (values)
        for (auto const* value : *values) out.push_back(read(*value));
    return out;
}

template <class IdType, class Vector, class Read>
auto table(Vector const* values, Read read) {
    auto list = all_of(values, read);
    return ein::Table<IdType, typename decltype(list)::value_type>(std::move(list));
}

}  // namespace

Header decode_header(std::span<std::uint8_t const> bytes, std::string const& file) {
    auto const& in = verified_root<fb::Header>(bytes, file);
    Header out;
    out.name = text(in.name());
    out.graph_text = text(in.graph_text());
    out.graph_file = text(in.graph_file());
    out.folder = text(in.folder());
    out.ranks = in.ranks();
    out.strategy = text(in.strategy());
    out.place = text(in.place());
    if (in.params())
        for (auto const* param : *in.params()) out.params[text(param->name())] = param->value();
    out.tensors = table<TensorId>(in.tensors(), [&](fb::Tensor const& t) {
        return Tensor{text(t.name()), numbers(t.shape()), dtype(t.dtype(), file)};
    });
    out.inputs = table<InputId>(in.inputs(), [&](fb::Input const& i) {
        return Input{TensorId{i.tensor()}, source(i, file)};
    });
    out.outputs = table<OutputId>(in.outputs(), [&](fb::Output const& o) {
        return Output{TensorId{o.tensor()}, text(o.name())};
    });
    out.kernels = table<KernelId>(in.kernels(), [&](fb::Kernel const& k) { return kernel(k, out.params, file); });
    out.movements = table<MovementId>(in.movements(), [&](fb::Movement const& m) {
        Movement movement{text(m.node()), {}};
        if (m.axes())
            for (auto const* axis : *m.axes()) movement.axes.push_back({axis->start(), axis->step()});
        return movement;
    });
    out.reshapes = table<ReshapeId>(in.reshapes(), [&](fb::Reshape const& r) {
        return ReshapeSpec{text(r.node()), numbers(r.from()), numbers(r.to())};
    });
    out.fills = table<FillId>(in.fills(), [&](fb::Fill const& f) {
        return FillSpec{text(f.node()), scalar(f.value())};
    });
    out.prediction = prediction(in.prediction());
    out.loops = table<LoopSpecId>(in.loops(), [&](fb::LoopSpec const& l) {
        return LoopSpec{text(l.name()), l.iterations(), l.conditional()};
    });
    return out;
}

Section decode_section(std::span<std::uint8_t const> bytes, std::string const& file) {
    auto const& in = verified_root<fb::Section>(bytes, file);
    Section out;
    if (in.blocks())
        for (auto const* b : *in.blocks())
            out.blocks.add({TensorId{b->tensor()}, dtype(b->dtype(), file),
                            checked_enum<BlockFormat>(b->format(), format_traits.size(), file, "block format"),
                            b->readers(), b->writers(), b->order(), b->coords()});
    if (in.tasks()) {
        out.tasks.reserve(in.tasks()->size());
        for (auto const* t : *in.tasks())
            out.tasks.add(Task({checked_enum<TaskKind>(t->kind(), task_kinds, file, "kind of task"), t->accumulates(),
                                t->entry(), t->first_operand(), t->operands(), optional_id<BlockId>(t->result()),
                                optional_id<TaskId>(t->after()), t->order(), t->coords(), t->peer(), t->tag()}));
    }
    for (std::int32_t block : numbers(in.operands())) out.operands.emplace_back(block);
    out.coords = numbers(in.coords());
    out.loops = table<LoopId>(in.loops(), [&](fb::Loop const& l) {
        Loop loop{LoopSpecId{l.spec()}, TaskId{l.first()}, TaskId{l.last()}, optional_id<BlockId>(l.condition()), {}};
        if (l.carries())
            for (auto const* carry : *l.carries())
                loop.carries.push_back({BlockId{carry->inside()}, BlockId{carry->next()}});
        return loop;
    });
    return out;
}

}  // namespace ein::schedule
