#include "lib/graph/read/headers.hpp"

#include <filesystem>

#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

constexpr char const* write_shape = "write the extent of each axis: \"shape\": [4, 3]; [] is a scalar";

/// "A.npy" of a path, for messages.
std::string file_name(tensor::Source const& source) {
    std::string const* const file = tensor::file_of(source);
    return file ? std::filesystem::path(*file).filename().string() : "";
}

void tell_unreadable(Cursor const& tensor, InputError const& error) {
    for (Fault const& fault : error.faults())
        (tensor.has("data") ? tensor.at("data") : tensor)
            .fail(fault.expected + ", since \"shape\" is left to it", quote(fault.file) + ", " + fault.found,
                  fault.fix + "; or write \"shape\" and \"dtype\"");
}

/// The file's header. Nothing, and a fault where the shape needs it, when there is none or it cannot be read.
std::optional<Header> header_of(TensorDeclaration const& declaration, Written const& written, Cursor const& tensor,
                                std::string const& name, HeaderReader const& headers) {
    try {
        auto header = headers ? headers(name, declaration.source) : std::nullopt;
        if (header) return header;
    } catch (InputError const& error) {
        if (!written.shape && !tensor.has("shape")) tell_unreadable(tensor, error);
        return std::nullopt;
    }
    if (written.shape || tensor.has("shape")) return std::nullopt;
    bool const has_data = tensor.has("data");
    bool const unread = std::holds_alternative<tensor::MissingSource>(declaration.source);
    if (has_data && unread && !tensor.at("data").has("values")) return std::nullopt;  // its fault is reported
    tensor.fail("the key \"shape\"", has_data && headers ? "none, and data that does not say it" : "none", write_shape);
    return std::nullopt;
}

}  // namespace

void complete(TensorDeclaration& declaration, Written const& written, Cursor const& tensor, std::string const& name,
              HeaderReader const& headers) {
    auto const header = header_of(declaration, written, tensor, name, headers);
    if (!header) return;
    auto const& [contents, source] = *header;
    std::string const has = ", as " + quote(file_name(source)) + " has";
    bool const dtype_fits = tensor::may_be_read_as(source, contents.dtype, declaration.dtype);
    if (!dtype_fits && written.dtype)
        tensor.at("dtype").fail(std::string(ein::name(contents.dtype)) + has, std::string(ein::name(*written.dtype)),
                                "correct it, leave it out, or convert the file");
    if (!dtype_fits && !tensor.has("dtype")) declaration.dtype = contents.dtype;
    if (!written.shape && !tensor.has("shape")) declaration.shape = contents.shape;
    if (written.shape && !tensor::may_be_read_as(source, contents.shape, *written.shape))
        tensor.at("shape").fail("shape " + to_string(contents.shape) + has, to_string(*written.shape),
                                "correct it, leave it out, or give another file");
}

}  // namespace ein::graph
