#include "lib/base/error.hpp"
#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/schedule/file/codec.hpp"
#include "lib/schedule/file/damaged.hpp"
#include "lib/schedule/schedule_generated.h"

namespace ein::schedule {

void damaged(std::string const& file, std::string const& found) {
    throw InputError(Fault{file, "", "a sound schedule", found, "write it again with einplan"});
}

namespace {

/// The bytes of one part, and how many of them may yet be copied: each is copied once at most. A file that somebody
/// made to harm may refer to one list from many tables.
class PartReader {
public:
    PartReader(std::span<std::uint8_t const> bytes, std::string const& file)
        : bytes_(bytes), file_(file), left_(bytes.size()) {}

    std::string const& file() const { return file_; }

    /// The library's verifier, and what it does not look at: a table is known by an offset of four bytes.
    template <class Table>
    Table const& root() const {
        auto const most_tables = static_cast<flatbuffers::uoffset_t>(bytes_.size() / 4 + 1);
        flatbuffers::Verifier verifier(bytes_.data(), bytes_.size(), 16, most_tables);
        if (!verifier.VerifyBuffer<Table>(nullptr)) damaged(file_, "a damaged table");
        return *flatbuffers::GetRoot<Table>(bytes_.data());
    }

    std::string text(flatbuffers::String const* value) {
        if (!value) return {};
        take(value->size());
        return value->str();
    }

    /// Numbers, or structs, of a list that may be missing.
    template <class Value>
    std::vector<Value> numbers(flatbuffers::Vector<Value> const* values) {
        if (!values || values->size() == 0) return {};  // the library aligns no empty list
        check(*values, sizeof(Value), alignof(Value));
        return {values->begin(), values->end()};
    }
    template <class Struct>
    std::vector<Struct const*> structs(flatbuffers::Vector<Struct const*> const* values) {
        if (!values || values->size() == 0) return {};
        check(*values, sizeof(Struct), alignof(Struct));
        return {values->begin(), values->end()};
    }

private:
    /// That elements stand where their type may: the verifier looks at where the list's length stands, which is too
    /// little for elements of eight bytes.
    template <class Vector>
    void check(Vector const& values, std::size_t size, std::size_t alignment) {
        take(values.size() * size);
        if (reinterpret_cast<std::uintptr_t>(values.Data()) % alignment != 0) damaged(file_, "a misaligned list");
    }
    void take(std::size_t bytes) {
        if (bytes > left_) damaged(file_, "lists that several tables have");
        left_ -= bytes;
    }

    std::span<std::uint8_t const> bytes_;
    std::string const& file_;
    std::size_t left_;
};

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

tensor::RandomSource random(fb::Input const& in, std::string const& file) {
    return {checked_enum<tensor::Distribution>(in.choice(), 2, file, "distribution"), in.a(), in.b(), in.whole()};
}

tensor::Source source(fb::Input const& in, PartReader& part) {
    std::string const& file = part.file();
    switch (in.kind()) {
        case 0: return tensor::MissingSource{};
        case 1: return tensor::NpySource{part.text(in.text())};
        case 2: return tensor::NpzSource{part.text(in.text()), part.text(in.entry())};
        case 3: return tensor::SafetensorsSource{part.text(in.text()), part.text(in.entry())};
        case 4: {
            auto const offset = static_cast<std::int64_t>(in.whole());
            return tensor::RawSource{part.text(in.text()), offset == no_offset ? std::nullopt : std::optional(offset)};
        }
        case 5: return tensor::FillSource{{in.a(), in.b()}, static_cast<std::int64_t>(in.whole())};
        case 6: {
            tensor::ValuesSource values;
            for (std::uint8_t byte : part.numbers(in.bytes())) values.bytes.push_back(std::byte{byte});
            return values;
        }
        case 7: return random(in, file);
        case 8: return tensor::MtxSource{part.text(in.text())};
        case 9: return tensor::TnsSource{part.text(in.text())};
        case 10: return tensor::ScipySource{part.text(in.text())};
        case 11: return tensor::SparseRandomSource{random(in, file), in.density()};
        default: damaged(file, "the unknown kind of data " + std::to_string(in.kind()));
    }
}
std::optional<tensor::Fingerprint> fingerprint(fb::Fingerprint const* in) {
    if (!in) return std::nullopt;
    return tensor::Fingerprint{in->size(), in->checksum()};
}

static_assert(std::variant_size_v<tensor::Source> == 12, "a new source needs its fields in encode.cpp and decode.cpp");

Kernel kernel(fb::Kernel const& in, scalar::Params const& params, PartReader& part) {
    Kernel out;
    out.node = part.text(in.node());
    graph::EinSum& e = out.einsum;
    if (in.labels())
        for (auto const* label : *in.labels()) e.labels.push_back(part.text(label));
    e.extents = part.numbers(in.extents());
    if (in.inputs())
        for (auto const* axes : *in.inputs()) e.inputs.push_back(part.numbers(axes->of()));
    e.output = part.numbers(in.output());
    e.agg = checked_enum<scalar::Agg>(in.agg(), scalar::agg_count, part.file(), "aggregation");
    out.compute = dtype(in.compute(), part.file());
    out.looked_up = part.numbers(in.looked_up());
    scalar::Names names{static_cast<int>(e.operands()), e.labels, {}};
    for (auto const& [name, value] : params) names.params.push_back(name);
    std::string const text = part.text(in.join());
    scalar::ParseResult const join = scalar::parse(text, names);
    if (join.expr.empty()) damaged(part.file(), "the unreadable join '" + text + "' of node '" + out.node + "'");
    e.join = join.expr;
    return out;
}

Prediction prediction(fb::Prediction const* in, PartReader& part) {
    if (!in) return {};
    return {in->flops(),
            part.numbers(in->bytes_sent()),
            part.numbers(in->bytes_received()),
            part.numbers(in->messages_sent()),
            part.numbers(in->peak_bytes()),
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

FusionSpec fusion(fb::Fusion const& in, PartReader& part) {
    FusionSpec out;
    out.members = all_of(in.members(), [&](fb::Member const& m) {
        FusionSpec::Member member{KernelId{m.kernel()}, {}, TensorId{m.tensor()}, dtype(m.dtype(), part.file())};
        for (auto const* operand : part.structs(m.operands()))
            member.operands.push_back({operand->is_inside(), operand->place()});
        return member;
    });
    out.axes = all_of(in.axes(), [&](fb::Axis const& a) {
        return FusionSpec::Axis{part.numbers(a.labels()), a.parts(), a.is_carried()};
    });
    return out;
}

graph::ContractionOrder contraction_order(fb::ContractionOrder const& o, PartReader& part) {
    graph::ContractionOrder out{part.text(o.value()), {}, std::nullopt};
    std::vector<int> const path = part.numbers(o.path());
    for (std::size_t k = 0; k + 1 < path.size(); k += 2) out.path.emplace_back(path[k], path[k + 1]);
    if (o.sliced() == nullptr || o.sliced()->size() == 0) return out;
    out.slicing.emplace();
    out.slicing->at_once = o.at_once();
    for (auto const* label : *o.sliced()) out.slicing->labels.push_back(part.text(label));
    return out;
}

}  // namespace

Header decode_header(std::span<std::uint8_t const> bytes, std::string const& file) {
    PartReader part(bytes, file);
    auto const& in = part.root<fb::Header>();
    Header out;
    out.name = part.text(in.name());
    out.graph_text = part.text(in.graph_text());
    out.graph_file = part.text(in.graph_file());
    out.folder = part.text(in.folder());
    out.ranks = in.ranks();
    out.strategy = part.text(in.strategy());
    out.place = part.text(in.place());
    out.reproducible = in.reproducible();
    if (in.params())
        for (auto const* param : *in.params()) out.params[part.text(param->name())] = param->value();
    out.tensors = table<TensorId>(in.tensors(), [&](fb::Tensor const& t) {
        return Tensor{part.text(t.name()), part.numbers(t.shape()), dtype(t.dtype(), file),
                      t.fill() != nullptr ? std::optional(scalar(t.fill())) : std::nullopt};
    });
    out.inputs = table<InputId>(in.inputs(), [&](fb::Input const& i) {
        return Input{TensorId{i.tensor()}, source(i, part), fingerprint(i.planned())};
    });
    out.outputs = table<OutputId>(in.outputs(), [&](fb::Output const& o) {
        return Output{TensorId{o.tensor()}, part.text(o.name())};
    });
    out.kernels = table<KernelId>(in.kernels(), [&](fb::Kernel const& k) { return kernel(k, out.params, part); });
    out.movements = table<MovementId>(in.movements(), [&](fb::Movement const& m) {
        Movement movement{part.text(m.node()), {}};
        for (auto const* axis : part.structs(m.axes())) movement.axes.push_back({axis->start(), axis->step()});
        return movement;
    });
    out.reshapes = table<ReshapeId>(in.reshapes(), [&](fb::Reshape const& r) {
        return ReshapeSpec{part.text(r.node()), part.numbers(r.from()), part.numbers(r.to())};
    });
    out.fills = table<FillId>(in.fills(), [&](fb::Fill const& f) {
        return FillSpec{part.text(f.node()), scalar(f.value())};
    });
    out.prediction = prediction(in.prediction(), part);
    out.loops = table<LoopSpecId>(in.loops(), [&](fb::LoopSpec const& l) {
        return LoopSpec{part.text(l.name()), l.iterations(), l.conditional(), optional_id<LoopSpecId>(l.outer())};
    });
    out.fusions = table<FusionId>(in.fusions(), [&](fb::Fusion const& f) { return fusion(f, part); });
    for (auto const* moment : part.structs(in.moments()))
        out.moments.add({moment->nodes(), optional_id<LoopSpecId>(moment->loop())});
    for (std::int32_t node : part.numbers(in.node_order())) out.node_order.emplace_back(node);
    if (in.orders())
        for (auto const* order : *in.orders()) out.orders.push_back(contraction_order(*order, part));
    if (in.next() && in.next()->size() != Succession::tables) damaged(file, "lists of other tables");
    if (in.next())
        for (std::size_t table = 0; table < Succession::tables; ++table)
            out.next.all()[table] = part.numbers(in.next()->Get(static_cast<flatbuffers::uoffset_t>(table))->of());
    return out;
}

}  // namespace ein::schedule
