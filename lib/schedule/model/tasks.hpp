// The kinds of task, each said once: its fields under their own names, its traits, and which of its fields are what to
// everybody (a block that it reads, the block that it writes, an entry of a table of the header, ...). The packed
// record, the checks of the file, printing and visitors follow from that list. A new kind is a struct here and an entry
// at the end of TaskKinds; docs/extending.md. Example: Send{.block = b, .to = Rank{1}, .tag = MessageTag{0}, .part =
// {}}. The word in brackets is a kind's meaning in [P]'s workflow.
#pragma once

#include <optional>
#include <span>

#include "lib/base/box.hpp"
#include "lib/schedule/model/ids.hpp"
#include "lib/schedule/model/kind_list.hpp"
#include "lib/schedule/model/task_traits.hpp"

namespace ein::schedule {

/// [Load] The block's box of an input; of a sparse one maybe because it is all that a larger box lists.
struct Load {
    static constexpr TaskTraits traits{
        .name = "load", .runs_on = Site::files, .stands = {true, false, false}, .repeats = false};
    InputId input;
    BlockId result;
    std::optional<BoxView> around = {};  // the input lists nothing in it outside the block's box

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.input), in.result(task.result), in.part(task.around);
    }
};

/// [Pair, Apply] A kernel over `region`, an interval for each label.
struct Apply {
    static constexpr TaskTraits traits{.name = "apply", .runs_on = Site::device};
    KernelId kernel;
    std::span<BlockId const> operands;
    BlockId result;
    BoxView region;
    bool accumulates = false;  // combined with what the result holds

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.kernel), in.operands(task.operands), in.result(task.result), in.region(task.region);
        in.accumulates(task.accumulates);
    }
};

/// [Reduce] A partial result combined with others; a kernel too.
struct Reduce {
    static constexpr TaskTraits traits{.name = "reduce", .runs_on = Site::device};
    KernelId kernel;
    std::span<BlockId const> operands;
    BlockId result;
    BoxView region;
    bool accumulates = false;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        Apply::fields(task, in);
    }
};

/// A reduce runs its kernel as an apply does.
constexpr Apply call_of(Reduce const& task) {
    return {task.kernel, task.operands, task.result, task.region, task.accumulates};
}

/// One constant everywhere.
struct Fill {
    static constexpr TaskTraits traits{.name = "fill", .runs_on = Site::device};
    FillId fill;
    BlockId result;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.fill), in.result(task.result);
    }
};

/// result[region] = from[movement of region]; region in the result's indices.
struct Copy {
    static constexpr TaskTraits traits{.name = "copy", .runs_on = Site::device};
    MovementId movement;
    BlockId from;
    BlockId result;
    BoxView region;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.movement), in.operand(task.from), in.result(task.result), in.region(task.region);
    }
};

/// The elements that both blocks share under a reshape.
struct Reshape {
    static constexpr TaskTraits traits{.name = "reshape", .runs_on = Site::device};
    ReshapeId reshape;
    BlockId from;
    BlockId result;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.reshape), in.operand(task.from), in.result(task.result);
    }
};

/// The same, into a packed block in C order; `unpacked` is the box of the block that will unpack it.
struct Pack {
    static constexpr TaskTraits traits{.name = "pack", .runs_on = Site::device};
    ReshapeId reshape;
    BlockId from;
    BlockId result;
    BoxView unpacked;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.reshape), in.operand(task.from), in.result(task.result), in.region(task.unpacked);
    }
};

/// From a packed block; `packed` is the box of the block that it was packed from.
struct Unpack {
    static constexpr TaskTraits traits{.name = "unpack", .runs_on = Site::device};
    ReshapeId reshape;
    BlockId from;
    BlockId result;
    BoxView packed;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.reshape), in.operand(task.from), in.result(task.result), in.region(task.packed);
    }
};

/// A block to another rank, or that part of it, which lies in one run of its memory.
struct Send {
    static constexpr TaskTraits traits{.name = "send", .runs_on = Site::transport, .counts_bytes = true};
    BlockId block;
    Rank to;
    MessageTag tag;
    std::optional<BoxView> part;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.operand(task.block), in.peer(task.to), in.tag(task.tag), in.part(task.part);
    }
};

/// The other end of a send.
struct Receive {
    static constexpr TaskTraits traits{.name = "receive", .runs_on = Site::transport, .counts_bytes = true};
    BlockId block;
    Rank from;
    MessageTag tag;
    std::optional<BoxView> part;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.result(task.block), in.peer(task.from), in.tag(task.tag), in.part(task.part);
    }
};

/// A block into its place in an output's file.
struct Store {
    static constexpr TaskTraits traits{
        .name = "store", .runs_on = Site::files, .stands = {false, true, false}, .repeats = false};
    OutputId output;
    BlockId block;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.output), in.operand(task.block);
    }
};

/// A block to this rank's disk, for the fetches that name this task.
struct Spill {
    static constexpr TaskTraits traits{
        .name = "spill", .runs_on = Site::disk, .stands = {true, false, true}, .repeats = false};
    BlockId block;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.operand(task.block);
    }
};

/// What a spill wrote, as a new block.
struct Fetch {
    static constexpr TaskTraits traits{
        .name = "fetch", .runs_on = Site::disk, .stands = {true, true, true}, .repeats = false};
    TaskId spill;
    BlockId result;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.follows(task.spill), in.result(task.result);
    }
};

/// Ends an iteration of a loop of the section: another one begins, or what comes after the loop. Reads what must be
/// there until then.
struct Iterate {
    static constexpr TaskTraits traits{.name = "iterate", .runs_on = Site::dispatcher};
    LoopSpecId loop;
    std::span<BlockId const> kept;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.loop), in.operands(task.kept);
    }
};

/// What sparse blocks of one tensor list in the result's box, as a sparse block with an order of its own. No two of
/// `parts` list the same place; without any, nothing is listed.
struct Assemble {
    static constexpr TaskTraits traits{.name = "assemble", .runs_on = Site::host};
    std::span<BlockId const> parts;
    BlockId result;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.operands(task.parts), in.result(task.result);
    }
};

/// Kernels of a fusion, run together tile by tile. `regions` has one interval for each label of each member, member by
/// member.
struct Fused {
    static constexpr TaskTraits traits{.name = "fused", .runs_on = Site::device};
    FusionId fusion;
    std::span<BlockId const> operands;  // each block once
    BlockId result;                     // of the last member
    BoxView regions;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.fusion), in.operands(task.operands), in.result(task.result), in.region(task.regions);
    }
};

/// What sparse blocks of one tensor list, where a movement has it: of `region`, in the result's indices, the result
/// lists it, in an order of its own. Boxes of `parts` do not overlap.
struct Relocate {
    static constexpr TaskTraits traits{.name = "relocate", .runs_on = Site::host};
    MovementId movement;
    std::span<BlockId const> parts;
    BlockId result;
    BoxView region;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.movement), in.operands(task.parts), in.result(task.result), in.region(task.region);
    }
};

/// What sparse blocks of one tensor list, at the places that it has under a reshape: of it the result lists what lies
/// in its box. Boxes of `parts` do not overlap.
struct Refold {
    static constexpr TaskTraits traits{.name = "refold", .runs_on = Site::host};
    ReshapeId reshape;
    std::span<BlockId const> parts;
    BlockId result;

    template <class Task, class Fields>
    static constexpr void fields(Task& task, Fields& in) {
        in.entry(task.reshape), in.operands(task.parts), in.result(task.result);
    }
};

/// All of them. The order is that of the numbers in schedule files: new kinds come last.
using TaskKinds = KindList<Load, Apply, Reduce, Fill, Copy, Reshape, Pack, Unpack, Send, Receive, Store, Spill, Fetch,
                           Iterate, Assemble, Fused, Relocate, Refold>;

}  // namespace ein::schedule
