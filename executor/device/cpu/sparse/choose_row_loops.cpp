#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/sparse/merge_loops.hpp"
#include "executor/device/cpu/sparse/pair_row_loops.hpp"
#include "executor/device/cpu/sparse/row_loops.hpp"

namespace ein::executor {

template <class T>
RowLoops<T> row_loops() {
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::row_loops<T>();
    if (instruction_set() == InstructionSet::avx2) return avx2::row_loops<T>();
#endif
    return baseline::row_loops<T>();
}
template RowLoops<float> row_loops();
template RowLoops<double> row_loops();
template RowLoops<std::uint64_t> row_loops();
template RowLoops<Complex<float>> row_loops();
template RowLoops<Complex<double>> row_loops();

template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg) {
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::pair_row_loops<T>(join, agg);
    if (instruction_set() == InstructionSet::avx2) return avx2::pair_row_loops<T>(join, agg);
#endif
    return baseline::pair_row_loops<T>(join, agg);
}
template PairRowLoops<float> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<double> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<std::uint64_t> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<Complex<float>> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<Complex<double>> pair_row_loops(PairJoin, PairAgg);

template <class Key>
MergeLoops<Key> merge_loops() {
#ifdef EIN_X86_LOOPS
    if (instruction_set() == InstructionSet::avx512) return avx512::merge_loops<Key>();
    if (instruction_set() == InstructionSet::avx2) return avx2::merge_loops<Key>();
#endif
    return baseline::merge_loops<Key>();
}
template MergeLoops<std::uint32_t> merge_loops();
template MergeLoops<std::uint64_t> merge_loops();

}  // namespace ein::executor
