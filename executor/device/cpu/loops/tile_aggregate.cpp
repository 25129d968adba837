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
    auto const made = [&](TileAggregate loops, ScanLoop scan) {
        if (op == TileOp::sum) loops.scan = scan;
        return loops;
    };
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512)
        return made(avx512::tile_loops(op, registers), avx512::scan_loop(registers));
    if (instruction_set() == InstructionSet::avx2)
        return made(avx2::tile_loops(op, registers), avx2::scan_loop(registers));
#endif
    return made(baseline::tile_loops(op, registers), baseline::scan_loop(registers));
}

TileAggregate widening_sums_of(DType values, DType accumulator) {
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::widening_sums(values, accumulator);
    if (instruction_set() == InstructionSet::avx2) return avx2::widening_sums(values, accumulator);
#endif
    return baseline::widening_sums(values, accumulator);
}

BestLoops best_loops(scalar::Agg agg, DType type) {
    Better const better = agg == scalar::Agg::min ? Better::less : Better::greater;
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::best_tile_loops(better, type);
    if (instruction_set() == InstructionSet::avx2) return avx2::best_tile_loops(better, type);
#endif
    return baseline::best_tile_loops(better, type);
}

}  // namespace ein::executor
