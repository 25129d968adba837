// What the headers of data files say of the tensors of a graph, for tensors that leave out shape or dtype. lib/graph
// opens no files: whoever reads a graph hands in a function that does (tensor::contents_of).
// Example: {"data": {"npy": "A.npy"}} with a header of f64 and (4, 3) is a tensor of f64 and shape (4, 3).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json.hpp"
#include "lib/graph/read/read_tensors.hpp"
#include "lib/tensor/read.hpp"

namespace ein::graph {

struct Header {
    tensor::FileContents contents;
    tensor::Source source;  // whose header it is
};
/// Asked for a tensor by name and the source that the graph gives it. Nothing: there is no header.
/// @throws tensor::UnopenedFile for a file that cannot be opened, InputError for one that is not what it should be
using HeaderReader = std::function<std::optional<Header>(std::string const& tensor, tensor::Source const& source)>;

/// What "shape" and "dtype" of a tensor say.
struct Written {
    std::optional<Shape> shape;
    std::optional<DType> dtype;
};

/// Adds to a declaration what it leaves to its file, and a fault where it says otherwise than the file, or the file is
/// of another kind. A file that cannot be opened is a fault only where the shape is left to it.
/// @param declaration  of what is written, its dtype the default where none is
void complete(TensorDeclaration& declaration, Written const& written, Cursor const& tensor, std::string const& name,
              HeaderReader const& headers);

/// A tensor whose shape or dtype the graph does not say.
struct Completed {
    std::string name;
    Shape shape;
    DType dtype;
};
/// The graph's text with them; `json` itself where there are none. @param document  what `json` says
std::string completed_text(std::string_view json, Json document, std::vector<Completed> const& completed);

/// One tensor of a graph file.
TensorDeclaration read_tensor(Cursor const& tensor, std::string const& name, DType default_dtype,
                              HeaderReader const& headers);

}  // namespace ein::graph
