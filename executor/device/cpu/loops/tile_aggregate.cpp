#include "executor/device/cpu/loops/tile_aggregate.hpp"

#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/loops/best_loops.hpp"
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
    DType const registers = scalar::own_register_dtype(type);
    TileAggregate loops = EIN_OF_BEST_SET(tile_loops(op, registers));
    return loops;
}

TileAggregate widening_sums_of(DType values, DType accumulator) {
    return EIN_OF_BEST_SET(widening_sums(values, accumulator));
}

BestLoops best_loops(scalar::Agg agg, DType type) {
    Better const better = agg == scalar::Agg::min ? Better::less : Better::greater;
    return EIN_OF_BEST_SET(best_tile_loops(better, type));
}

}  // namespace ein::executor
