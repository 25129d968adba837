// What the CPU device's kernels take for granted of a machine: its caches, and from what size on a way of working pays.
// One place, so that another machine is another set of numbers. None of them decides what is computed; those that
// decide in which order sums are added, and with it the last bits, say so. Sizes of registers and tiles are in the
// loops themselves (gemm/pair_*, loops/tile_*). How a value was found: "measured" was timed beside others
// (docs/performance.md); "chosen" was set and not measured.
// Example: an output of machine::output_past_cache bytes is written past the cache.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/base/box.hpp"

namespace ein::executor::machine {

// Caches.

/// Bytes of a cache line. Of all x86-64 and most ARM processors; where lines are longer, only speed is lost.
inline constexpr std::size_t cache_line = 64;
/// Sets of the first-level cache, and lines that may share one so that all of them stay. Of today's processors (32 or
/// 48 KiB, 8 or 12 ways). Chosen.
inline constexpr std::size_t first_level_sets = 64;
inline constexpr Extent lines_of_a_set = 6;
/// Sets of the second-level cache, and lines of one box that may share one: two boxes are there. Of today's processors
/// (1 or 2 MiB, 16 ways). Chosen.
inline constexpr std::size_t second_level_sets = 2048;
inline constexpr Extent lines_of_a_large_set = 10;
/// Bytes. Outputs of joins that are this large go past the cache; smaller ones are quicker to read for whoever comes
/// next when they do not. That they do was measured (elementwise nodes of 256 MiB became as fast as a copy), from what
/// size on was not.
inline constexpr Extent output_past_cache = 32 << 20;
/// Bytes. Transposed outputs that are this large go past the cache: lines that are crossed against their grain are dear
/// to read. As above.
inline constexpr Extent transposed_past_cache = 4 << 20;
/// Bytes. Results of products of few terms that are this large go past the cache too: they take as long to write as to
/// compute, and lines that are read before they are written are a third of what moves. Measured: of 10 to 32 MiB 0.7 to
/// 1.1 of the time, of 4 to 8 MiB 1.0 to 1.5.
inline constexpr Extent product_past_cache = 16 << 20;
/// Terms that are few. Chosen.
inline constexpr Extent few_terms = 128;
/// Bytes. Operands that are this large are asked for ahead of their turn: while one vector tile is computed, the next
/// comes. Chosen.
inline constexpr Extent operand_fetched_ahead = 1 << 20;
/// Bytes by which they are ahead. Measured: at 2 KiB lines come late, the more so the less a join computes.
inline constexpr std::size_t fetch_distance = 4096;
/// Elements of the edge of squares in which transposes turn tiles: the pages of a square's rows, on both sides, are as
/// many as the processor keeps addresses of. Chosen.
inline constexpr Extent transpose_square = 2048;
/// Outputs whose offsets are found together: they stay in the second-level cache while they are used again. Chosen.
inline constexpr Extent gathered_tile = 1 << 16;
/// The same of several short rows: in the first-level cache. Chosen.
inline constexpr Extent gathered_rows = 1 << 12;
/// Bytes of a row of which elements are gathered, up to which the next one is asked for meanwhile. Chosen.
inline constexpr Extent gathered_ahead = 1 << 18;
/// Bytes of a row that positions choose, from which on it is copied by itself: where more than copying is to do, and
/// where it is not. Chosen.
inline constexpr Extent shortest_copied_row = 128, shortest_plain_row = 2;
/// Bytes of a run that is copied past the cache: the lines at its ends, which it shares with others, go through it.
/// Chosen.
inline constexpr Extent run_past_cache = 512;
/// Bytes of working memory that each thread keeps. Addresses only: what is never used takes no memory; larger requests
/// go to the system and back, since idle threads should not keep them. Chosen.
inline constexpr std::size_t scratch_stack = std::size_t{8} << 20;

// Vector tiles of joins: how much an operation does before the next one does the same.

/// Bytes of a vector tile that is stored past the cache: short, so that stores leave during the next. Chosen.
inline constexpr std::size_t stored_vector_tile = 2048;
/// Bytes of a vector tile of one loop of machine code: in the first-level cache still when a kernel reads what its loop
/// made. Chosen.
inline constexpr std::size_t looped_vector_tile = 8192;
/// Elements of a vector tile between memory and memory in one loop, which fills no cache. Chosen.
inline constexpr Extent longest_run = 16384;
/// Elements of a row from which on a loop goes over each row of a vector tile by itself, where rows are repeated or
/// have an element each: shorter ones are brought together first. Chosen.
inline constexpr Extent shortest_looped_row = 64;
/// The same where the end of a row is part of a vector. Measured: rows of 24 and 33 are faster, of 17 it depends.
inline constexpr Extent shortest_row_with_tail = 24;
/// Elements of a vector tile without a program: only the first-level cache limits it. Chosen.
inline constexpr std::size_t long_vector_tile = 2048;
/// Bytes of a vector tile of rows that are aggregated, below which rows of other outputs are taken together instead
/// where there are some, and what is added to their traffic. Measured: of 128 elements of one to four bytes that is
/// faster, the best of eight bytes are found faster without. May change bits.
inline constexpr Extent shortest_vector_tile = 1024;
inline constexpr double cost_of_short_tiles = 100;
/// Terms that a vector tile has of a sum, from which on the sums of vector tiles are added without loss: fewer would
/// make that dear. Chosen; may change bits.
inline constexpr Extent terms_of_a_vector_tile = 8;
/// Elements of a vector tile that is aggregated where it lies: ends interrupt reading. Chosen.
inline constexpr std::size_t read_vector_tile = 8192;
/// Accumulators of a tile that stay in the second-level cache. Chosen; may change bits.
inline constexpr Extent long_tile = 16384;
/// Elements of the rows of a vector tile from which on each is converted where it lies, and not brought together with
/// the others first. Chosen.
inline constexpr std::size_t shortest_run_apart = 64;
/// Elements of rows that are combined several at a time (loops/short_rows.hpp); longer ones have vectors of their own.
/// Of their making; of reals in groups (loops/row_groups.hpp).
inline constexpr Extent longest_short_row = 7, longest_short_row_of_reals = 15;
/// The same of integers that may be combined in any order and twice (loops/folded_rows.hpp). Measured to be faster than
/// columns.
inline constexpr Extent longest_folded_row = 256;
/// Elements of rows of which the outer of two labels is aggregated, up to which several are combined at a time
/// (loops/middle_rows.hpp). Measured: of 3 and of 16 columns.
inline constexpr Extent longest_middle = 512;
/// Rows that are added to the same accumulators at a time: processors fetch so many streams ahead. Chosen.
inline constexpr Extent rows_of_a_strip = 8;
/// So many times as many where accumulators are wider than what is added, at most. Chosen.
inline constexpr Extent wider_strips = 8;
/// Outputs side by side from which on their rows of values are looked at where they lie. Chosen.
inline constexpr Extent shortest_run_apart_of_best = 64;
/// Halves of which the best becomes an f32, from which on they are compared by keys. Measured: 64 and 1024 are faster,
/// 17, 33 and 100 are slower.
inline constexpr Extent least_keyed_row = 128;
/// Rows of a vector tile that become columns before each is combined, in any order: so long at most, and so many at
/// least. Chosen.
inline constexpr std::size_t longest_row_turned = 64, rows_turned = 16;
/// Bytes of several rows of narrow columns that are combined as one row. Chosen; may change bits.
inline constexpr std::size_t folded_columns = 512;
/// Outputs that share a vector tile of an operand. Chosen; may change bits.
inline constexpr Extent outputs_a_vector_tile = 16;
/// Elements of a vector tile that is shared: the accumulators of all that share it stay in the cache. Chosen; may
/// change bits.
inline constexpr Extent shared_vector_tile = 512;
/// Points from which on a join is worth machine code of its own, which takes 20 to 70 microseconds to make. Measured.
inline constexpr Extent points_for_a_loop = 1 << 13;
/// Elements of the rows that one position chooses among, from which on scattering is faster than comparing everywhere:
/// for fewer they are equal. Measured.
inline constexpr Extent least_scattered_row = 32;
/// Bytes of the table of all that positions name: up to here rows are added to it as they come, in the second-level
/// cache. Wider rows are sorted by their positions, and added in registers: bytes of one, from which on that is faster.
/// Measured.
inline constexpr Extent scatter_table = 512 << 10, shortest_sorted_row = 256;
/// Bytes of the sums of a column by itself, where rows do not lie together. Chosen.
inline constexpr Extent scattered_in_cache = 256 << 10;
/// Elements of a part of the positions that has a table of its own, parts at most, and positions for each row of its
/// table: tables are added in the end. Change bits of sums. Chosen.
inline constexpr Extent least_scattered_part = 1 << 15, most_scattered_parts = 16, positions_of_a_table_row = 8;
/// Elements that are converted before they are added to a table. Chosen.
inline constexpr Extent scattered_at_once = 2048;
/// Points from which on a product under a condition is worth kernels of its own parts. Chosen.
inline constexpr double least_masked_points = 1 << 16;
/// Bytes of a masked operand that are multiplied at a time, labels that are cut so are at least that long, and parts
/// that labels are cut into where some may be zeros by their indices. Decides in which order sums are added.
inline constexpr Extent masked_piece = 8 << 20, least_masked_run = 256, masked_parts = 8;
/// Bytes of a tile of a scan, in the first-level cache with its outputs; rows of one that is as wide as columns lie
/// side by side; rows along memory that become its columns. Chosen.
inline constexpr Extent scanned_tile = 16 << 10, scanned_rows = 2, scanned_streams = 16;
/// Columns side by side from which on they are scanned as they lie, and columns of a tile at least where there are more
/// threads. Chosen.
inline constexpr Extent least_scanned_columns = 4, least_even_columns = 64;
/// Elements of a transposed label, below which most of a tile would be empty. Chosen.
inline constexpr Extent least_transposed = 8;

/// Elements of a vector tile that crosses an operand, more where elements are small, and bytes of the operand's runs
/// that it crosses: together a tile that is turned in the cache. Measured: within a tenth for 64 to 512 elements of f32
/// and 1 to 8 cache lines.
inline constexpr Extent turned_vector_tile = 256, bytes_of_turned_tile = 1024, turned_run = 128;
/// Elements of an output with short rows from which on its operands are brought into its order a box at a time. Chosen.
/// Of a box: measured, 2^11 are slower by a fifth. And runs of which is listed where they come from: in the first-level
/// cache. Chosen. And labels whose tiles are turned in registers instead: measured, of 12 it is slower, of 60 faster.
inline constexpr Extent least_reordered = 1 << 16, reordered_box = 1 << 13, listed_runs = 1 << 10,
                        least_turned_in_box = 16;
/// Elements of a label from which on operands are turned for vector tiles along it: shorter ones are begun too often.
/// Chosen.
inline constexpr Extent shortest_turned_tile = 64;

// Pieces of a kernel, which idle workers may take. They follow the threads there are and change no bits, but where it
// says so.

/// Of any kernel: enough for all threads of a rank to end at nearly the same time. Chosen.
inline constexpr std::int64_t most_pieces = 64;
/// Bytes of a matrix that one thread multiplies by a vector, at least, and from one look at what else is to do to the
/// next. Chosen.
inline constexpr Extent bytes_of_a_vector_piece = 128 << 10, bytes_between_pauses = 256 << 10;
/// Points of a tile of a loop that are worth finding out which of them need not be computed: some microseconds. Chosen.
inline constexpr Extent points_worth_clipping = 1 << 12;
/// Terms of a part of a scan, of all its columns: below, reading all terms twice costs more than threads gain; and of
/// a part of a row along memory, of which several are read side by side. Change bits of sums. Chosen.
inline constexpr Extent terms_of_a_segment = 1 << 15, terms_of_a_stream = 1 << 9;
/// Such parts of a row at most. Changes bits of sums. Chosen.
inline constexpr Extent most_segments = 256;
/// Points of a join that are worth a thread. Chosen; may change bits, where an aggregation
/// is cut.
inline constexpr Extent points_of_a_piece = 1 << 17;
/// Outputs of an aggregation whose terms are cut: each piece has all of them once more. Chosen; may change bits.
inline constexpr Extent most_partial_outputs = 1 << 16;
/// Bytes of a copy or transpose that are worth a thread. Chosen.
inline constexpr std::size_t bytes_of_a_move = std::size_t{1} << 20;

// Products: what BLAS and the register tiles are given.

/// Operations of a piece in BLAS: smaller ones repeat too much of what BLAS packs. Chosen.
inline constexpr double least_flops_in_blas = 1e9;
/// Operations of a piece in register tiles, whose packing is shared. Chosen.
inline constexpr double least_flops_in_tiles = 1e7;
/// Operations of a piece: a thread in BLAS cannot be stopped; some tenths of a second. Chosen.
inline constexpr double most_flops = 2e10;
/// Pieces of a product. Measured: 16 in place of 8 wait 3 to 6 % less for the last one.
inline constexpr double usual_pieces = 16;
/// Pieces for each thread where they are many. Chosen.
inline constexpr double pieces_a_thread = 8;
/// Rows of which pieces in register tiles are multiples: two tiles, or more.
inline constexpr Extent rows_in_tiles = 16;
/// Terms of which pieces are multiples, where packing asks for nothing else: whole squares.
inline constexpr Extent usual_grain = 64;
/// Parts that a wider grain leaves room for. Chosen.
inline constexpr Extent least_parts = 4;
/// Contracted elements of a piece, where sums are cut. Chosen; may change bits.
inline constexpr Extent shortest_sum = 4096;
/// Share of a piece by which threads that begin together do not finish together. Chosen.
inline constexpr double uneven_ends = 0.3;
/// Columns of a block of which squares are kept whole when they are packed. Chosen.
inline constexpr Extent most_columns_in_squares = 2048;

/// Cache lines of an operand that are read one after the other, where its order is not the result's. Measured: 8 in
/// place of 1 take half the time.
inline constexpr Extent lines_together = 8;
/// Bytes and tiles of columns of a box that is made larger so that lines of the result are written whole: no more than
/// are packed at once (gemm/pair_blocks.hpp). Chosen.
inline constexpr Extent bytes_of_a_box = Extent{3} << 17, tiles_of_a_box = 64;
/// Columns for each term from which on rows are packed in the result's order, whatever theirs: its lines are then
/// written whole. Measured: 400 take half the time, 0.6 to 1.5 up to twice as long; between them chosen.
inline constexpr Extent columns_a_term = 4;
/// Terms that lie side by side in one operand, and in the other, of a box that is packed at once where they are not the
/// same: together no more than a block has (pair_block). May change bits. Chosen.
inline constexpr Extent terms_along = 24, terms_across = 16;

// Seconds of one thread for an element: they only rank ways to do the same product. Fitted to times of 252 batches of
// matrices of 2 x 2 to 96 x 96, f32 and f64, in six orders of labels: the way with the least of them is within 7 % of
// the best (geometric mean of each order).

inline constexpr double packed_along = 0.1e-9, packed_across = 0.2e-9;  // read side by side as they are packed, or not
inline constexpr double stored_along = 0.1e-9, stored_across = 2.5e-9;
inline constexpr double scattered = 1.7e-9;  // an element in a cache line of its own
inline constexpr double seconds_of_a_call = 2e-7;
inline constexpr double bytes_in_tiles = 40e9;  // a second
/// Where the batch is in the lanes of vectors: of a byte side by side and otherwise; share of the usual rate; of a
/// vector's batch.
inline constexpr double lanes_along = 0.035e-9, lanes_across = 0.042e-9, rate_in_lanes = 0.65, seconds_of_lanes = 2e-8;
/// Where small products are multiplied one by one: share of the usual rate, of a byte, of a product, and of
/// one whose right operand is turned first, of each element of that.
inline constexpr double rate_one_by_one = 0.9, byte_one_by_one = 0.02e-9, seconds_one_by_one = 6e-9,
                        seconds_turned = 1.4e-8, turned_one_by_one = 0.08e-9;
/// The last of complex numbers. Measured: 10 x 10 of 128 terms take a third less in lanes, 8 x 8 to 32 x 32 do not.
inline constexpr double complex_turned = 0.18e-9;
/// Elements a second of loops in place of products, where the result's innermost label is as short as longest_short_row
/// says. Measured: one contraction of f64 with extents of 3, 2 and 24 innermost.
inline constexpr double loops_of_short_rows = 4e8;
inline constexpr double bytes_per_second = 8e9;  // of packing before calls. Chosen

}  // namespace ein::executor::machine
