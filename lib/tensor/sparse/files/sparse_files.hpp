// Files that list elements, one function a format: checks that the file holds what is wanted, and says how to fix it
// when not. Leaves the choice between them to sparse_reader.cpp.
#pragma once

#include "lib/tensor/sparse/files/entry_stream.hpp"

namespace ein::tensor {

std::unique_ptr<SparseReader> list_mtx(MtxSource const& source, SparseWanted const& wanted);
std::unique_ptr<SparseReader> list_tns(TnsSource const& source, SparseWanted const& wanted);
std::unique_ptr<SparseReader> list_scipy(ScipySource const& source, SparseWanted const& wanted);
std::unique_ptr<SparseReader> list_scipy(std::shared_ptr<FileStorage const> file, SparseWanted const& wanted);

/// What their headers say. The elements are not looked at.
FileContents mtx_contents(MtxSource const& source, Asker const& asker);
FileContents scipy_contents(ScipySource const& source, Asker const& asker);
/// A tns file has no header. @throws InputError for a file that begins as one of another kind
void check_tns(TnsSource const& source, Asker const& asker);

/// What an archive says is not listed; 0 where it says nothing.
scalar::Scalar scipy_fill(ScipySource const& source, Asker const& asker);

/// Whether an archive holds one sparse tensor, and no array of this name.
bool is_sparse_archive(std::filesystem::path const& file, std::string const& name);

}  // namespace ein::tensor
