// Writing sparse tensors as .npz files, by many ranks each its blocks, in any order: one rank makes the file under a
// temporary name, every rank writes its own blocks where SparsePlaces says, one rank is told what all have added to the
// CRC-32s and completes the file, which is then renamed.
// Matrices are what scipy.sparse.load_npz reads as csr (indices sorted in each row): "data", "indices", "indptr",
// "shape", "format". Other orders have "coords" (order x listed, i64), "data", "shape", and "fill_value". A matrix
// whose fill is not 0 has "fill_value" too, which SciPy does not look at: it takes what is not listed for 0. bf16 is
// written as f32. ScipySource reads all of them back. Example: of four ranks, rank 0 calls make(), all call open_made()
// and write(), rank 0 calls finish() with all sums.
#pragma once

#include <array>
#include <filesystem>

#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/sparse/output/sparse_archive.hpp"
#include "lib/tensor/sparse/output/sparse_places.hpp"
#include "lib/tensor/sparse/sparse_reader.hpp"

namespace ein::tensor {

/// What a rank's parts add to the CRC-32 of each array: those of all ranks are xored.
using SparseSums = std::array<std::uint32_t, SparseArchive::arrays>;

/// Each function throws RunError, with the system's reason.
class SparseWriter {
public:
    /// @param file  its temporary name
    SparseWriter(std::filesystem::path file, SparseOutput const& output, std::string option = "--out");

    /// Makes the file under a name that must be free, and takes the space of all of it.
    void make();
    /// Opens what this process or another has made.
    void open_made();

    void write(std::span<std::byte const> block, Box const& box, SparseLayout const& layout,
               SparsePlaces const& places);
    /// Of a list (SparseForm): the columns of elements that follow one another from `first`. @return what they add
    SparseSums write_list(Extent first, std::span<std::vector<std::byte> const> columns);
    /// Has the disk begin with elements of a list.
    void begin_sync(Extent first, Extent count) const;
    /// Of what this writer has written.
    SparseSums sums() const { return sums_; }

    /// Once all blocks are written: by one rank. @param sums  of all writers, xored
    void finish(SparseSums const& sums);
    /// Waits until what was written is on the disk.
    void sync();
    void close();

private:
    using Array = SparseArchive::Array;

    void write_rows(ListedElements const& elements, std::span<std::byte const> data, Box const& box,
                    SparsePlaces const& places);
    void write_row_ends(std::span<Extent const> ends, Extent first_row);
    void write_numbers(Array array, Extent place, std::span<Extent const> numbers);
    void write_part(Array array, std::uint64_t place, std::span<std::byte const> part);
    void check(int error) const;

    std::filesystem::path file_;
    SparseOutput output_;
    std::string option_;
    SparseArchive archive_;
    SparseSums sums_{};
    WrittenFile written_;
};

/// Writes all that a reader lists under its final name, by way of a temporary one.
void write_sparse(std::filesystem::path const& file, SparseReader const& reader, scalar::Scalar const& fill);

}  // namespace ein::tensor
