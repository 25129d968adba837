// How readers of tensors refuse a file of another kind: a CSV called .npy, a graph, a web page in place of a download.
// What it looks like says lib/base/files/file_kind.hpp. Only asked once a file is known not to be what it should be:
// any bytes may be numbers. Example: of "0.5,1.5\n2.5,3.5\n" in X.csv: "what looks like numbers as text, with commas
// (\"0.5,1.5\")", and to mend it numpy.save("X.npy", numpy.loadtxt("X.csv", delimiter=",")).
#pragma once

#include <optional>
#include <string>

#include "lib/base/files/file_kind.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::tensor {

/// Nothing for bytes that no table has. @throws RunError when the system cannot read them
std::optional<FileKind> file_kind(Storage const& storage);

/// Refuses a file that is not of the kind that `expected` says, by what it looks like.
/// @param found, fix  what is said of bytes that look like nothing known
/// @throws InputError always
[[noreturn]] void refuse_kind(Storage const& storage, std::string expected, std::string found, std::string fix);

/// Refuses a file that cannot be lines of words with spaces between them: that begins as one of the other kinds, or has
/// commas between its numbers. An empty one is taken. @throws InputError
void refuse_no_words(Storage const& storage, std::string const& expected);

}  // namespace ein::tensor
