#include "lib/tensor/formats/file_kind.hpp"

#include <algorithm>
#include <span>

#include "lib/base/error.hpp"

namespace ein::tensor {
namespace {

[[noreturn]] void refuse(Storage const& storage, std::string expected, FileKind kind) {
    throw InputError(Fault{storage.name(), "", std::move(expected), found_text(kind), std::move(kind.mend)});
}

}  // namespace

std::optional<FileKind> file_kind(Storage const& storage) {
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(bytes_that_tell, storage.size())), '\0');
    storage.read_at(0, std::as_writable_bytes(std::span(text)));
    return kind_of_bytes(text, storage.size(), storage.name());
}

void refuse_kind(Storage const& storage, std::string expected, std::string found, std::string fix) {
    if (auto kind = file_kind(storage)) refuse(storage, std::move(expected), std::move(*kind));
    throw InputError(Fault{storage.name(), "", std::move(expected), std::move(found), std::move(fix)});
}

void refuse_no_words(Storage const& storage, std::string const& expected) {
    if (storage.size() == 0) return;
    auto kind = file_kind(storage);
    if (kind && !kind->words) refuse(storage, expected, std::move(*kind));
}

}  // namespace ein::tensor
