// Every byte of a checkpoint compared with what its manifest says, in parts that are about equally long.
#include <algorithm>
#include <set>

#include "executor/checkpoint/folder/checkpoint_fault.hpp"
#include "executor/checkpoint/folder/checkpoint_folder.hpp"
#include "executor/checkpoint/folder/list_file.hpp"
#include "executor/checkpoint/folder/value_file.hpp"
#include "lib/base/text/hex.hpp"

namespace ein::executor {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t bytes_an_item = 64 << 10;  // what opening a file, or beginning a box, takes: as reading so many

/// Which part looks at what: items come in order, each with its bytes, and are given out by the bytes before them.
class Shares {
public:
    Shares(std::uint64_t whole, int part, int parts) : whole_(whole), part_(part), parts_(parts) {}

    /// Whether the next item is of this part.
    bool takes(std::uint64_t bytes) {
        double const share = static_cast<double>(before_) / static_cast<double>(whole_);
        before_ += bytes + bytes_an_item;
        return std::min(parts_ - 1, static_cast<int>(share * parts_)) == part_;
    }

private:
    std::uint64_t whole_, before_ = 0;
    int part_, parts_;
};

std::uint64_t bytes_of(SavedValue const& value, SavedBox const& saved) {
    if (value.is_sparse()) return tensor::list_bytes(value.shape, value.dtype, saved.listed);
    return static_cast<std::uint64_t>(saved.box.elements()) * size_of(value.dtype);
}

std::uint64_t bytes_of(Manifest const& manifest) {
    std::uint64_t bytes = 0;
    for (SavedValue const& value : manifest.values)
        bytes += saved_bytes(value) + (1 + value.boxes.size()) * bytes_an_item;
    for (SavedCopy const& copy : manifest.copies) bytes += copy.bytes + copy.hashes.size() * bytes_an_item;
    return bytes;
}

void check_hash(fs::path const& path, std::string const& place, std::string const& what, std::uint64_t expected,
                std::uint64_t found) {
    if (found != expected)
        throw InputError(Fault{path.string(), place, what + " with the hash " + hex(expected), hex(found), ""});
}

/// @param hash_of  the hash of box number so and so
template <class HashOf>
void check_boxes(fs::path const& path, SavedValue const& value, std::vector<std::size_t> const& boxes,
                 std::vector<Fault>& faults, HashOf const& hash_of) {
    for (std::size_t box : boxes)
        collect(faults, [&] {
            check_hash(path, "value '" + value.name + "', box " + to_string(value.boxes[box].box), "elements",
                       value.boxes[box].hash, hash_of(box));
        });
}

/// The boxes of a value that are of this part; each value's header is looked at by one.
void verify_value(fs::path const& folder, SavedValue const& value, Shares& shares, std::vector<Fault>& faults) {
    bool const opens = shares.takes(0);
    std::vector<std::size_t> boxes;
    for (std::size_t box = 0; box < value.boxes.size(); ++box)
        if (shares.takes(bytes_of(value, value.boxes[box]))) boxes.push_back(box);
    if (!opens && boxes.empty()) return;
    fs::path const path = folder / value.file;
    collect(faults, [&] {
        if (!value.is_sparse()) {
            ValueFile const file(folder, value);
            return check_boxes(path, value, boxes, faults,
                               [&](std::size_t box) { return file.hash(value.boxes[box].box); });
        }
        ListFile const file(folder, value);
        if (opens && file.frame() != *value.frame)
            faults.push_back({path.string(), "headers", "those of value '" + value.name + "'", "others", ""});
        check_boxes(path, value, boxes, faults, [&](std::size_t box) { return file.hash(box); });
    });
}

/// The pieces of a copy that are of this part.
void verify_copy(fs::path const& folder, SavedCopy const& copy, Shares& shares, std::vector<Fault>& faults) {
    std::vector<std::size_t> pieces;
    for (std::size_t piece = 0; piece < copy.hashes.size(); ++piece)
        if (shares.takes(piece_bytes(copy, piece))) pieces.push_back(piece);
    if (pieces.empty()) return;
    collect(faults, [&] {
        tensor::HeldFile const file(folder / copy.file);
        check_length(file, copy.bytes);
        for (std::size_t const piece : pieces)
            collect(faults, [&] {
                check_hash(file.name(), "from byte " + std::to_string(piece * copied_piece), "bytes",
                           copy.hashes[piece], hash_of_piece(file, copy, piece));
            });
    });
}

}  // namespace

std::vector<fs::path> strays_of(FoundCheckpoint const& found) {
    std::set<std::string> known{"manifest.json"};
    if (found.manifest.rest) known.insert("rest.json");
    for (SavedValue const& value : found.manifest.values) known.insert(value.file);
    for (SavedCopy const& copy : found.manifest.copies) known.insert(copy.file);
    std::vector<fs::path> strays;
    std::error_code error;
    for (fs::directory_iterator entry(found.path, error), end; !error && entry != end; entry.increment(error)) {
        std::string const name = entry->path().filename().string();
        if (name.front() != '.' && !known.contains(name)) strays.push_back(entry->path());
    }
    std::ranges::sort(strays);
    return strays;
}

void verify_files(FoundCheckpoint const& found, int part, int parts) {
    promise(part >= 0 && part < parts, "one of the parts");
    within(found.path, [&] {
        std::vector<Fault> faults;
        if (part == 0) collect(faults, [&] { (void)read_rest(found); });
        Shares shares(bytes_of(found.manifest), part, parts);
        for (SavedValue const& value : found.manifest.values) verify_value(found.path, value, shares, faults);
        for (SavedCopy const& copy : found.manifest.copies) verify_copy(found.path, copy, shares, faults);
        if (!faults.empty()) throw InputError(std::move(faults));
    });
}

void verify_with_bases(FoundCheckpoint const& found, int part, int parts) {
    verify_files(found, part, parts);
    within(found.path, [&] {
        for (std::string const& base : found.manifest.bases)
            verify_files(open_checkpoint(found.path.parent_path(), base), part, parts);
    });
}

}  // namespace ein::executor
