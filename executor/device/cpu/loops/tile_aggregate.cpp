#include "executor/device/cpu/loops/tile_aggregate.hpp"

#include "executor/device/cpu/instruction_set.hpp"
#include "lib/base/error.hpp"
#include "lib/scalar/program/program.hpp"

namespace ein::executor {
namespace {

TileOp op_of(scalar::Agg agg, bool logic) {
    switch (agg) {
        case scalar::Agg::sum: return logic ? TileOp::any : TileOp::sum;
        case scalar::Agg::prod: return logic ? TileOp::all : TileOp::prod;
        case scalar::Agg::min: return logic ? TileOp::all : TileOp::min;
        case scalar::Agg::max: return logic ? TileOp::any : TileOp::max;
        case scalar::Agg::any: return TileOp::any;
        case scalar::Agg::all: return TileOp::all;
        case scalar::Agg::logsumexp: break;
    }
    throw InternalError("logsumexp has no plain loop");
}

}  // namespace

TileAggregate tile_aggregate(scalar::Agg agg, DType type) {
    if (agg == scalar::Agg::logsumexp) return {};
    TileOp const op = op_of(agg, type == DType::boolean);
    DType const registers = scalar::register_dtype(type);
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::tile_loops(op, registers);
    if (instruction_set() == InstructionSet::avx2) return avx2::tile_loops(op, registers);
#endif
    return baseline::tile_loops(op, registers);
}

}  // namespace ein::executor
