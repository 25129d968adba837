#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "lib/graph/ops/op_reader.hpp"
#include "lib/graph/ops/slice_axis.hpp"
#include "lib/graph/read/fields.hpp"

namespace ein::graph {
namespace {

constexpr std::int64_t largest_step = std::int64_t{1} << 62;

/// One item of NumPy's basic indexing: a slice, a number (the axis goes away), or '...'.
struct Item {
    enum class Kind { slice, number, rest } kind = Kind::slice;
    SliceAxis slice;
    std::int64_t number = 0;
    Cursor at;
};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// A whole number, nothing for an empty text; `good` becomes false for anything else.
std::optional<std::int64_t> whole_number(std::string_view text, bool& good) {
    text = trimmed(text);
    if (text.empty()) return std::nullopt;
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    good = good && error == std::errc{} && end == text.data() + text.size();
    return value;
}

/// Of a bound that is a name, as of a counter that a loop carries: what reads such rows.
std::string mend_moving(std::string const& bound) {
    std::string const name =
        bound.substr(0, bound.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/"));
    return "slices do not move; rows from " + name +
           " on are {\"name\": \"rows\", \"einsum\": \"->i\", \"inputs\": [\"" + name +
           "\"], \"sizes\": {\"i\": 100}, \"join\": \"x + [i]\", \"dtype\": \"i64\"}, read by \"op\": \"gather\", "
           "\"inputs\": [\"X\", \"rows\"]";
}

/// Where it begins as a name does.
bool is_named(std::string_view text) {
    text = trimmed(text);
    return !text.empty() && (std::isalpha(static_cast<unsigned char>(text.front())) != 0 || text.front() == '_');
}

std::optional<Item> parse_item(std::string_view text, Cursor const& at) {
    text = trimmed(text);
    if (text == "...") return Item{Item::Kind::rest, {}, 0, at};
    std::vector<std::string_view> parts;
    for (std::size_t colon; (colon = text.find(':')) != std::string_view::npos; text.remove_prefix(colon + 1))
        parts.push_back(text.substr(0, colon));
    parts.push_back(text);
    bool good = parts.size() <= 3;
    std::vector<std::optional<std::int64_t>> numbers;
    for (std::string_view part : parts) numbers.push_back(whole_number(part, good));
    if (good && parts.size() == 1 && numbers[0]) return Item{Item::Kind::number, {}, *numbers[0], at};
    if (good && parts.size() > 1) {
        std::int64_t const step = parts.size() == 3 && numbers[2] ? *numbers[2] : 1;
        if (step != 0 && step >= -largest_step && step <= largest_step)
            return Item{Item::Kind::slice, {numbers[0], numbers[1], step}, 0, at};
    }
    auto const name = std::ranges::find_if(parts, is_named);
    at.fail("start:stop:step (step not 0), a number, or '...', as NumPy has them", brief(at.value()),
            name != parts.end() ? mend_moving(std::string(trimmed(*name)))
                                : "write for example \"1:5\", \"::2\" or \"-1\"");
    return std::nullopt;
}

/// "slices": "1:5, ::2" or ["1:5", "::2", 3].
std::optional<std::vector<Item>> read_items(Cursor const& at) {
    std::vector<Item> items;
    if (at.value().is_string()) {
        std::string const text = at.value().get<std::string>();
        std::string_view rest = text;
        while (true) {
            std::size_t const comma = rest.find(',');
            auto item = parse_item(rest.substr(0, comma), at);
            if (!item) return std::nullopt;
            items.push_back(std::move(*item));
            if (comma == std::string_view::npos) return items;
            rest.remove_prefix(comma + 1);
        }
    }
    if (!at.expect_list()) return std::nullopt;
    for (std::size_t k = 0; k < at.size(); ++k) {
        Cursor const place = at.at(k);
        std::string const text = place.value().is_string() ? place.value().get<std::string>() : brief(place.value());
        auto item = parse_item(text, place);
        if (!item) return std::nullopt;
        items.push_back(std::move(*item));
    }
    return items;
}

struct Slicing {
    std::vector<SliceAxis> axes;  // of the input
    std::vector<bool> dropped;    // axes that a number took away
};

/// '...' stands for as many whole axes as are missing; missing axes at the end are whole.
std::optional<Slicing> slicing_of_items(OpReader const& op, std::vector<Item> const& items) {
    Cursor const at = op.node().at("slices");
    std::size_t named = 0, rests = 0;
    for (Item const& item : items) item.kind == Item::Kind::rest ? ++rests : ++named;
    if (named > op.order() || rests > 1) {
        at.fail("at most " + std::to_string(op.order()) + " slices and one '...'", brief(at.value()),
                op.describe(0) + " has no more axes");
        return std::nullopt;
    }
    Slicing slicing{std::vector<SliceAxis>(op.order()), std::vector<bool>(op.order(), false)};
    std::size_t axis = 0;
    for (Item const& item : items) {
        if (item.kind == Item::Kind::rest) {
            axis += op.order() - named;
            continue;
        }
        slicing.axes[axis] = item.slice;
        if (item.kind == Item::Kind::number) {
            Extent const extent = op.value(0).shape[axis];
            if (item.number < -extent || item.number >= extent) {
                item.at.fail(
                    "a position from " + std::to_string(-extent) + " to " + std::to_string(extent - 1),
                    std::to_string(item.number),
                    "correct it: axis " + std::to_string(axis) + " has " + std::to_string(extent) + " elements");
                return std::nullopt;
            }
            std::int64_t const first = item.number < 0 ? item.number + extent : item.number;
            slicing.axes[axis] = {first, first + 1, 1};
            slicing.dropped[axis] = true;
        }
        ++axis;
    }
    return slicing;
}

using Bounds = std::vector<std::optional<std::int64_t>>;

/// "start", "stop" or "step": a list of numbers and nulls. Nothing when it has a fault or is missing.
std::optional<Bounds> read_bounds(OpReader const& op, std::string const& key) {
    auto const at = optional_at(op.node(), key);
    auto const moves = [](Cursor const& bound) {
        Json const& written = bound.value();
        if (!written.is_string() || !is_named(written.get_ref<std::string const&>())) return false;
        bound.fail("a whole number", brief(written), mend_moving(written.get<std::string>()));
        return true;
    };
    if (at && moves(*at)) return std::nullopt;
    if (!at || (!at->value().is_array() && !at->integer())) return std::nullopt;
    if (!at->value().is_array()) return Bounds{at->value().get<std::int64_t>()};
    Bounds bounds;
    for (std::size_t k = 0; k < at->size(); ++k) {
        if (at->at(k).value().is_null())
            bounds.emplace_back();
        else if (moves(at->at(k)))
            return std::nullopt;
        else
            bounds.push_back(at->at(k).integer());
    }
    return bounds;
}

struct Lists {
    std::optional<Bounds> start, stop, step;
    AxesAttribute axes;
};

bool check_steps(OpReader const& op, Lists const& lists) {
    if (!lists.step) return true;
    for (std::size_t k = 0; k < lists.step->size(); ++k) {
        auto const step = (*lists.step)[k];
        if (!step || (*step != 0 && *step >= -largest_step && *step <= largest_step)) continue;
        op.node().at("step").fail("steps other than 0", std::to_string(*step), "write 1, or -1 to go backwards");
        return false;
    }
    return true;
}

std::optional<Slicing> slicing_of_lists(OpReader const& op, Lists const& lists) {
    std::vector<std::size_t> axes(op.order());
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = k;
    if (lists.axes.list) {
        auto const listed = op.in_order(lists.axes, op.order());
        if (!listed) return std::nullopt;
        axes = *listed;
    }
    Slicing slicing{std::vector<SliceAxis>(op.order()), std::vector<bool>(op.order(), false)};
    for (auto const& [key, bounds] : {std::pair{"start", &lists.start}, {"stop", &lists.stop}, {"step", &lists.step}}) {
        if (!*bounds) continue;
        bool const fits = lists.axes.list ? (*bounds)->size() == axes.size() : (*bounds)->size() <= axes.size();
        if (!fits) {
            op.node().at(key).fail(std::to_string(axes.size()) + " numbers, one for each axis",
                                   std::to_string((*bounds)->size()), "write null for a bound that is not needed");
            return std::nullopt;
        }
    }
    auto bound = [](std::optional<Bounds> const& bounds, std::size_t k) {
        return bounds && k < bounds->size() ? (*bounds)[k] : std::nullopt;
    };
    for (std::size_t k = 0; k < axes.size(); ++k)
        slicing.axes[axes[k]] = {bound(lists.start, k), bound(lists.stop, k), bound(lists.step, k).value_or(1)};
    return slicing;
}

ValueId lower(OpReader& op, Slicing const& slicing) {
    Move move;
    Move::Region region;
    Shape kept;
    bool dropped = false;
    for (std::size_t axis = 0; axis < op.order(); ++axis) {
        SlicedAxis const sliced = slice_axis(slicing.axes[axis], op.value(0).shape[axis]);
        region.axes.push_back(sliced.map);
        region.box.begin.push_back(0);
        region.box.length.push_back(sliced.length);
        dropped = dropped || slicing.dropped[axis];
        if (!slicing.dropped[axis]) kept.push_back(sliced.length);
    }
    Shape const shape = region.box.length;
    move.regions.push_back(std::move(region));
    ValueId const piece =
        op.build.move(dropped ? "slice" : "", std::move(move), {op.input(0)}, shape, op.value(0).dtype);
    return dropped ? op.build.reshape("", piece, kept) : piece;
}

}  // namespace

OpResult read_slice(OpReader& op) {
    auto const slices = optional_at(op.node(), "slices");
    Lists const lists{read_bounds(op, "start"), read_bounds(op, "stop"), read_bounds(op, "step"), op.axes()};
    bool const has_lists = op.node().has("start") || op.node().has("stop") || op.node().has("step");
    if (slices && (has_lists || lists.axes.list)) {
        slices->fail("\"slices\", or \"start\", \"stop\" and \"step\"", "both", "remove one of them");
        return std::nullopt;
    }
    if (!slices && !has_lists)
        op.node().fail("\"slices\", or \"start\", \"stop\" or \"step\"", "none of them",
                       "write for example \"slices\": \"1:5, ::2\"");
    auto const items = slices ? read_items(*slices) : std::nullopt;
    if (!check_steps(op, lists) || !op.ready()) return std::nullopt;
    auto const slicing = items ? slicing_of_items(op, *items) : slicing_of_lists(op, lists);
    return slicing ? OpResult(lower(op, *slicing)) : std::nullopt;
}

}  // namespace ein::graph
