#include "executor/device/cpu/loops/strip_aggregate.hpp"

#include "executor/device/cpu/instruction_set.hpp"
#include "lib/base/error.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::executor {
namespace {

StripOp op_of(scalar::Agg agg, bool logic) {
    switch (agg) {
        case scalar::Agg::sum: return logic ? StripOp::any : StripOp::sum;
        case scalar::Agg::prod: return logic ? StripOp::all : StripOp::prod;
        case scalar::Agg::min: return logic ? StripOp::all : StripOp::min;
        case scalar::Agg::max: return logic ? StripOp::any : StripOp::max;
        case scalar::Agg::any: return StripOp::any;
        case scalar::Agg::all: return StripOp::all;
        case scalar::Agg::logsumexp: break;
    }
    throw InternalError("logsumexp has no plain loop");
}

}  // namespace

StripAggregate strip_aggregate(scalar::Agg agg, DType type) {
    if (agg == scalar::Agg::logsumexp) return {};
    StripOp const op = op_of(agg, type == DType::boolean);
    DType const registers = scalar::register_dtype(type);
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::strip_loops(op, registers);
    if (instruction_set() == InstructionSet::avx2) return avx2::strip_loops(op, registers);
#endif
    return baseline::strip_loops(op, registers);
}

}  // namespace ein::executor
