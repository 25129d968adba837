#include "lib/graph/ops/op_reader.hpp"

#include <algorithm>
#include <cmath>

#include "lib/graph/read/fields.hpp"
#include "lib/graph/read/pair_suspicions.hpp"

namespace ein::graph {

std::string OpReader::describe(std::size_t k) const {
    return quote(value(k).name) + " (inputs/" + std::to_string(k) + ") of shape " + to_string(value(k).shape);
}

std::optional<Cursor> OpReader::attribute(std::string const& key) const {
    auto found = optional_at(node(), key);
    for (scalar::Taken const& row : taken_attributes()) {
        std::string const written(row.written);
        if (row.means != key || !node().has(written)) continue;
        if (found) node().at(written).fail("\"" + key + "\" once", "\"" + written + "\" too", "remove one of them");
        found = node().at(written);
    }
    return found;
}

std::optional<DType> OpReader::dtype() const {
    auto const at = attribute("dtype");
    return at ? read_dtype(*at) : std::nullopt;
}

AxesAttribute OpReader::axes() const {
    auto const axes = attribute("axes"), axis = attribute("axis");
    if (axes && axis) axis->fail("\"axes\" or \"axis\"", "both", "remove one of them");
    auto const& at = axes ? axes : axis;
    if (!at) return {node(), std::nullopt};
    if (at->value().is_null()) return {*at, std::nullopt};  // NumPy's axis=None
    return {*at, read_integers(*at)};
}

std::optional<std::int64_t> OpReader::integer(std::string const& key) const {
    auto const at = attribute(key);
    return at ? at->integer() : std::nullopt;
}

std::optional<double> OpReader::number(std::string const& key) const {
    auto const at = attribute(key);
    auto const value = at ? at->number() : std::nullopt;
    if (!value || std::isfinite(*value)) return value;
    at->fail("a finite number", brief(at->value()), "write a number");
    return std::nullopt;
}

bool OpReader::flag(std::string const& key) const {
    auto const at = attribute(key);
    return at && at->boolean().value_or(false);
}

std::optional<std::size_t> OpReader::one_axis(Cursor const& at, std::int64_t axis, std::size_t order) const {
    auto const count = static_cast<std::int64_t>(order);
    if (axis >= -count && axis < count) return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    at.fail(order == 0 ? "no axis: the tensor is a scalar"
                       : "an axis from " + std::to_string(-count) + " to " + std::to_string(count - 1),
            std::to_string(axis), "axes count from 0, negative ones from the last");
    return std::nullopt;
}

std::optional<std::vector<std::size_t>> OpReader::normalized_or_last(AxesAttribute const& axes) const {
    std::vector<std::size_t> last;
    if (order() > 0) last.push_back(order() - 1);
    if (axes.at.value().is_null()) {  // of NumPy and SciPy it means all
        axes.at.fail("axes", "null", "write them, as [0, 1] for all of a matrix; leave it out for the last");
        return std::nullopt;
    }
    return normalized(axes, order(), last);
}

std::optional<std::vector<std::size_t>> OpReader::in_order(AxesAttribute const& axes, std::size_t order) const {
    std::vector<std::size_t> list;
    for (std::size_t k = 0; k < axes.list->size(); ++k) {
        Cursor const at = entry_at(axes.at, k);
        auto const axis = one_axis(at, (*axes.list)[k], order);
        if (!axis) return std::nullopt;
        if (std::find(list.begin(), list.end(), *axis) != list.end()) {
            at.fail("each axis once", "axis " + std::to_string(*axis) + " twice", "remove one of them");
            return std::nullopt;
        }
        list.push_back(*axis);
    }
    return list;
}

std::optional<std::vector<std::size_t>> OpReader::normalized(AxesAttribute const& axes, std::size_t order,
                                                             std::vector<std::size_t> otherwise) const {
    if (!axes.list) return otherwise;
    auto list = in_order(axes, order);
    if (list) std::sort(list->begin(), list->end());
    return list;
}

void OpReader::note_broadcast(Shape const& result) const {
    for (std::string& note : broadcast_suspicions(context_, result)) context_.notes.push_back(std::move(note));
}

void OpReader::fail_input(std::size_t k, std::string expected, std::string found, std::string fix) const {
    context_.input_at(k).fail(std::move(expected), std::move(found), std::move(fix));
}

bool OpReader::check_real(std::size_t k, std::string const& what) const {
    if (!is_complex(value(k).dtype)) return true;
    fail_input(k, "real numbers for " + what, std::string(name(value(k).dtype)),
               "take their abs, real or imag first (\"join\": \"abs(x)\", \"dtype\": \"f32\")");
    return false;
}

}  // namespace ein::graph
