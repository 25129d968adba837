#include "executor/device/cpu/loops/loop_kernel.hpp"

#include <algorithm>
#include <cstdlib>

#include "executor/device/cpu/loops/loop_walk.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/machine.hpp"
#include "executor/device/cpu/past_cache.hpp"
#include "executor/device/cpu/scratch.hpp"

namespace ein::executor {
namespace {

bool goes_past_cache(Nest const& nest) {
    Extent const bytes = nest.output_elements() * static_cast<Extent>(size_of(nest.output_dtype));
    return !nest.accumulate && std::max(bytes, nest.output_bytes) >= machine::output_past_cache;
}

/// Whether vector tiles are aggregated where they lie in memory, to one element each.
bool is_read_in_place(Nest const& nest, LoopBody const& body) {
    DType const type = nest.operand_dtypes[body.used[0]];
    auto const along = [&](NestLabel const& label) {
        return label.aggregated && label.strides[body.used[0]] == static_cast<Extent>(size_of(type));
    };
    return type == body.compute && (type == body.aggregated() || body.best) &&
           std::any_of(nest.labels.begin(), nest.labels.end(), along);
}

/// Elements for an output each that lie side by side are looked at where they lie, several rows at a time; those that
/// are converted first, several rows at a time too.
std::size_t vector_tile_for_best(Nest const& nest, LoopBody const& body, std::size_t longest) {
    DType const type = nest.operand_dtypes[body.used[0]];
    for (NestLabel const& label : nest.labels)
        if (!label.aggregated && label.strides[body.used[0]] == static_cast<Extent>(size_of(type)) &&
            label.length >= machine::shortest_run_apart_of_best)
            return type == body.compute ? std::min(longest, static_cast<std::size_t>(label.length))
                                        : machine::read_vector_tile;
    return longest;
}

/// Vector tiles that a program makes an operation at a time and a kernel stores past the cache are short enough for
/// stores to leave while the next vector tile is computed.
std::size_t longest_vector_tile(Nest const& nest, LoopBody const& body) {
    if (body.program == nullptr) {
        std::size_t const longest =
            is_read_in_place(nest, body) ? machine::read_vector_tile : machine::long_vector_tile;
        return body.best ? vector_tile_for_best(nest, body, longest) : longest;
    }
    if (body.becomes_a_loop(nest))
        return std::min(body.program->tile(), machine::looped_vector_tile / size_of(body.compute));
    bool const leaves = !nest.aggregates() && goes_past_cache(nest);
    return leaves ? std::min(body.program->tile(), machine::stored_vector_tile / size_of(body.compute))
                  : body.program->tile();
}

ExactTotals exact_totals(LoopPlan const& plan, LoopBody const& body) {
    if (body.of_partials) return ExactTotals::of_values;
    return plan.sums_of_vector_tiles ? ExactTotals::of_vector_tiles : ExactTotals::none;
}

/// Integers whose order does not matter, and what has keys, are combined in rows that are longer than others.
RowForms forms_of(LoopBody const& body, Aggregator const& aggregator) {
    if (body.best) {
        auto const longest = static_cast<Extent>(best_loops(*body.best, body.join_registers()).longest_short_row);
        return {longest, longest, true, false};
    }
    scalar::AggInfo const& agg = scalar::info(body.agg);
    bool const folds = is_exact(body.aggregated()) && (agg.asks || agg.needs_elements);
    bool const middle = aggregator.has_middle() && body.finds < 0 && !body.of_partials;
    return {folds ? machine::longest_folded_row : 0, middle ? machine::longest_middle : 0, folds || agg.needs_elements,
            aggregator.folds() && body.finds < 0 && !body.of_partials};
}

/// For what asks for no index itself.
Nest without_indices(Nest nest) {
    for (NestLabel& label : nest.labels) label.index = -1;
    for (NestLabel& label : nest.whole) label.index = -1;
    return nest;
}

}  // namespace

/// Where pieces share outputs: their partial results, and the kernel that combines them in order.
struct LoopKernel::Partials {
    std::unique_ptr<LoopKernel const> each;     // one piece's part into [outputs], dense
    std::unique_ptr<LoopKernel const> combine;  // [piece][outputs] into the output
    std::size_t piece_bytes = 0;
};

std::unique_ptr<LoopKernel const> LoopKernel::make(Nest nest, LoopBody body) {
    std::size_t const vector_tile = longest_vector_tile(nest.planned(), body);
    std::optional<Aggregator> aggregator = Aggregator::make(body.agg, body.accumulate, ExactTotals::none, body.values);
    if (!aggregator) return nullptr;
    LoopPlan plan = plan_loops(body.finds < 0 ? nest : without_indices(nest), vector_tile, forms_of(body, *aggregator));
    if (body.best) plan.pieces = 1, plan.partial = false;  // whoever calls it has cut it
    aggregator = Aggregator::make(body.agg, body.accumulate, exact_totals(plan, body), body.values);
    if (nest.keeps_order()) aggregator->keep_order();
    std::unique_ptr<LoopKernel> made(
        new LoopKernel(std::move(nest), std::move(body), std::move(*aggregator), std::move(plan), vector_tile));
    if (made->looped_labels_) made->of_large_labels_ = make(made->nest_, made->body_.without_loops());
    return made;
}

LoopKernel::~LoopKernel() = default;

LoopKernel::LoopKernel(Nest nest, LoopBody body, Aggregator aggregator, LoopPlan plan, std::size_t vector_tile)
    : nest_(std::move(nest)),
      body_(std::move(body)),
      aggregator_(std::move(aggregator)),
      plan_(std::move(plan)),
      vector_tile_(vector_tile) {
    for (LoopPlan::Level const& level : plan_.levels) {
        NestLabel const& label = nest_.labels[level.label];
        levels_.push_back({level.label, level.block, label.length, level.tile_stride, label.output_stride, label.index,
                           label.aggregated});
        strides_.insert(strides_.end(), label.strides.begin(), label.strides.end());
    }
    DType const aggregated = scalar::own_register_dtype(body_.aggregated());
    bool const bytes = body_.join == DType::boolean && size_of(body_.join_registers()) == 1;
    accumulates_joined_ = body_.join == body_.aggregated() && (bytes || body_.join_registers() == aggregated);
    plain_copy_ = body_.program == nullptr && !nest_.aggregates() && !nest_.accumulate &&
                  body_.accumulate == body_.compute &&
                  passes_through(nest_.operand_dtypes[0], body_.compute, nest_.output_dtype);
    if (body_.best) best_ = best_loops(*body_.best, body_.join_registers());
    past_cache_ = goes_past_cache(nest_);
    in_place_ = results_stay() && !past_cache_;
    choose_turned();
    choose_fetches();
    for (std::size_t k : turned_) strides_[plan_.turned * nest_.operand_dtypes.size() + k] = turned_step(k);
    make_loops();
    lengthen_vector_tiles();
    choose_strips();
    lay_out();
    if (plan_.partial) make_partials();
}

/// Rows are whole where no level cuts the label along them.
bool LoopKernel::is_one_run(Extent inner, Extent outer) const {
    if (plan_.outer == LoopPlan::none) return true;
    Extent const length =
        nest_.labels[plan_.inner].length * (plan_.middle == LoopPlan::none ? 1 : nest_.labels[plan_.middle].length);
    bool const cut = std::any_of(levels_.begin(), levels_.end(), [&](Level const& level) {
        return level.label == plan_.inner && level.block < level.length;
    });
    return !cut && outer == inner * length;
}

/// Whether a vector tile's values become results one behind another.
bool LoopKernel::lie_adjacent() const {
    if (nest_.aggregates() || nest_.accumulate || plan_.inner == LoopPlan::none) return false;
    Extent const inner = nest_.labels[plan_.inner].output_stride;
    Extent const outer = plan_.outer == LoopPlan::none ? 0 : nest_.labels[plan_.outer].output_stride;
    bool const as_they_come = body_.join == body_.accumulate;
    return as_they_come && inner == static_cast<Extent>(size_of(nest_.output_dtype)) && is_one_run(inner, outer);
}

/// Whether they are the results already.
bool LoopKernel::results_stay() const {
    DType const type = nest_.output_dtype;
    return lie_adjacent() && type == body_.accumulate && body_.join_registers() == scalar::own_register_dtype(type);
}

void LoopKernel::choose_turned() {
    for (std::size_t k : body_.used)
        if (executor::is_turned(nest_, plan_, k)) turned_.push_back(k);
}

bool LoopKernel::is_turned(std::size_t operand) const {
    return std::find(turned_.begin(), turned_.end(), operand) != turned_.end();
}

Extent LoopKernel::step_along(std::size_t operand) const {
    if (is_turned(operand)) return static_cast<Extent>(size_of(nest_.operand_dtypes[operand]));
    return plan_.inner == LoopPlan::none ? 0 : nest_.labels[plan_.inner].strides[operand];
}

void LoopKernel::choose_fetches() {
    DType const registers = body_.operand_registers();
    Extent const size = static_cast<Extent>(size_of(registers));
    fetches_.assign(nest_.operand_dtypes.size(), Fetch::gather);
    for (DType type : nest_.operand_dtypes)
        narrowed_.push_back(type != body_.compute && registers != body_.compute &&
                            promote(type, body_.compute) != body_.compute);
    for (std::size_t k = 0; k < fetches_.size(); ++k) {
        auto const stride = [&](std::size_t l) { return l == LoopPlan::none ? 0 : nest_.labels[l].strides[k]; };
        Extent const inner = step_along(k), outer = stride(plan_.outer);
        if (inner == 0 && outer == 0)
            fetches_[k] = Fetch::constant;
        else if (is_in_registers(k) && inner == size && is_one_run(inner, outer))
            fetches_[k] = Fetch::direct;
        ahead_.push_back(body_.program != nullptr && fetches_[k] == Fetch::direct && asks_ahead(k));
        ahead_a_row_.push_back(!turned_.empty() && !is_turned(k) &&
                               inner == static_cast<Extent>(size_of(nest_.operand_dtypes[k])));
    }
}

/// Of a tile of an operand, whose rows are a cache line longer than vector tiles.
std::size_t LoopKernel::turned_bytes() const {
    Extent bytes = 0;
    for (std::size_t k : turned_) bytes = std::max(bytes, turned_step(k) * grain_block());
    return static_cast<std::size_t>(bytes);
}

Extent LoopKernel::turned_step(std::size_t operand) const {
    Extent const elements = std::min(turned_vector_tile(nest_), nest_.labels[plan_.inner].length);
    std::size_t const bytes = static_cast<std::size_t>(elements) * size_of(nest_.operand_dtypes[operand]);
    return static_cast<Extent>(lines(bytes) + machine::cache_line);
}

/// Vector tiles along outputs that are nothing but their operand's elements, and outside them rows to combine.
void LoopKernel::choose_strips() {
    bool const as_it_is = nest_.aggregates() && body_.program == nullptr && fetches_[body_.used[0]] == Fetch::direct &&
                          (body_.best || (body_.join == body_.aggregated() && aggregator_.takes_rows_apart()));
    if (!as_it_is || !turned_.empty() || plan_.outer != LoopPlan::none || nest_.labels[plan_.inner].aggregated ||
        levels_.empty())
        return;
    std::size_t const last = levels_.size() - 1;
    std::size_t const rows = levels_[last].label == plan_.inner && last > 0 ? last - 1 : last;
    bool const cut_inside = plan_.pieces > 1 && plan_.cut > rows;
    if (levels_[rows].aggregated && levels_[rows].block == 1 && rows >= plan_.scope && !cut_inside) strips_ = rows;
}

void LoopKernel::lay_out() {
    std::size_t total = 0;
    auto const place = [&total](std::size_t bytes) {
        std::size_t const at = total;
        total += lines(bytes);
        return at;
    };
    std::size_t const operands = nest_.operand_dtypes.size(), wide = 16 * vector_tile_;
    layout_.pointers = place((levels_.size() + 1) * operands * sizeof(void*));
    layout_.gathered_from = place(operands * sizeof(void*));
    layout_.turned_from = place(operands * sizeof(Turned));
    layout_.held = place(operands * sizeof(std::size_t));
    layout_.extents = place(nest_.labels.size() * sizeof(Extent));
    layout_.tile_operands = place((operands + body_.indices + 1) * sizeof(scalar::TileOperand));
    layout_.tile_indices = place(body_.indices * sizeof(scalar::TileIndex));
    layout_.gathered = place(plain_copy_ ? 0 : operands * wide);
    layout_.values = place(3 * wide);  // converted or spread; elements that stand for rows; ready to store
    layout_.merged = place(nest_.accumulate ? wide : 0);
    layout_.program = place(body_.program == nullptr ? 0 : std::max(body_.program->scratch_bytes(), wide));
    layout_.tile = place(aggregator_.scratch_bytes(vector_tile_));
    layout_.state = place(nest_.aggregates() ? aggregator_.state_bytes(plan_.tile) : 0);
    layout_.best = place(body_.best ? plan_.tile * size_of(body_.join_registers()) : 0);
    layout_.turned = place(turned_.size() * turned_bytes());
    layout_.label_values = place(looped_labels_ ? (operands + body_.indices) * sizeof(std::int32_t) : 0);
    layout_.counted = place(looped_labels_ ? vector_tile_ * sizeof(std::int32_t) : 0);
    layout_.total = total;
}

/// Every piece's results lie one behind another: [piece][outputs], in the accumulate type's register type.
void LoopKernel::make_partials() {
    DType const registers = scalar::own_register_dtype(body_.accumulate);
    Nest each = nest_, combine;
    each.output_dtype = registers;
    each.accumulate = false;
    auto const place_pieces = [&](std::vector<NestLabel>& of_each, std::vector<NestLabel>& of_combine) {
        Extent stride = static_cast<Extent>(size_of(registers));
        for (std::size_t l = of_each.size(); l-- > 0;) {
            NestLabel& label = of_each[l];
            if (label.aggregated) continue;
            of_combine.insert(of_combine.begin(), NestLabel{label.length, {stride}, label.output_stride, false, -1});
            label.output_stride = stride;
            stride *= label.length;
        }
        of_combine.push_back({plan_.pieces, {stride}, 0, true, -1});
        return stride;
    };
    Extent const stride = place_pieces(each.labels, combine.labels);
    if (nest_.keeps_order()) place_pieces(each.whole, combine.whole);
    combine.operand_dtypes = {registers};
    combine.output_dtype = nest_.output_dtype;
    combine.accumulate = nest_.accumulate;
    simplify(combine);
    auto partials = std::make_unique<Partials>();
    partials->piece_bytes = static_cast<std::size_t>(stride);
    LoopBody const body{nullptr, {0}, 0,  registers, body_.accumulate, body_.accumulate, body_.agg, {},
                        true,    -1,  {}, {},        body_.key};
    partials->combine = make(std::move(combine), body);
    LoopPlan plan = plan_;
    plan.partial = false;
    partials->each.reset(new LoopKernel(std::move(each), body_, aggregator_, std::move(plan), vector_tile_));
    partials_ = std::move(partials);
}

void LoopKernel::launch(std::span<void const* const> operands, void* output, std::span<Extent const> begin,
                        WorkerTeam& team, std::span<std::byte const> next) const {
    if (of_large_labels_ != nullptr && !fit_loops(begin))
        return of_large_labels_->launch(operands, output, begin, team, next);
    if (plan_.pieces == 1) return run_piece(operands, output, begin, 0, next);
    if (!partials_) {
        team.run(plan_.pieces, [&](std::int64_t piece) { run_piece(operands, output, begin, piece); });
        return;
    }
    Scratch const results(static_cast<std::size_t>(plan_.pieces) * partials_->piece_bytes);
    team.run(plan_.pieces, [&](std::int64_t piece) {
        std::byte* const to = results.data() + static_cast<std::size_t>(piece) * partials_->piece_bytes;
        partials_->each->run_piece(operands, to, begin, piece);
    });
    void const* const all = results.data();
    partials_->combine->launch(std::span(&all, 1), output, {}, team);
}

void LoopKernel::run_piece(std::span<void const* const> operands, void* output, std::span<Extent const> begin,
                           std::int64_t piece, std::span<std::byte const> next) const {
    Scratch const scratch(layout_.total);
    Walk walk(*this, operands, output, begin, scratch.data());
    walk.bring_meanwhile(next);
    walk.run(piece);
    if (past_cache_) finish_past_cache();
}

}  // namespace ein::executor
