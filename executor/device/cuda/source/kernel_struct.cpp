#include "executor/device/cuda/source/kernel_struct.hpp"

#include <algorithm>

namespace ein::executor::cuda {
namespace {

char const* access_name(Loops const& loops, int operand, Lanes lanes) {
    if (lanes.count == 1 || step_of(loops.at(static_cast<std::size_t>(lanes.loop)), operand) == 0) return "fixed";
    return loops.in_runs(operand, lanes.loop, lanes.count) ? "run" : "strided";
}

std::string text_of(Extent value) { return std::to_string(value); }

}  // namespace

KernelStruct::KernelStruct(EinsumText const& text, Loops const& loops, Lanes lanes, std::string const& arguments)
    : text_(text), loops_(loops), lanes_(lanes) {
    begins_ = scalar::labels_of(text.shape.kernel->einsum.join);
    KernelTypes const& types = text.types;
    Extent const last = lanes.count == 1 ? 1 : loops.at(static_cast<std::size_t>(lanes.loop)).length;
    add("using Index = " + std::string(loops.fit(text.gpu.wide_from) ? "i32" : "i64") + ";");
    add("using Output = " + element_name(text.shape.output_dtype) + ";");
    add("using State = " + state_name(text.shape.kernel->einsum.agg, types.accumulate) + ";");
    constant("i32", "operands", static_cast<Extent>(loops.operands.size()));
    constant("i32", "outer", static_cast<Extent>(loops.outer.size()));
    constant("i32", "inner", static_cast<Extent>(loops.inner.size()));
    constant("i32", "lanes", lanes.count).constant("i32", "lane_loop", lanes.loop);
    constant("bool", "whole_lanes", last % lanes.count == 0);
    add("static constexpr Access output_access = " + std::string(access_name(loops, -1, lanes)) + ";");
    constant("bool", "accumulate", text.shape.accumulate);
    add("using Arguments = ein::" + arguments + "<operands, " + text_of(static_cast<Extent>(begins_.size())) +
        ", outer + inner>;");
    add("EIN_FN static auto stored(State::T value) { return " + converted("value", text.shape.output_dtype) + "; }");
    add("EIN_FN static State::T accumulated(Register<Output> held) { return " + converted("held", types.accumulate) +
        "; }");
    add_loads();
    add_join();
}

KernelStruct& KernelStruct::add(std::string const& member) {
    members_ += "    " + member + "\n";
    return *this;
}

KernelStruct& KernelStruct::constant(std::string const& type, std::string const& name, Extent value) {
    return add("static constexpr " + type + " " + name + " = " + text_of(value) + ";");
}

std::string KernelStruct::loaded(std::string const& element) const {
    return converted("widened(" + element + ")", text_.types.compute);
}

/// struct Values: for operand k the lanes x<k>, in the compute type.
void KernelStruct::add_loads() {
    std::string values, loads, aligned = "true";
    if (std::string(access_name(loops_, -1, lanes_)) == "run") aligned += " && is_aligned<Output, lanes>(a.output)";
    for (std::size_t k = 0; k < loops_.operands.size(); ++k) {
        std::string const number = std::to_string(loops_.operands[k]), at = std::to_string(k);
        std::string const access = access_name(loops_, static_cast<int>(k), lanes_);
        std::string const lanes = access == "fixed" ? "1" : std::to_string(lanes_.count);
        DType const compute = text_.types.compute;
        if (access == "run")
            aligned += " && is_aligned<" + element_name(loops_.dtypes[k]) + ", lanes>(a.operand[" + at + "])";
        values += "        Pack<" + register_name(compute) + ", " + lanes + "> x" + number + ";\n";
        loads += "        auto const r" + number + " = lanes_of<" + access + ", lanes, " +
                 element_name(loops_.dtypes[k]) + ">(a.operand[" + at + "], place.operand[" + at + "], (Index)a.step[" +
                 at + "][lane_loop], count, aligned);\n" + "#pragma unroll\n        for (i32 lane = 0; lane < " +
                 lanes + "; ++lane) v.x" + number + ".at[lane] = " + loaded("r" + number + ".at[lane]") + ";\n";
    }
    add("struct Values {\n" + values + "    };");
    add("EIN_FN static bool aligned(Arguments const& a) { return " + aligned + "; }");
    add("EIN_FN static Values load(Arguments const& a, Place<K> const& place, i32 count, bool aligned) {\n        "
        "Values v;\n" +
        loads + "        return v;\n    }");
}

/// i<l> for each label l that the join asks for: its begin and where the lane is along it.
std::string KernelStruct::index_statements() const {
    std::string text;
    for (std::size_t b = 0; b < begins_.size(); ++b) {
        auto const& asked = text_.join.labels;
        if (std::find(asked.begin(), asked.end(), begins_[b]) == asked.end()) continue;
        text += "        i64 const i" + std::to_string(begins_[b]) + " = a.begin[" + std::to_string(b) + "]";
        for (std::size_t loop = 0; loop < loops_.count(); ++loop) {
            if (loops_.at(loop).label != begins_[b]) continue;
            text += " + place.position[" + std::to_string(loop) + "]";
            if (lanes_.count > 1 && static_cast<int>(loop) == lanes_.loop) text += " + lane";
        }
        text += ";\n";
    }
    return text;
}

/// at<k> for each operand k that the join asks it of: where the lane's element is.
std::string KernelStruct::place_statements() const {
    std::string text;
    for (std::size_t k = 0; k < loops_.operands.size(); ++k) {
        auto const& asked = text_.join.places;
        if (std::ranges::find(asked, loops_.operands[k]) == asked.end()) continue;
        text += "        i64 const at" + std::to_string(loops_.operands[k]) + " = (i64)place.operand[" +
                std::to_string(k) + "]";
        if (lanes_.count > 1) text += " + lane * a.step[" + std::to_string(k) + "][lane_loop]";
        text += ";\n";
    }
    return text;
}

void KernelStruct::add_join() {
    std::string text =
        "EIN_FN static State::T join(Arguments const& a, Values const& v, i32 lane, Place<K> const& place) {\n";
    for (std::size_t k = 0; k < loops_.operands.size(); ++k) {
        std::string const number = std::to_string(loops_.operands[k]);
        text += "        " + register_name(text_.types.compute) + " const x" + number + " = of_lane(v.x" + number +
                ", lane);\n";
    }
    add(text + index_statements() + place_statements() + text_.join.statements + "        return " + text_.join.value +
        ";\n    }");
}

Kernel KernelStruct::kernel(std::string const& stem, unsigned threads, std::string const& call) const {
    return named(stem, "namespace ein {\nnamespace @_ {\nstruct K {\n" + members_ + "};\nEIN_ENTRY(@, " +
                           std::to_string(threads) + ", K::Arguments) { " + call + "; }\n}\n}\n");
}

Launch KernelStruct::launch(Kernel kernel, unsigned threads) const {
    return {std::move(kernel), 1, 1, threads, loops_.operands, begins_, {}};
}

Words KernelStruct::words(Extent terms, Extent part, Extent parts) const {
    Words words;
    Extent outputs = 1, lane_length = 1;
    for (std::size_t loop = 0; loop < loops_.count(); ++loop) {
        bool const lane_loop = lanes_.count > 1 && static_cast<int>(loop) == lanes_.loop;
        Extent const length = loops_.at(loop).length,
                     groups = lane_loop ? (length + lanes_.count - 1) / lanes_.count : length;
        if (lane_loop) lane_length = length;
        if (loop < loops_.outer.size()) outputs *= groups;
        words.length(groups);
    }
    words.length(1);
    for (std::size_t k = 0; k < std::max<std::size_t>(1, loops_.operands.size()); ++k) {
        for (std::size_t loop = 0; loop < loops_.count(); ++loop)
            words.add(k < loops_.operands.size() ? loops_.at(loop).steps[k] : 0);
        words.add(0);
    }
    for (std::size_t loop = 0; loop < loops_.count(); ++loop) words.add(loops_.at(loop).output_step);
    words.add(0).add(outputs).add(terms).add(part).add(parts).add(lane_length);
    return words;
}

std::string state_name(scalar::Agg agg, DType type) {
    std::string const element = element_name(type);
    switch (agg) {
        case scalar::Agg::sum: return "Plain<Sum<" + element + ">>";
        case scalar::Agg::prod: return "Plain<Product<" + element + ">>";
        case scalar::Agg::min: return "Plain<Least<" + element + ">>";
        case scalar::Agg::max: return "Plain<Greatest<" + element + ">>";
        case scalar::Agg::any: return "Plain<Sum<boolean>>";
        case scalar::Agg::all: return "Plain<Product<boolean>>";
        case scalar::Agg::logsumexp: break;
    }
    return is_complex(type) ? "Plain<LogAdd<" + element + ">>" : "Logarithms<" + register_name(type) + ">";
}

Extent state_bytes(scalar::Agg agg, DType type) {
    auto const bytes = static_cast<Extent>(register_bytes(type));
    return scalar::info(agg).by_exponentials && !is_complex(type) ? 2 * bytes : bytes;
}

}  // namespace ein::executor::cuda
