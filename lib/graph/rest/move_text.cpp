#include "lib/graph/rest/move_text.hpp"

#include <algorithm>
#include <set>

#include "lib/graph/rest/source_text.hpp"

namespace ein::graph {
namespace {

/// Whether a box of an input's extents, read by `axes`, is all of the input in its order.
bool is_whole(Move::Region const& region, Shape const& input) {
    if (region.box.length != input) return false;
    return std::all_of(region.axes.begin(), region.axes.end(), [&](AxisMap const& map) {
        auto const axis = static_cast<std::size_t>(&map - region.axes.data());
        return map.start == 0 && (map.step == 1 || input[axis] < 2);
    });
}

/// The axis along which the inputs follow one another, each whole; nothing where they do not.
std::optional<std::size_t> concat_axis(MoveToWrite const& what) {
    for (std::size_t axis = 0; axis < what.shape.size(); ++axis) {
        Box next = Box::whole(what.shape);
        next.length[axis] = 0;
        bool follows = true;
        for (std::size_t k = 0; follows && k < what.inputs.size(); ++k) {
            next.begin[axis] += next.length[axis];
            next.length[axis] = what.input_shapes[k][axis];
            follows = is_whole(what.move.regions[k], what.input_shapes[k]) && what.move.regions[k].box == next;
        }
        if (follows && next.end(axis) == what.shape[axis]) return axis;
    }
    return std::nullopt;
}

/// "start:stop:step" of one axis. A box of nothing reads nothing.
std::string slice_of(AxisMap const& map, Extent length, Extent extent) {
    if (length == 0) return "0:0";
    if (map.start == 0 && map.step == 1 && length == extent) return ":";
    Extent const step = length == 1 ? 1 : map.step;
    Extent const stop = map.start + step * (length - 1) + (step > 0 ? 1 : -1);
    std::string const text = std::to_string(map.start) + ":" + (stop < 0 ? "" : std::to_string(stop));
    return step == 1 ? text : text + ":" + std::to_string(step);
}

class MoveWriter {
public:
    MoveWriter(MoveToWrite const& what, GraphWriter& to, FreshName const& fresh)
        : what_(what), to_(to), fresh_(fresh) {}

    void write() {
        if (auto const axis = concat_axis(what_); axis && what_.inputs.size() > 1)
            return op(what_.name, "concat", what_.inputs, {{"axis", *axis}});
        if (what_.inputs.size() == 1 && is_padded_whole())
            return pad(what_.name, what_.inputs[0], Box::whole(what_.shape), box(0));
        piece(Box::whole(what_.shape), what_.name);
    }

private:
    Box const& box(std::size_t region) const { return what_.move.regions[region].box; }
    bool is_padded_whole() const {
        return what_.move.fill && is_whole(what_.move.regions[0], what_.input_shapes[0]) &&
               box(0).length != what_.shape;
    }

    /// The part of the output in `whole`, made by a node of that name or, without one, of a name of its own, or that
    /// is there already.
    std::string piece(Box const& whole, std::string const& name) {
        std::vector<std::size_t> inside;
        for (std::size_t k = 0; k < what_.inputs.size(); ++k)
            if (!intersection(box(k), whole).empty()) inside.push_back(k);
        if (inside.empty() && !whole.empty()) return copied(filled(whole.length), name);
        if (inside.empty()) return slice(0, whole, name);  // of nothing
        if (inside.size() == 1) {
            Box const found = intersection(box(inside[0]), whole);
            if (found == whole) return slice(inside[0], whole, name);
            std::string const padded = name.empty() ? fresh_(what_.name + ":piece") : name;
            pad(padded, slice(inside[0], found, ""), whole, found);
            return padded;
        }
        return joined(whole, inside, name);
    }

    std::string joined(Box const& whole, std::vector<std::size_t> const& inside, std::string const& name) {
        auto const [axis, cuts] = best_cuts(whole, inside);
        std::vector<std::string> pieces;
        for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
            Box part = whole;
            part.begin[axis] = cuts[k];
            part.length[axis] = cuts[k + 1] - cuts[k];
            pieces.push_back(piece(part, ""));
        }
        std::string const made = name.empty() ? fresh_(what_.name + ":piece") : name;
        op(made, "concat", pieces, {{"axis", axis}});
        return made;
    }

    struct Cuts {
        std::size_t axis = 0;
        std::vector<Extent> at;  // with both ends of the whole
    };
    /// As many cuts along one axis as cut no region; where there are none, an end of a region, which cuts others.
    Cuts best_cuts(Box const& whole, std::vector<std::size_t> const& inside) const {
        Cuts best, other;
        for (std::size_t axis = 0; axis < whole.order(); ++axis) {
            std::set<Extent> ends;
            for (std::size_t k : inside) {
                Box const part = intersection(box(k), whole);
                ends.insert({part.begin[axis], part.end(axis)});
            }
            Cuts clean{axis, {whole.begin[axis]}};
            for (Extent const at : ends) {
                if (at == whole.begin[axis] || at == whole.end(axis)) continue;
                if (other.at.empty()) other = {axis, {whole.begin[axis], at, whole.end(axis)}};
                bool const cuts_one = std::any_of(inside.begin(), inside.end(), [&](std::size_t k) {
                    return box(k).begin[axis] < at && at < box(k).end(axis);
                });
                if (!cuts_one) clean.at.push_back(at);
            }
            clean.at.push_back(whole.end(axis));
            if (clean.at.size() > std::max<std::size_t>(2, best.at.size())) best = std::move(clean);
        }
        return best.at.empty() ? other : best;
    }

    /// What region k reads for a part of its box.
    std::string slice(std::size_t k, Box const& part, std::string const& name) {
        Move::Region const& region = what_.move.regions[k];
        Shape const& extents = what_.input_shapes[k];
        std::vector<AxisMap> maps = region.axes;
        for (std::size_t axis = 0; axis < part.order(); ++axis)
            maps[axis].start += maps[axis].step * (part.begin[axis] - region.box.begin[axis]);
        if (part.empty()) std::fill(maps.begin(), maps.end(), AxisMap{});  // those of nothing may lie outside
        Move::Region const read{part, maps};
        if (part.empty() && !fits(part.length, extents)) return copied(filled(part.length), name);
        if (name.empty() && is_whole(read, extents)) return what_.inputs[k];
        std::string text;
        for (std::size_t axis = 0; axis < part.order(); ++axis)
            text += (axis > 0 ? ", " : "") + slice_of(maps[axis], part.length[axis], extents[axis]);
        std::string const made = name.empty() ? fresh_(what_.name + ":piece") : name;
        op(made, "slice", {what_.inputs[k]}, {{"slices", text.empty() ? "..." : text}});
        return made;
    }

    static bool fits(Shape const& part, Shape const& extents) {
        for (std::size_t axis = 0; axis < part.size(); ++axis)
            if (part[axis] > extents[axis]) return false;
        return true;
    }

    void pad(std::string const& name, std::string const& input, Box const& whole, Box const& found) {
        Json widths = Json::array();
        for (std::size_t axis = 0; axis < whole.order(); ++axis)
            widths.push_back({found.begin[axis] - whole.begin[axis], whole.end(axis) - found.end(axis)});
        op(name, "pad", {input},
           {{"pad_width", widths}, {"constant_values", element_json(*what_.move.fill, what_.dtype)}});
    }

    /// A tensor of fill alone, or of no elements.
    std::string filled(Shape const& shape) {
        std::string const made = fresh_(what_.name + ":fill");
        scalar::Scalar const zero = kind(what_.dtype) <= Kind::integer ? scalar::Scalar::of(std::int64_t{0})
                                                                       : scalar::Scalar::of(std::complex<double>(0));
        to_.tensor(made, shape, {{"fill", element_json(what_.move.fill.value_or(zero), what_.dtype)}}, what_.dtype,
                   what_.listing);
        return made;
    }

    std::string copied(std::string const& input, std::string const& name) {
        if (name.empty()) return input;
        op(name, "slice", {input}, {{"slices", "..."}});
        return name;
    }

    void op(std::string const& name, std::string const& kind, std::vector<std::string> const& inputs, Json keys) {
        keys.update(what_.storage);
        to_.op(name, kind, inputs, keys);
    }

    MoveToWrite const& what_;
    GraphWriter& to_;
    FreshName const& fresh_;
};

}  // namespace

void write_move(MoveToWrite const& what, GraphWriter& to, FreshName const& fresh) {
    MoveWriter(what, to, fresh).write();
}

}  // namespace ein::graph
