#include "executor/device/cpu/instruction_set.hpp"
#include "executor/device/cpu/sparse/merge_loops.hpp"
#include "executor/device/cpu/sparse_products/pair_row_loops.hpp"
#include "executor/device/cpu/sparse_products/row_loops.hpp"

namespace ein::executor {

template <class T>
RowLoops<T> row_loops() {
    return EIN_OF_BEST_SET(row_loops<T>());
}
template RowLoops<float> row_loops();
template RowLoops<double> row_loops();
template RowLoops<std::uint64_t> row_loops();
template RowLoops<Complex<float>> row_loops();
template RowLoops<Complex<double>> row_loops();

template <class T>
PairRowLoops<T> pair_row_loops(PairJoin join, PairAgg agg) {
    return EIN_OF_BEST_SET(pair_row_loops<T>(join, agg));
}
template PairRowLoops<float> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<double> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<std::uint64_t> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<Complex<float>> pair_row_loops(PairJoin, PairAgg);
template PairRowLoops<Complex<double>> pair_row_loops(PairJoin, PairAgg);

template <class Key>
MergeLoops<Key> merge_loops() {
    return EIN_OF_BEST_SET(merge_loops<Key>());
}
template MergeLoops<std::uint32_t> merge_loops();
template MergeLoops<std::uint64_t> merge_loops();

}  // namespace ein::executor
