// Any EinSum as loops around vector tiles: operands are brought to the compute type a vector tile at a time, the join
// runs over the vector tile, and its values are stored, or combined into accumulators that are stored when their loops
// end. Leaves the order of loops to loop_plan.hpp, the join to scalar::Program, the accumulators to aggregator.hpp.
// Also what other kernels pack, convert and reduce with: a join that is just an operand costs nothing.
#pragma once

#include <memory>
#include <optional>

#include "executor/device/cpu/loops/aggregator.hpp"
#include "executor/device/cpu/loops/best_loops.hpp"
#include "executor/device/cpu/loops/loop_plan.hpp"
#include "executor/device/cpu/loops/tile_convert.hpp"
#include "executor/device/cpu/moves/turned_tile.hpp"
#include "executor/device/kernel/kernel_types.hpp"
#include "executor/device/kernel/nest.hpp"
#include "lib/graph/best_search.hpp"
#include "lib/scalar/jit/vector_loop.hpp"
#include "lib/scalar/regions/ranges.hpp"

namespace ein::executor {

/// What a loop kernel computes for each element, and how results are combined.
struct LoopBody {
    std::shared_ptr<scalar::Program const> program;  // null: the join is operand 0
    std::vector<std::size_t> used;                   // operands that the join mentions
    std::size_t indices = 0;  // labels of the EinSum whose values it may ask for: the first so many
    DType compute = DType::f32;
    DType join = DType::f32;  // of the join's values
    DType accumulate = DType::f32;
    scalar::Agg agg = scalar::Agg::sum;
    std::shared_ptr<scalar::ExprRanges const> region =
        {};                    // of the join, where it is the identity on part of the indices
    bool of_partials = false;  // its terms are partial results: few, each the sum of many
    /// The label whose least index is looked for where the program's values, 0 or 1, are 1; -1: values are aggregated.
    int finds = -1;
    /// min or max: it is looked for where the program's values are the best ones, which nobody knows yet.
    std::optional<scalar::Agg> best = {};
    /// The type of values when they are aggregated: integers that a sum widens, truths where the join is a number, 0 or
    /// 1. None: that of accumulators.
    std::optional<DType> values = {};

    /// Operand 0, f16 or bf16, is compared by keys, in which the best value is found; the output has the halves, as
    /// they are or as f32.
    std::optional<HalfKey> key = {};
    bool loops = true;  // machine code may be made of the program
    Extent points = 0;  // of all calls together, where a nest is a part of a kernel's

    /// Whether a loop of machine code may be made for it, and whether that is one of integers: for labels beside them,
    /// and with results as they are stored.
    bool becomes_a_loop(Nest const& nest) const;
    bool is_of_integers() const;
    LoopBody without_loops() const {
        LoopBody same = *this;
        same.loops = false;
        return same;
    }
    DType aggregated() const { return values.value_or(accumulate); }
    /// The register types of operands and of the join's values.
    DType operand_registers() const;
    DType join_registers() const;

    /// What an EinSum computes. @throws InputError for a param that `params` lacks
    static LoopBody of(graph::EinSum const& einsum, KernelTypes const& types, scalar::Params const& params);
    /// The same for results that are stored as `output`, each once: a conversion to that at the end, or a comparison's
    /// truth, may be left to storing.
    static LoopBody stored(graph::EinSum const& einsum, KernelTypes const& types, scalar::Params const& params,
                           DType output);
    /// The same where an EinSum is the least index at which a condition of reals holds: the second half of argmin and
    /// argmax. Nothing for others.
    static std::optional<LoopBody> finding(graph::EinSum const& einsum, KernelTypes const& types,
                                           scalar::Params const& params);
    /// The same where the best value is to be found too. @param search  of `einsum`, whose other operands are read
    static std::optional<LoopBody> finding_best(graph::EinSum const& einsum, graph::BestSearch const& search,
                                                scalar::Agg agg, KernelTypes const& types,
                                                std::span<DType const> operands, scalar::Params const& params);
    /// The same of truths that are counted or asked for, and of sums of integers in wider ones, whose values stay as
    /// narrow as they are. Nothing for others.
    static std::optional<LoopBody> narrow(graph::EinSum const& einsum, KernelTypes const& types,
                                          std::span<DType const> operands, scalar::Params const& params);
    /// The least or the greatest of f16 or bf16, as it is or as f32. Nothing for others.
    static std::optional<LoopBody> by_key(graph::EinSum const& einsum, std::span<DType const> operands, DType output);
    /// Operand 0 brought to `type`; over aggregated labels, the sum of its elements.
    static LoopBody identity(DType type, scalar::Agg agg = scalar::Agg::sum);
};

class LoopKernel {
public:
    /// @param nest  simplified, with every length at least 1
    /// @return nothing for what is left to the reference (see Aggregator::make)
    static std::unique_ptr<LoopKernel const> make(Nest nest, LoopBody body);
    ~LoopKernel();

    /// @param begin  index of the first element of each label of the EinSum that the join may ask for
    /// @param next  brought into the cache meanwhile, by a kernel that is not cut into pieces
    void launch(std::span<void const* const> operands, void* output, std::span<Extent const> begin, WorkerTeam& team,
                std::span<std::byte const> next = {}) const;

private:
    class Walk;
    friend class Walk;
    enum class Fetch : std::uint8_t { constant, element, direct, gather };  // element: where it lies, for all of a row
    struct Level {
        std::size_t label;
        Extent block, length;
        Extent tile_stride, output_stride;
        int index;
        bool aggregated;
    };
    struct Layout {  // of a walk's scratch memory: where each part begins, in bytes
        std::size_t pointers, gathered_from, turned_from, held, extents, tile_operands, tile_indices, gathered, values,
            merged, program, tile, state, best, turned, label_values, counted, total;
    };
    struct Partials;
    struct Turned {  // where a tile of an operand lay before it was turned, and its lengths
        std::byte const* from = nullptr;
        Extent inner = 0, grain = 0;
        bool operator==(Turned const&) const = default;
    };

    LoopKernel(Nest nest, LoopBody body, Aggregator aggregator, LoopPlan plan, std::size_t vector_tile);
    /// Whether a vector tile lies in one run, its labels being so far apart.
    bool is_one_run(Extent inner, Extent outer) const;
    bool results_stay() const;
    bool fit_loops(std::span<Extent const> begin) const;
    bool results_stay_narrow() const;
    bool lie_adjacent() const;
    void choose_turned();
    void choose_fetches();
    bool is_turned(std::size_t operand) const;
    /// Whether its elements are computed with as they are.
    bool is_in_registers(std::size_t operand) const {
        DType const registers = body_.operand_registers();
        return nest_.operand_dtypes[operand] == registers && registers == body_.compute;
    }
    /// Bytes from an element of a vector tile to the next, in the operand or where its tile was turned.
    Extent step_along(std::size_t operand) const;
    Extent turned_step(std::size_t operand) const;
    std::size_t turned_bytes() const;
    Extent grain_block() const { return std::min(plan_.grain_block, nest_.labels[plan_.grain].length); }
    Extent extent_of(std::size_t operand) const;
    bool asks_ahead(std::size_t operand) const;
    bool goes_by_row() const;
    void make_loops();
    scalar::VectorLoop::Use use_of_operands() const;
    void lengthen_vector_tiles();
    void choose_strips();
    void lay_out();
    void make_partials();
    void run_piece(std::span<void const* const> operands, void* output, std::span<Extent const> begin,
                   std::int64_t piece, std::span<std::byte const> next = {}) const;

    Nest nest_;
    LoopBody body_;
    Aggregator aggregator_;
    LoopPlan plan_;
    std::vector<Level> levels_;
    std::vector<Extent> strides_;  // of each level, for each operand
    std::vector<Fetch> fetches_;   // by operand
    std::vector<bool>
        ahead_;  // by operand: large and read along vector tiles, so that a vector tile is asked for before its turn
    std::vector<bool> ahead_a_row_;    // by operand: beside turned ones, read along vector tiles
    std::vector<std::size_t> turned_;  // operands that vector tiles cross: tiles of them are turned first
    std::vector<bool> narrowed_;  // by operand: first wrapped or rounded to a compute type that its registers exceed
    std::size_t vector_tile_ = 0;
    bool looped_labels_ = false;                         // loops ask for labels
    std::unique_ptr<LoopKernel const> of_large_labels_;  // for these: without loops
    bool past_cache_ = false;       // the output is large: its lines are written without being read
    bool truths_as_bytes_ = false;  // of what is looked for or counted: the loop makes bytes of 0 or 1
    bool by_row_ =
        false;  // rows of a vector tile are computed one by one: operands lie apart, or one element is a row's
    std::vector<std::int64_t> row_steps_;  // then, of each operand that loops take: bytes from one row to the next
    std::size_t made_bytes_ = 0;           // of an element that the loop makes
    bool accumulates_joined_ = false;      // the join's values are what is aggregated or stored
    bool in_place_ = false;                // a vector tile's values are made where they stay
    BestLoops best_{};                     // of what the best value is found of
    std::unique_ptr<scalar::VectorLoop const> loop_;       // the program as one loop; null: an operation at a time
    std::unique_ptr<scalar::VectorLoop const> streaming_;  // the same, its results past the cache and where they stay
    /// The level over rows of an operand that are aggregated where they lie, several at a time; none: there is no such.
    std::size_t strips_ = LoopPlan::none;
    bool plain_copy_ = false;  // nothing to compute: operand 0's elements, converted once
    Layout layout_{};
    std::unique_ptr<Partials const> partials_;
};

}  // namespace ein::executor
