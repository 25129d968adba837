// Runs fused tasks: for each piece, the kernels of all its steps one after the other on one thread;
// pieces are spread over the team. Example: a softmax over rows in 512 pieces of 16 rows: 512 times four small kernels.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "executor/fusion/carried_state.hpp"
#include "executor/fusion/fused_steps.hpp"
#include "executor/fusion/fusion_plan.hpp"
#include "executor/fusion/group_clip.hpp"
#include "executor/fusion/known_blocks.hpp"
#include "executor/fusion/mask_steps.hpp"
#include "executor/storage/block_storage.hpp"

namespace ein::executor {

class FusedGroupRunner {
public:
    /// Prepares the kernels of all pieces of the section's fused tasks.
    FusedGroupRunner(schedule::Header const& header, schedule::Section const& section, Device& device,
                     scalar::Params const& params);

    /// @param seen  sees the steps of a piece of its choice; nullptr: nobody does
    void run(TaskId task, BlockStorage& storage, WorkerTeam& team, FusedSteps* seen = nullptr) const;

private:
    /// How far a piece moves in one step's operands and output along one axis, in bytes an index; 0 in what is inside.
    struct Moves {
        std::vector<std::ptrdiff_t> operands;
        std::ptrdiff_t output = 0;
    };
    /// An operand from outside of which each piece along an axis reads a run of memory of its own.
    struct Stream {
        BlockId block;  // of the section
        std::size_t axis;
        std::ptrdiff_t step;  // bytes an index
    };
    /// What facts about operands from outside were found to be, while one group runs: each is looked at once.
    using KnownFacts = std::vector<std::vector<std::atomic<std::int8_t>>>;
    /// What was found while one group runs.
    struct Found {
        KnownFacts facts, plain_facts;            // of the group, and of the same without what is known of operands
        std::atomic<bool> result_is_known{true};  // so far
    };
    /// Where a piece begins.
    struct Place {
        std::vector<Extent> first, length;  // by axis
        std::vector<std::int64_t> part;     // number of its part of each axis
        unsigned longer = 0;                // axes (bits) that it is an index longer in than others
    };
    /// What of a piece is computed: indices from the region's first on.
    struct PieceClip {
        scalar::IndexRange live;                 // of the clipped label
        std::vector<scalar::IndexRange> masked;  // by step that is in place: of its mask's label, within `live`
    };
    /// A step that is in place, for part of its label.
    struct Masked {
        KernelShape shape;
        std::unique_ptr<PreparedKernel const> kernel;
        std::ptrdiff_t step = 0;  // bytes an index
    };
    /// Pieces of one size.
    struct Piece {
        std::vector<std::unique_ptr<PreparedKernel const>> kernels;  // by step
        /// By step: of one that does without the step before, whose result nobody else reads; else null.
        std::vector<std::unique_ptr<PreparedKernel const>> alone;
        std::vector<KernelShape> shapes;     // of the steps
        std::vector<std::size_t> output_at;  // of each step but the last, in working memory
        std::size_t bytes = 0;               // of working memory
        std::vector<double>
            shares;  // of what is left of the next piece's stream: brought into the cache by each step's kernel
        std::map<std::pair<std::size_t, Extent>, Masked> masks;  // by step and length
    };
    /// The last step's mask, where its kernel only copies.
    struct ResultMask {
        MaskRange range;
        schedule::Kernel kernel;  // as it was
    };
    struct Prepared {
        FusedGroup group;
        std::vector<FusedStep> steps;
        std::vector<std::vector<Moves>> moves;  // of each step, by axis
        /// Bytes from the first element of a block from outside to the first that a member reads, by its inputs; to the
        /// first that the last member writes.
        std::vector<std::vector<std::ptrdiff_t>> input_offsets;
        std::ptrdiff_t output_offset = 0;
        std::optional<Stream> stream;                         // the largest
        std::map<std::pair<unsigned, Extent>, Piece> pieces;  // by Place::longer and the clipped label's length
        std::optional<GroupClip> clip;
        std::vector<std::optional<MaskRange>> masks;  // of each step that is in place
        std::optional<ResultMask> result_mask;
        std::vector<PieceClip> clips;              // by piece; empty: no label is clipped and nothing is masked
        std::vector<Moves> clip_moves;             // of each step, along the label that is clipped or carried
        std::vector<CarriedStep> carried;          // of each step, where the group carries something
        std::map<unsigned, CarriedState> states;   // by Place::longer
        std::vector<std::ptrdiff_t> result_moves;  // of what is carried last, by axis
        Extent carried_length = 0;                 // of a piece of rows
        /// By step: what is known of operands from outside, in the step's labels; and those blocks, of the section.
        std::vector<schedule::KnownOperands> known;
        std::vector<BlockId> relies_on;
        bool drops_masks = false;                     // facts must hold of every piece
        std::unique_ptr<Prepared const> plain;        // the group where what is known does not hold
        std::optional<schedule::Known> known_result;  // looked at while it is made

        bool is_clipped(std::int64_t piece) const { return clip && clips[at(piece)].live != whole; }
        static std::size_t at(std::int64_t piece) { return static_cast<std::size_t>(piece); }
        scalar::IndexRange whole;  // of the clipped or carried label, from 0 on
        /// The label of a step's kernel along which what is computed at once has many lengths; -1: none.
        int label(std::size_t k) const { return !carried.empty() ? carried[k].label : clip ? clip->label(k) : -1; }
        /// Whether the step writes what leaves the group.
        bool leaves(std::size_t k) const {
            return k + 1 == steps.size() && (carried.empty() || !carried[k].is_carried);
        }

        std::span<std::byte const> read_of_stream(Place const& place, BlockStorage& storage) const;
    };

    /// Prepares a group by what is known of its operands, if that leaves something out, and without.
    Prepared prepare(FusedGroup const& group, Device& device, scalar::Params const& params) const;
    enum class Relying : std::uint8_t { on_nothing, on_operands };
    Prepared prepare(FusedGroup group, Relying relying, Device& device, scalar::Params const& params) const;
    /// Takes masks out of steps that what is known of their operands makes needless.
    void drop_masks(Prepared& group) const;
    bool may_drop_masks(Prepared const& group) const;
    void know_operands(Prepared& group) const;
    /// The step's kernel for all of its task's region; what it reads and writes inside has no strides yet.
    KernelShape shape_of(Prepared const& group, std::size_t k) const;
    Moves moves_along(Prepared const& group, std::size_t k, std::size_t label) const;
    /// Of all steps; what is inside has its strides in working memory.
    /// @param clipped  the length of the clipped label
    std::vector<KernelShape> shapes_of_piece(Prepared const& group, unsigned longer, Extent clipped) const;
    /// Where a step looks for the place of the best value, which the step before finds for it alone: both at once.
    std::unique_ptr<PreparedKernel const> search_alone(Prepared const& group, std::size_t k, KernelShape const& shape,
                                                       Device& device, scalar::Params const& params) const;
    Piece& prepare_piece(Prepared& group, unsigned longer, Extent clipped, Device& device,
                         scalar::Params const& params) const;
    void choose_clip(Prepared& group, scalar::Params const& params) const;
    /// Of one piece: what of it is computed, and the kernels for that.
    void prepare_piece_clip(Prepared& group, std::int64_t number, Device& device, scalar::Params const& params) const;
    void prepare_carry(Prepared& group, Device& device, scalar::Params const& params) const;
    /// How much of the carried label runs at once, from a place on.
    static Extent run_length(Prepared const& group, scalar::IndexRange live, Extent at);
    /// Where the last step chooses by indices alone between a number and what another step makes, its kernel copies
    /// that, and the number is written over it.
    static void mask_result(Prepared& group, scalar::Params const& params);
    static void mask_elements_of(MaskRange const& mask, FusedStep const& step, KernelShape const& shape,
                                 std::vector<Extent> const& begin, std::byte* output);
    static void fill_outside(Prepared const& group, KernelShape const& shape, scalar::IndexRange live,
                             std::byte* output);
    GroupClip::Boxes boxes_of(Prepared const& group, std::optional<Place> const& place) const;
    bool facts_hold(Prepared const& group, Place const& place, std::size_t k, std::vector<void const*> const& operands,
                    KernelShape const& shape, KnownFacts& known) const;
    std::optional<Stream> stream_of(Prepared const& group) const;
    static Place place_of(Prepared const& group, std::int64_t number);
    void run_piece(Prepared const& group, std::int64_t piece, std::int64_t next, BlockStorage& storage,
                   FusedSteps* seen, Found& found) const;
    void look_at_result(Prepared const& group, Place const& place, std::optional<scalar::IndexRange> computed,
                        BlockStorage& storage, Found& found) const;
    /// @return false where a fact does not hold: then nothing has left the group
    bool compute_piece(Prepared const& group, std::int64_t piece, bool clipped, std::span<std::byte const> coming,
                       BlockStorage& storage, FusedSteps* seen, KnownFacts& known) const;
    /// The same for a group that carries something.
    bool compute_carried(Prepared const& group, std::int64_t piece, bool clipped, BlockStorage& storage,
                         FusedSteps* seen, KnownFacts& known) const;
    /// Runs a step's kernel. @throws InputError that says where an index out of range is
    void launch(Prepared const& group, std::size_t k, PreparedKernel const& kernel, KernelShape const& shape,
                KernelCall const& call) const;
    /// "tensor 'tok'" of an operand of a step; of a part of a join, which is never an index, the result it is part of
    std::string name_of_operand(Prepared const& group, std::size_t k, int operand) const;
    struct CarriedRun;
    static schedule::Task const& task_of(Prepared const& group, FusedStep const& step) {
        return group.group.members.tasks.list()[step.member];
    }

    schedule::Header const& header_;
    KnownBlocks known_;
    std::map<TaskId, Prepared> prepared_;
};

}  // namespace ein::executor
