// Readers of tensors in files, one function a format: each checks that the file holds what is wanted, and says how to
// fix it when not.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "lib/tensor/read.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

/// A tensor that a file is opened for.
struct Asker {
    std::string const& name;
    std::filesystem::path const& folder;  // that relative paths begin at
};

/// What open() was asked for.
struct Wanted : Asker {
    DType dtype;
    Shape const& shape;
};

/// A file of a folder, as messages show it: without "." on the way. (".." stays: behind a link it is another folder.)
std::filesystem::path path_in(std::filesystem::path const& folder, std::string const& file);

/// Opens a file; when it cannot be read the message says whose it is and how to give another.
std::shared_ptr<FileStorage const> open_for(Asker const& wanted, std::string const& file);

/// @throws InputError unless a file with elements of `dtype` and `shape` may be read as what is wanted
void check_contents(std::string const& file, Source const& source, Wanted const& wanted, DType dtype,
                    Shape const& shape);

/// An entry of an archive, NAME or NAME.npy; nullptr where it has none. Readers of one file share its entries.
StoragePtr npz_entry(std::shared_ptr<FileStorage const> const& file, std::string const& entry);

std::unique_ptr<Reader> open_npy(NpySource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_npz(NpzSource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_safetensors(SafetensorsSource const& source, Wanted const& wanted);
std::unique_ptr<Reader> open_raw(RawSource const& source, Wanted const& wanted);

/// What their headers say. The elements are not looked at.
FileContents npy_contents(NpySource const& source, Asker const& asker);
FileContents npz_contents(NpzSource const& source, Asker const& asker);
FileContents safetensors_contents(SafetensorsSource const& source, Asker const& asker);

/// Whether each axis of `shape` is the product of consecutive axes of `parts`, as of [64, 172] and [4, 2, 8, 172]; axes
/// of extent 1 are free.
bool is_split(Shape const& shape, Shape const& parts);

}  // namespace ein::tensor
