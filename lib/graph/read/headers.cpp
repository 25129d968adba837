#include "lib/graph/read/headers.hpp"

#include <filesystem>

#include "lib/base/text/near_names.hpp"
#include "lib/graph/read/fields.hpp"
#include "lib/tensor/storage/storage.hpp"

namespace ein::graph {
namespace {

constexpr char const* write_shape = "write the extent of each axis: \"shape\": [4, 3]; [] is a scalar";

/// "A.npy" of a path, for messages.
std::string file_name(tensor::Source const& source) {
    std::string const* const file = tensor::file_of(source);
    return file ? std::filesystem::path(*file).filename().string() : "";
}

/// @param needed  the shape is left to the file
void tell_unreadable(Cursor const& tensor, InputError const& error, bool needed) {
    for (Fault const& fault : error.faults()) {
        bool const placed = !fault.where.empty() && !fault.where.starts_with("tensor");
        (tensor.has("data") ? tensor.at("data") : tensor)
            .fail(fault.expected + (needed ? ", since \"shape\" is left to it" : ""),
                  quote(fault.file) + ", " + (placed ? fault.where + ": " : "") + fault.found,
                  needed ? or_else(fault.fix, "write \"shape\" and \"dtype\"") : fault.fix);
    }
}

/// The file's header. Nothing, and a fault, when it is no such file; when there is none, or it cannot be opened now, a
/// fault only where the shape needs it.
std::optional<Header> header_of(TensorDeclaration const& declaration, Written const& written, Cursor const& tensor,
                                std::string const& name, HeaderReader const& headers) {
    bool const needed = !written.shape && !tensor.has("shape");
    try {
        auto header = headers ? headers(name, declaration.source) : std::nullopt;
        if (header) return header;
    } catch (tensor::UnopenedFile const& error) {
        if (needed) tell_unreadable(tensor, error, true);
        return std::nullopt;
    } catch (InputError const& error) {
        tell_unreadable(tensor, error, false);
        return std::nullopt;
    }
    if (!needed) return std::nullopt;
    bool const has_data = tensor.has("data");
    bool const unread = std::holds_alternative<tensor::MissingSource>(declaration.source);
    if (has_data && unread && !tensor.at("data").has("values")) return std::nullopt;  // its fault is reported
    tensor.fail("the key \"shape\"", has_data && headers ? "none, and data that does not say it" : "none", write_shape);
    return std::nullopt;
}

}  // namespace

/// "f4", as NumPy's astype takes it.
std::string numpy_type(DType dtype) {
    std::string_view const ours = ein::name(dtype);
    return dtype == DType::boolean ? "bool" : ours.front() + std::to_string(size_of(dtype));
}

void complete(TensorDeclaration& declaration, Written const& written, Cursor const& tensor, std::string const& name,
              HeaderReader const& headers) {
    auto const header = header_of(declaration, written, tensor, name, headers);
    if (!header) return;
    auto const& [contents, source] = *header;
    if (contents.of_sparse && tensor.has("sparse") && tensor.has("data") && tensor.at("data").has("entry")) {
        std::string const file = Json(*tensor::file_of(source)).dump();
        tensor.at("data").fail("a sparse matrix", "one of the arrays that list its elements",
                               "write {\"scipy\": " + file + "}");
        return;
    }
    std::string const has = ", as " + quote(file_name(source)) + " has";
    bool const dtype_fits = tensor::may_be_read_as(source, contents.dtype, declaration.dtype);
    if (!dtype_fits && written.dtype) {
        std::string const of_file(ein::name(contents.dtype)), wanted(ein::name(*written.dtype));
        bool const is_npy = std::holds_alternative<tensor::NpySource>(source) && *written.dtype != DType::bf16;
        std::string const file = is_npy ? Json(*tensor::file_of(source)).dump() : "";
        tensor.at("dtype").fail(of_file + has, wanted,
                                "leave it out, and nodes compute in " + of_file +
                                    " as their inputs are; or convert the file" +
                                    (is_npy ? ": numpy.save(" + file + ", numpy.load(" + file + ").astype(\"" +
                                                  numpy_type(*written.dtype) + "\"))"
                                            : " to compute in " + wanted));
    }
    if (!tensor.has("dtype")) declaration.dtype = tensor::left_out_dtype(source, contents.dtype, declaration.dtype);
    if (!written.shape && !tensor.has("shape")) declaration.shape = contents.shape;
    if (written.shape && !tensor::may_be_read_as(source, contents.shape, *written.shape))
        tensor.at("shape").fail("shape " + to_string(contents.shape) + has, to_string(*written.shape),
                                contents.of_sparse ? "write \"sparse\": true, \"data\": {\"scipy\": " +
                                                         Json(*tensor::file_of(source)).dump() +
                                                         "} for the sparse matrix that it is of"
                                                   : "correct it, leave it out, or give another file");
}

std::string completed_text(std::string_view json, Json document, std::vector<Completed> const& completed) {
    if (completed.empty()) return std::string(json);
    for (Completed const& each : completed) {
        Json& tensor = document["tensors"][each.name];
        tensor["shape"] = each.shape;
        tensor["dtype"] = std::string(ein::name(each.dtype));
    }
    return document.dump();
}

}  // namespace ein::graph
