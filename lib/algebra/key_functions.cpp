#include "lib/algebra/key_functions.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/scalar/evaluate/evaluate.hpp"
#include "lib/scalar/expression/parse/parse.hpp"

namespace ein::tra {

using scalar::Op;

namespace {

scalar::Names key_names(int arity) {
    scalar::Names names;
    for (int d = 0; d < arity; ++d) names.labels.push_back("k" + std::to_string(d));
    names.labels.push_back("t");
    return names;
}

scalar::Expr parsed(std::string const& text, int arity) {
    scalar::ParseResult const result = scalar::parse(text, key_names(arity));
    if (result.faults.empty()) return result.expr;
    scalar::ParseFault const& fault = result.faults.front();
    throw InputError(
        Fault{"", "'" + text + "' at " + std::to_string(fault.where), fault.expected, fault.found, fault.fix});
}

scalar::Scalar evaluated(scalar::Expr const& expr, std::vector<std::int64_t> const& labels) {
    return scalar::evaluate(expr, DType::i64, DType::i64, {}, labels, {});
}

scalar::Expr with_labels(scalar::Expr const& expr, std::vector<scalar::Expr> const& labels) {
    if (expr.op() == Op::index) return labels[static_cast<std::size_t>(expr.node().slot)];
    if (expr.args().empty()) return expr;
    std::vector<scalar::Expr> args;
    for (scalar::Expr const& arg : expr.args()) args.push_back(with_labels(arg, labels));
    return expr.op() == Op::cast ? scalar::Expr::cast(expr.node().cast_to, args.front())
                                 : scalar::Expr::call(expr.op(), std::move(args));
}

bool is_label(scalar::Expr const& expr, int label) { return expr.op() == Op::index && expr.node().slot == label; }

}  // namespace

std::string text(Key const& key) {
    std::string out = "(";
    for (Extent part : key) out += (out.size() > 1 ? ", " : "") + std::to_string(part);
    return out + ")";
}

std::string text(KeyDims const& dims) {
    std::string list;
    for (int dim : dims) list += (list.empty() ? "" : ",") + std::to_string(dim);
    return "⟨" + list + "⟩";
}

std::vector<Extent> picked(std::vector<Extent> const& from, std::vector<int> const& dims) {
    std::vector<Extent> out;
    for (int dim : dims) out.push_back(from[static_cast<std::size_t>(dim)]);
    return out;
}

KeyDims complement(KeyDims const& dims, int arity) {
    KeyDims rest;
    for (int d = 0; d < arity; ++d)
        if (!contains(dims, d)) rest.push_back(d);
    return rest;
}

std::optional<int> position(KeyDims const& dims, int dim) {
    auto const found = std::find(dims.begin(), dims.end(), dim);
    if (found == dims.end()) return std::nullopt;
    return static_cast<int>(found - dims.begin());
}

bool contains(KeyDims const& dims, int dim) { return position(dims, dim).has_value(); }

bool subset(KeyDims const& some, KeyDims const& all) {
    return std::all_of(some.begin(), some.end(), [&](int dim) { return contains(all, dim); });
}

std::optional<Problem> fault_in(KeyDims const& dims, int arity, std::string const& what) {
    for (std::size_t k = 0; k < dims.size(); ++k) {
        bool const inside = dims[k] >= 0 && dims[k] < arity;
        bool const again = std::count(dims.begin(), dims.end(), dims[k]) > 1;
        if (inside && !again) continue;
        return Problem{what + ": distinct key dimensions below " + std::to_string(arity), text(dims),
                       again ? "name each dimension once" : "name dimensions that the key has"};
    }
    return std::nullopt;
}

KeyMap KeyMap::identity(int arity) { return pick(arity, complement({}, arity)); }

KeyMap KeyMap::pick(int arity, KeyDims const& dims) {
    KeyMap map{arity, 1, {}};
    for (int dim : dims) map.parts.push_back(scalar::Expr::index(dim));
    return map;
}

KeyMap KeyMap::parse(int arity, std::vector<std::string> const& parts, Extent copies) {
    KeyMap map{arity, copies, {}};
    for (std::string const& part : parts) map.parts.push_back(parsed(part, arity));
    return map;
}

KeyMap KeyMap::insert(int arity, int dim, Extent copies) {
    KeyMap map = identity(arity);
    map.copies = copies;
    map.parts.insert(map.parts.begin() + dim, scalar::Expr::index(arity));
    return map;
}

std::optional<int> KeyMap::inserted() const {
    for (int dim = 0; dim <= arity; ++dim)
        if (*this == insert(arity, dim, copies)) return dim;
    return std::nullopt;
}

bool KeyMap::is_identity() const { return copies == 1 && *this == identity(arity); }

std::optional<int> KeyMap::image(int dim) const {
    for (std::size_t k = 0; k < parts.size(); ++k)
        if (is_label(parts[k], dim)) return static_cast<int>(k);
    return std::nullopt;
}

std::optional<int> KeyMap::source(int dim) const {
    scalar::Expr const& part = parts[static_cast<std::size_t>(dim)];
    if (part.op() != Op::index || part.node().slot >= arity) return std::nullopt;
    return part.node().slot;
}

Checked<Key> KeyMap::operator()(Key const& key, Extent copy) const {
    std::vector<std::int64_t> labels(key.begin(), key.end());
    labels.push_back(copy);
    Key made;
    for (scalar::Expr const& part : parts) {
        if (part.op() == Op::index) {  // most are: no need to try
            made.push_back(labels[static_cast<std::size_t>(part.node().slot)]);
            continue;
        }
        scalar::Scalar const value = evaluated(part, labels);
        double const number = value.is_integer ? static_cast<double>(value.integer) : value.number.real();
        if (!(number >= 0 && number < 0x1p53 && std::floor(number) == number))
            return Problem{"whole numbers of at least 0 in every new key",
                           std::to_string(number) + " made of key " + text(key), "fix the key function, or filter"};
        made.push_back(static_cast<Extent>(number));
    }
    return made;
}

KeyMap composed(KeyMap const& outer, KeyMap const& inner) {
    promise(outer.copies == 1 && inner.copies == 1 && outer.arity == inner.made_arity(),
            "key functions are composed that do not fit");
    std::vector<scalar::Expr> labels = inner.parts;
    labels.push_back(scalar::Expr::integer(0));  // [t] of a map that makes one key
    KeyMap map{inner.arity, 1, {}};
    for (scalar::Expr const& part : outer.parts) map.parts.push_back(with_labels(part, labels));
    return map;
}

std::string text(KeyMap const& map) {
    if (map.is_identity()) return "idOp";
    std::string list;
    for (scalar::Expr const& part : map.parts)
        list += (list.empty() ? "" : ",") + scalar::print(part, key_names(map.arity));
    std::string const times = map.copies == 1 ? "" : " for t<" + std::to_string(map.copies);
    return "→⟨" + list + "⟩" + times;
}

KeyPredicate KeyPredicate::parse(int arity, std::string const& accepts) { return {arity, parsed(accepts, arity)}; }

Checked<bool> KeyPredicate::operator()(Key const& key) const {
    std::vector<std::int64_t> labels(key.begin(), key.end());
    labels.push_back(0);
    scalar::Scalar const value = evaluated(accepts, labels);
    if (!value.is_integer && !std::isfinite(value.number.real()))
        return Problem{"a number for every key", std::to_string(value.number.real()) + " for key " + text(key),
                       "fix the filter"};
    return value.is_integer ? value.integer != 0 : value.number != 0.0;
}

KeyDims KeyPredicate::dims() const { return scalar::labels_of(accepts); }

KeyPredicate both(KeyPredicate const& a, KeyPredicate const& b) {
    return {a.arity, scalar::Expr::call(Op::logical_and, {a.accepts, b.accepts})};
}

KeyPredicate moved(KeyPredicate const& predicate, KeyDims const& dims, int arity) {
    std::vector<scalar::Expr> labels;
    for (int dim : dims) labels.push_back(scalar::Expr::index(dim));
    labels.resize(static_cast<std::size_t>(predicate.arity) + 1, scalar::Expr::integer(0));
    return {arity, with_labels(predicate.accepts, labels)};
}

std::string text(KeyPredicate const& predicate) { return scalar::print(predicate.accepts, key_names(predicate.arity)); }

}  // namespace ein::tra
