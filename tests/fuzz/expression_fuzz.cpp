// libFuzzer: whatever bytes parse also print, read back equal, and have a type or a reason why not.
// The first byte says how many operands there are. Example: clang++ -std=c++20 -fsanitize=fuzzer,address -I. with
// lib/scalar and lib/base.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/scalar/expression/parse/parse.hpp"
#include "lib/scalar/expression/type.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace ein;
    using namespace ein::scalar;
    if (size == 0) return 0;
    Names const names{data[0] % 6, {"i", "k", "long label"}, {"eta", "p1"}};
    std::string_view const text(reinterpret_cast<char const*>(data + 1), size - 1);
    ParseResult const first = parse(text, names);
    if (first.faults.empty() == first.expr.empty()) std::abort();
    for (ParseFault const& fault : first.faults) {
        if (fault.where > text.size() || with_caret(text, fault.where).empty()) std::abort();
    }
    if (first.expr.empty()) return 0;
    std::string const printed = print(first.expr, names);
    ParseResult const second = parse(printed, names);
    if (!(second.expr == first.expr) || print(second.expr, names) != printed) std::abort();
    for (DType const type : {DType::f32, DType::c128, DType::u8, DType::boolean}) {
        TypeResult const before = type_of(first.expr, type, type);
        TypeResult const after = type_of(simplify(first.expr, type), type, type);
        if (before.problem.empty() && (before.type != after.type || !after.problem.empty())) std::abort();
    }
    return 0;
}
