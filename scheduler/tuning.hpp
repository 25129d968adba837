// What the scheduler's rules take for granted of machines and links, and how far its searches go, in one place.
// "Measured" was timed beside other values; "chosen" was set and not measured one by one; both, and how long planning
// takes, are in docs/performance.md. They change decisions: a schedule of before may not come again after one is
// changed. What a cluster file says (speeds, links, messages that do not wait) is taken from there: see
// simulate/cluster.hpp, and its built-in values.
// Example: a graph of more than tuning::most_searched nodes is not searched by the implementation algebra unless it is
// asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::scheduler::tuning {

/// Kernel calls of a plan, beyond which they are placed once, not once by every placer.
inline constexpr double most_calls = 3e4;
/// Nodes of a graph that the implementation algebra searches without being asked: searches take longer than placing.
inline constexpr std::size_t most_searched = 100;
/// Simulated times that differ by this part are alike: simulations err by more (planner/optimizer/compare.hpp says the
/// same for plans).
inline constexpr double alike_makespans = 0.05;
/// Work (calls * calls * ranks * room) up to which calls are assigned exactly.
inline constexpr std::size_t most_assigned = std::size_t{1} << 19;
/// Of a node's operands, that calls which are not may leave to be moved, if they go where those of a node like it are;
/// and how often such nodes are first placed for the least. Measured: LLaMA-7B on 1152 ranks, whose layers else differ
/// from each other to the end, moves 0.02 % more.
inline constexpr int patient_changes = 4;
inline constexpr double little_moved = 1.0 / 64;

/// Of what a call would take of a label: how much what is listed may span, so that the call takes that alone. Calls
/// that are cut alike get their operands together, which is worth more than a little of them. Chosen.
inline constexpr double most_listed_span = 7.0 / 8;

// The implementation algebra (ia/).

/// States of the quick search, which bounds the whole one.
inline constexpr std::size_t quick_states = 200;
/// Partitions of one relation that somebody wants and the search offers.
inline constexpr std::size_t most_wanted = 8;
/// Operands of a node that the algebra takes.
inline constexpr std::size_t most_operands = 4;
/// Elements of an array between the joins of one node of three operands or more: only counted, never made.
inline constexpr double most_elements = 1e12;

// Lowering (lower/): when calls are made in several, so that messages and computing overlap.

/// Elements of the join in each of the calls that one is made in, at least: of sums of products, whose kernels want
/// tiles that are long on all sides, and of anything else. A call costs a microsecond or two. Chosen.
inline constexpr double least_product_points = 1 << 25, least_other_points = 1 << 23;
/// Elements of each side of a product that is cut. Chosen.
inline constexpr Extent least_product_length = 64;
/// Calls in place of one. Chosen.
inline constexpr std::int64_t most_split_calls = 16;
/// The same, of calls that take about a millisecond each: so many elements of the join. Uneven columns cut rows where
/// those of another column end, and again for each rank that shares them: 18 to 200 calls. Measured: with them no rank
/// waits for whole operands (docs/decisions/0083-default-is-the-best-known.md).
inline constexpr std::int64_t most_long_split_calls = 256;
inline constexpr double long_split_call_points = 1 << 27;
/// Bytes from which subblocks of what ranks share are cut again. Chosen. And in how many: measured, with two in
/// place of four no product packs a large operand four times over.
inline constexpr std::int64_t shared_block_bytes = 2 << 20, most_blocks_of_a_subblock = 2;
/// Share of the time for computing that splitting may cost where it hides nothing. Chosen.
inline constexpr double little_split_cost = 0.06;
/// Bytes of the cells that leaves of uneven calls are put together in, at least: smaller ones come sooner cell by cell
/// of the plan. Measured: with a quarter of it 2048 x 8192 x 1024 on 15 ranks takes 7 % longer.
inline constexpr std::int64_t least_common_cell = 8 << 20;
/// Share of a call that is made first of what its rank has, though others wait for other parts: while it computes that,
/// the first operands come. Chosen.
inline constexpr double begun_at_hand = 1.0 / 16;
/// Share of its time by which a sum of several ranks must be made earlier for partial results to pass through more of
/// them. Chosen.
inline constexpr double worth_a_stride = 0.002;
/// Terms of a sum, after which kernels of products read and write their results. Chosen.
inline constexpr double usual_terms = 200;
/// Bytes below which a block that several ranks share is not cut into subblocks. Chosen.
inline constexpr std::int64_t least_subblock_bytes = 16 << 10;

/// Blocks and copies that are remembered of lowered nodes, for others that are alike: in all, and where it is more, so
/// many a rank. About 100 bytes each. Chosen; with 200 a rank LLaMA-7B on 8191 ranks finds no layer like another.
inline constexpr std::size_t least_kept = 500'000, kept_a_rank = 350;

/// Tasks of a node, from which on threads make them again together: starting threads takes as long as a thousand.
/// Chosen.
inline constexpr std::int64_t repeated_in_parallel = 4096;
/// Likewise calls of a node, whose operands' places threads look up together.
inline constexpr std::size_t placed_in_parallel = 4096;

// Rounds of nodes that are alike (repeat/).

/// Kernel calls of a plan, from which on few of its rounds are lowered and one is repeated: as many as are scheduled
/// once, without being simulated (planner/optimizer/budget.hpp).
inline constexpr double least_repeated_calls = 1e5;
/// Rounds of nodes that were all made again from those of the round before, behind which the others are left out; more
/// where the tasks of the last two differ nevertheless. Tried with LLaMA on 256 to 16,384 ranks: one is enough.
inline constexpr std::array<std::size_t, 2> rounds_made_again{1, 3};
/// Nodes of the last rounds that are lowered, at least: of them as many follow the repeated round as places are tried
/// at which rounds are compared. And rounds beside them, where what comes behind reads more.
inline constexpr std::size_t least_nodes_behind = 4, most_rounds_behind = 2;
/// Rounds of a graph, from which on that is worth trying. Chosen.
inline constexpr std::size_t least_rounds = 7;
/// Distances from a node to the next of its outline that are tried as the length of a round, and places in a round at
/// which two are compared.
inline constexpr std::size_t most_periods_tried = 16, most_seams_tried = 4;

// Moving (move/): how regions travel.

/// Bytes of a message that regions are cut into, which stay in a core's cache from one end to the other, and messages
/// for one block. Measured: with this size repartitions reach the speed of MPI_Alltoall; others were not compared.
inline constexpr std::int64_t message_bytes = std::int64_t{2} << 20, most_messages = 256;
/// Messages of a round times those of its busiest rank up to which turns are searched for. Chosen: a tenth of a second.
inline constexpr std::size_t most_turns_searched = std::size_t{1} << 25;
/// Ranks of a group that exchanges in stages, at least, and bytes of what each sends to each, at most: for larger ones
/// the copies in between cost more than messages. Chosen (docs/decisions/0003-staged-collectives.md).
inline constexpr std::size_t least_staged_ranks = 8;
inline constexpr std::int64_t most_staged_bytes = 128 << 10;
/// Pieces of a region, beyond which ranks may get a little of it again that they have, for it to be exchanged in
/// stages; and how much, of all that is moved. Chosen: attention on 4096 ranks is 512 pieces of 128 bytes for each.
inline constexpr std::size_t many_pieces = 32;
inline constexpr double little_again = 0.02;
/// Members that exchange in one stage: a middle way between many messages and many copies. Chosen.
inline constexpr std::int64_t most_stage_peers = 4;
/// What a step of such an exchange costs beside its messages, in messages; and how many bytes take as long as a
/// message. Chosen: steps by which ranks get pieces are then as good as those in which cells go round.
inline constexpr double messages_of_a_step = 1, bytes_of_a_message_time = 8 << 10;
/// Partial results that are added at once. Chosen; may change bits.
inline constexpr std::size_t added_at_once = 4;
/// Rows of a subblock, so that subblocks differ little. Chosen.
inline constexpr Extent rows_of_a_subblock = 8;
/// Rows that a packed element serves, from which on packing takes a few hundredths of the time. Chosen.
inline constexpr double rows_worth_packing = 1024;

// Order (order/).

/// Bytes of cuts that stand before their sends; and no fewer than two cuts, however large. Chosen.
inline constexpr std::int64_t cut_window = std::int64_t{8} << 20;
/// Tasks that the search for room for an earlier cut goes through: nodes of many calls would make it quadratic.
inline constexpr std::int32_t farthest_cut = 4096;
/// The part of a rank's peak that may be added by calls that wait for their readers, where memory is not what a plan is
/// made for. Chosen.
inline constexpr std::int64_t most_growth_of_waiting = 20;  // one in so many
/// Pipelines that are reordered one by one: each time the section is replayed.
inline constexpr std::size_t most_pipelines_tried = 32;

// Memory that results take over (emit/take_over.hpp).

/// Bytes of a block: an order of tasks costs more than less memory is worth. Chosen.
inline constexpr std::int64_t least_taken_over = 64 << 10;
/// What kernels read and write after a message with a block has begun, in sizes of the block, until it has surely left.
/// Chosen.
inline constexpr std::int64_t touched_after_a_send = 8;

// Simulation (simulate/).

/// Iterations of a loop that are simulated: the first has what is done once in it, and the last is like those that
/// follow. Chosen.
inline constexpr std::int64_t simulated_iterations = 2;
/// By how much later than rank 0 other ranks begin, where answers queue (Link::queue): who comes later has its answer
/// to give before its request, and its messages stand behind the other's. Seen in traces over TCP (0.3 to 0.5 ms), and
/// fitted.
inline constexpr double seconds_apart = 5e-4;
/// How much of what may stand in such a queue an answer waits for. Measured: runs of one schedule take what none and
/// what all of it would, now and again.
inline constexpr double share_of_a_queue = 0.5;
/// What a core of either rank does for a byte that goes over such a link, while it computes nothing. Measured over TCP:
/// kernels beside 1 MB each way take 1.4 ms longer.
inline constexpr double seconds_of_a_queued_byte = 0.65e-9;
/// How much faster than memory caches are, where a cluster file says nothing. Chosen: those of cores are 4 to 10 times.
inline constexpr double caches_beside_memory = 8;
/// Simple operations of an element of logsumexp. Measured.
inline constexpr double operations_of_an_exponential_sum = 22;
/// Rows, columns or terms of a product beyond which what is packed, read and written for them takes no time of its own:
/// it is in the rate. Measured with 38 products of 16 to 65536 by 16 to 65536 (docs/performance.md).
inline constexpr double long_side_of_a_product = 128;
/// Bytes of a vector of a product's tile: narrower results take as long. Of executor/device/cpu/gemm's making. And how
/// much longer tiles of one vector take than wider ones do for it. Measured with 16 columns of f32: 1.3 to 1.6.
inline constexpr double bytes_of_a_vector = 64, time_of_a_narrow_tile = 1.45;
/// Of a product's operations, how many tiles of other joins do meanwhile: there is no instruction for two of them.
/// Measured: x + y 0.42 to 0.46, (x - y)^2 0.45 to 0.52, |x - y| 0.32.
inline constexpr double share_of_other_tiles = 0.45;
/// Seconds in which the vector of a row's sums becomes one number and is stored, and the best of a row and its index
/// are found. Measured with rows of 16 to 100: 1.5 to 4 ns, and of 16 12 to 14 ns.
inline constexpr double seconds_of_a_summed_row = 2.5e-9, seconds_of_a_searched_row = 10e-9;
/// Of what a sparse kernel takes of a dense operand again and again, how much counts as read from memory: rows are met
/// in caches. Measured with SpMM, SDDMM, MTTKRP and PageRank (docs/performance.md), which want 0.2 to 1.5. Of an
/// operand larger than a core's cache rows come from anywhere in memory, more slowly than it is read from end to end,
/// and each as if it were a line longer: 5 to 6.5 ns for one of 64 bytes, 9.5 for one of 128.
inline constexpr double taken_from_caches = 0.5, taken_from_memory = 1.2, bytes_of_a_cache = 2 << 20,
                        bytes_beside_a_row = 64;
/// How many elements could be gone through in the time in which a sparse kernel begins a row. Measured with SpMV of 10
/// and 20 elements a row: 15 to 17 ns. And in which one more is counted.
inline constexpr double elements_of_a_row = 15, elements_of_a_count = 1;
/// Bytes of a result from which on it is written past the caches: lines of smaller ones are read before they are
/// written. As in executor/device/cpu/machine.hpp.
inline constexpr std::int64_t written_past_caches = 32 << 20;
/// Simple operations that an element takes which is stored as an integer and computed with as another type. Measured:
/// u8 by f32, 4 to 7.
inline constexpr double operations_of_a_conversion = 6;
/// Seconds on a thread for each element that a sparse kernel goes through, whatever it does with it, where a cluster
/// file does not say how many it goes through a second. Measured with
/// SpMV: 1 ns, and 2 where the vector does not stay in a core's cache.
inline constexpr double seconds_of_an_element = 1e-9;
/// How many elements could be gone through in the time in which the place of one in a sparse result is found or made:
/// where operands are merged, where products are summed, and where a block is put into another order: one that stays in
/// a core's cache, and a larger one. Measured: 4.5 to 6.7 ns, 20 to 25, 10 and 25.
inline constexpr double elements_of_a_merge = 5, elements_of_a_sum = 20, elements_of_a_turn = 10,
                        elements_of_a_large_turn = 25;

// Fused groups (fusion/): kernels that run together piece by piece in the cache.

/// Bytes of all blocks of a piece, which are in the second-level cache together with what kernels need beside them.
/// Chosen.
inline constexpr double bytes_of_a_group_piece = 320 << 10;
/// Bytes of a piece of whole rows, beyond which rows are cut too, where what is reduced can be carried; of a piece
/// then. And what a piece has of the label at least. Chosen.
inline constexpr double bytes_of_a_row_piece = 1 << 20, bytes_of_a_carried_piece = 768 << 10;
inline constexpr Extent least_carried_length = 128;
/// Bytes of a group's inner blocks: smaller ones are in the cache anyway. Chosen.
inline constexpr double least_group_bytes = 4 << 20;
/// Rows of a piece of a product, for which its other operand is packed again. Chosen.
inline constexpr Extent least_product_rows = 128;
/// Pieces along a band of a kernel that does nothing outside: of each, half of one piece's length is done in vain.
/// Chosen.
inline constexpr std::int64_t clipped_parts = 32;
/// How many times the bytes of the least group an operand of such a kernel has at least: of fewer, pieces take as long
/// as what they leave out. Measured.
inline constexpr double least_clipped_share = 4;
/// Operations an element of a product that is cut like other kernels. Chosen.
inline constexpr double flops_of_a_short_sum = 16;
/// Bytes that a piece reads and writes side by side at least, of blocks larger than a piece: shorter runs come and go
/// line by line. Chosen.
inline constexpr Extent least_group_run = 512;
/// Pieces of a group that reads its operands once, whatever their size, and bytes that each reads side by side: so many
/// where there are, and at least. Chosen.
inline constexpr std::int64_t parts_of_one_reading = 16;
inline constexpr Extent run_of_one_reading = 4096, least_run_of_one_reading = 1024;
/// Operations an element of a product whose elements stay in the group: beyond, memory hardly counts. Chosen.
inline constexpr double most_flops_an_element = 256;
/// Tasks of a group.
inline constexpr std::size_t most_group_tasks = 16;
/// Tasks from the first to the last of a group, in the schedule.
inline constexpr std::int32_t most_group_distance = 4096;

}  // namespace ein::scheduler::tuning
