// What a checkpoint says of itself, manifest.json: where in the schedule it was made, which values it holds and where
// in which file, and the hash of each box of them. Text and back; files are new_checkpoint.hpp and
// checkpoint_folder.hpp. Example: manifest_from(to_text(manifest), "ckpt/000004/manifest.json") == manifest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lib/base/box.hpp"
#include "lib/base/dtype.hpp"
#include "lib/tensor/storage/fingerprint.hpp"

namespace ein::executor {

/// A box of a value that lies in its file, and XXH3 (64 bits) of its elements in C order, as they lie in memory; of a
/// sparse value, of what it lists, column by column (list_file.hpp).
struct SavedBox {
    Box box;
    std::uint64_t hash = 0;
    Extent listed = 0;  // of a sparse value: its elements follow those of the boxes before it
    friend bool operator==(SavedBox const&, SavedBox const&) = default;
};

/// A value: one file.
struct SavedValue {
    std::string name;  // of the value
    std::string file;  // in the folder (see file_names)
    DType dtype = DType::f32;
    Shape shape;
    std::vector<SavedBox> boxes;  // what of it is there; the rest was not needed any more. Of a sparse one disjoint
    /// Of a sparse value, whose file is an archive (.npz): the hash of what in it is no element.
    std::optional<std::uint64_t> frame = {};
    std::vector<std::byte> fill = {};  // of a sparse one: the element that all others are

    bool is_sparse() const { return frame.has_value(); }
    Extent listed() const;
    friend bool operator==(SavedValue const&, SavedValue const&) = default;
};

/// A leaf of the graph: no value, but where it is read from.
struct NamedInput {
    std::string tensor, source;
    std::optional<tensor::Fingerprint> file = {};
    std::string copy = {};  // "000001/X.npy": it is read from there, in the folder of checkpoints; "": from its source
    friend bool operator==(NamedInput const&, NamedInput const&) = default;
};

/// A file that inputs are read from, copied byte for byte.
struct SavedCopy {
    std::string file;  // in the folder
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> hashes;  // XXH3 of each piece of copied_piece bytes, the last one shorter
    friend bool operator==(SavedCopy const&, SavedCopy const&) = default;
};
inline constexpr std::uint64_t copied_piece = std::uint64_t{256} << 20;  // a part of the format
/// How many pieces a file has, and the bytes of one.
std::size_t pieces_of(std::uint64_t bytes);
std::uint64_t piece_bytes(SavedCopy const& copy, std::size_t piece);

/// rest.json, as it was written.
struct SavedRest {
    std::uint64_t bytes = 0, hash = 0;
    friend bool operator==(SavedRest const&, SavedRest const&) = default;
};

struct Manifest {
    std::string version;  // of the program
    std::string schedule_hash, graph_hash, device;
    std::set<std::string> bases;  // checkpoints ("000003") of the same folder whose files are leaves of the schedule
    int ranks = 1;
    std::int32_t nodes = 0;                // done, of the graph as it was lowered (MomentSpec::nodes)
    std::vector<std::int64_t> iterations;  // of the loops around the moment, the outermost first, from 1
    std::vector<std::int64_t> begun;       // iterations begun so far of each loop, by LoopSpecId
    std::int64_t tasks_done = 0;
    double seconds = 0;  // of computing so far, over all runs
    std::string time;    // ISO 8601, UTC
    std::map<std::string, double> params;
    std::vector<NamedInput> inputs;
    std::vector<SavedValue> values;
    std::vector<SavedCopy> copies = {};
    std::optional<SavedRest> rest = {};  // set by NewCheckpoint::commit

    /// Whether it was made before a run began, to hold copies. (Moments may lie before the first node too.)
    bool is_of_beginning() const { return nodes == 0 && iterations.empty() && !copies.empty(); }
    friend bool operator==(Manifest const&, Manifest const&) = default;
};

/// JSON with a checksum of itself. The same manifest gives the same text.
std::string to_text(Manifest const& manifest);
/// @param file  its name, for messages  @throws InputError that names the place and what is wrong
Manifest manifest_from(std::string const& text, std::string const& file);

/// Names for the files of values, in their order: NAME.npy (a sparse one has .npz in its place) with what may not stand
/// in a file name replaced, all different, also where upper and lower case are one. The same names give the same files.
/// Example: {"grad/W", "grad.W"} gives {"grad.W.npy", "grad.W~2.npy"}.
std::vector<std::string> file_names(std::span<std::string const> names);

/// Names for copies of files, each with its own ending: all different, none that of another file of a checkpoint.
/// Example: {"a/X.npy", "b/X.npy"} gives {"X.npy", "X~2.npy"}.
std::vector<std::string> copy_names(std::span<std::string const> files);

/// The name of a sparse value's file: "W.npz" of "W.npy".
std::string sparse_file_name(std::string const& file);

/// What a value takes in its boxes: bytes of all of them together, as the file has them.
std::uint64_t saved_bytes(SavedValue const& value);

}  // namespace ein::executor
