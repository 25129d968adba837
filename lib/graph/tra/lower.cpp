#include "lib/graph/tra/lower.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "lib/base/error.hpp"
#include "lib/graph/tra/apply_kernel.hpp"
#include "lib/graph/tra/regrid.hpp"

namespace ein::graph {
namespace {

using tra::Key;
using tra::KeyDims;
using tra::RelationType;

/// The grid in which a relation of this type is stored.
Shape grid_of(RelationType const& type) { return type.listed ? Shape{type.keys()} : type.frontier; }

/// Where a key's array is in that grid.
Extent cell_of(RelationType const& type, Key const& key) {
    if (type.listed) return std::lower_bound(type.listed->begin(), type.listed->end(), key) - type.listed->begin();
    Extent cell = 0;
    for (std::size_t d = 0; d < key.size(); ++d) cell = cell * type.frontier[d] + key[d];
    return cell;
}

/// Blocks, and which cells of their grid the relation's keys have, in order; without a list they are the grid.
struct Relation {
    Blocks blocks;
    std::optional<Cells> cells;
};

class Lowering {
public:
    Lowering(BlockBuilder& builder, Program const& program, std::map<std::string, Blocks> const& inputs)
        : builder_(builder), program_(program), inputs_(inputs) {}

    Blocks run() {
        std::vector<tra::Expr> const order = tra::arguments_first(program_.result);
        for (tra::Expr const& expr : order)
            for (tra::Expr const& arg : expr.inputs()) ++readers_[arg.id()];
        for (tra::Expr const& expr : order) {
            Relation relation = std::visit([&](auto const& op) { return lowered(op, expr); }, expr.op());
            if (readers_[expr.id()] > 1)  // computed once, whoever reads it
                relation = {builder_.stored(settled(std::move(relation), type(expr)), part_of(expr)), {}};
            done_.insert_or_assign(expr.id(), std::move(relation));
        }
        return settled(std::move(done_.at(program_.result.id())), type(program_.result));
    }

private:
    RelationType const& type(tra::Expr const& expr) const { return program_.type(expr); }
    RelationType const& type_of_argument(tra::Expr const& expr, std::size_t k = 0) const {
        return type(expr.inputs()[k]);
    }
    Relation const& argument(tra::Expr const& expr) const { return done_.at(expr.inputs().front().id()); }

    static std::string part_of(tra::Expr const& expr) {
        static constexpr std::array<char const*, std::variant_size_v<tra::Operator>> names{
            "input", "join", "aggregate", "rekey", "filter", "transform", "tile", "concat"};
        return names.at(expr.op().index());
    }

    /// The blocks in the grid that the type says.
    Blocks settled(Relation relation, RelationType const& type) {
        if (!relation.cells) return std::move(relation.blocks);
        return regrid(builder_, std::move(relation.blocks), grid_of(type), *relation.cells);
    }
    Blocks settled_argument(tra::Expr const& expr, std::size_t k = 0) {
        return settled(done_.at(expr.inputs()[k].id()), type_of_argument(expr, k));
    }

    /// A relation's arrays in another grid, whose cells are counted in the order of the relation's keys.
    Blocks in_grid(Relation const& relation, Shape const& grid, Cells cells,
                   std::optional<scalar::Scalar> const& fill = {}) {
        if (relation.cells)
            for (Extent& cell : cells) cell = cell < 0 ? cell : (*relation.cells)[static_cast<std::size_t>(cell)];
        return regrid(builder_, relation.blocks, grid, cells, fill);
    }

    Relation lowered(tra::Input const& op, tra::Expr const&) { return {inputs_.at(op.name), {}}; }

    Relation lowered(tra::Transform const& op, tra::Expr const& expr) {
        return {apply_kernel(builder_, op.array, settled_argument(expr)), {}};
    }

    /// Cells of the argument's grid for the keys of a type, each from a key of the argument.
    template <class KeyOf>
    Relation rekeyed(tra::Expr const& expr, KeyOf key_of) {
        Relation const& from = argument(expr);
        std::vector<std::pair<Key, Extent>> made;
        Extent at = 0;
        type_of_argument(expr).for_each_key([&](Key const& key) {
            Extent const cell = from.cells ? (*from.cells)[static_cast<std::size_t>(at)] : at;
            if (auto now = key_of(key)) made.emplace_back(std::move(*now), cell);
            ++at;
        });
        std::sort(made.begin(), made.end());
        Cells cells;
        for (auto const& [key, cell] : made) cells.push_back(cell);
        return {from.blocks, std::move(cells)};
    }

    Relation lowered(tra::Rekey const& op, tra::Expr const& expr) {
        return rekeyed(expr, [&](Key const& key) { return std::optional(tra::value(op.keys(key, 0))); });
    }
    Relation lowered(tra::Filter const& op, tra::Expr const& expr) {
        return rekeyed(expr,
                       [&](Key const& key) { return tra::value(op.accepts(key)) ? std::optional(key) : std::nullopt; });
    }

    Relation lowered(tra::Join const& op, tra::Expr const& expr) {
        RelationType const& left = type_of_argument(expr, 0);
        RelationType const& right = type_of_argument(expr, 1);
        KeyDims const places = tra::right_places(op, left.arity(), right.arity());
        if (left.continuous() && right.continuous())
            return {whole_join(op, expr, settled_argument(expr, 0), settled_argument(expr, 1), places), {}};
        Shape const grid = grid_of(type(expr));
        KeyDims const left_dims = tra::complement({}, left.arity());
        Cells left_cells, right_cells;
        type(expr).for_each_key([&](Key const& key) {
            left_cells.push_back(cell_of(left, tra::picked(key, left_dims)));
            right_cells.push_back(cell_of(right, tra::picked(key, places)));
        });
        Blocks x = in_grid(done_.at(expr.inputs()[0].id()), grid, std::move(left_cells));
        Blocks y = in_grid(done_.at(expr.inputs()[1].id()), grid, std::move(right_cells));
        return {on_one_grid(op.kernel, std::move(x), std::move(y)), {}};
    }

    Blocks whole_join(tra::Join const& op, tra::Expr const& expr, Blocks x, Blocks y, KeyDims const& places) {
        Shape left = x.grid(), right = y.grid();
        for (std::size_t k = 0; k < op.left.size(); ++k) {
            Extent& a = left[static_cast<std::size_t>(op.left[k])];
            Extent& b = right[static_cast<std::size_t>(op.right[k])];
            a = b = std::min(a, b);
        }
        if (left != x.grid()) x = cut_grid(builder_, std::move(x), left);
        if (right != y.grid()) y = cut_grid(builder_, std::move(y), right);
        x = builder_.stored(x, part_of(expr.inputs()[0]));
        y = builder_.stored(y, part_of(expr.inputs()[1]));
        std::vector<int> left_keys(left.size());
        std::iota(left_keys.begin(), left_keys.end(), 0);
        Shape extents = left;
        for (std::size_t d = 0; d < right.size(); ++d)
            if (static_cast<std::size_t>(places[d]) >= left.size()) extents.push_back(right[d]);
        return apply_kernel(builder_, op.kernel, x, y, left_keys, places, extents);
    }

    /// Both operands in the grid of the result; what an operand does not have is repeated along its axis.
    Blocks on_one_grid(tra::Kernel const& kernel, Blocks x, Blocks y) {
        Shape const extents = x.grid();
        std::vector<int> const left = drop_repeated(x), right = drop_repeated(y);
        return apply_kernel(builder_, kernel, x, y, left, right, extents);
    }

    /// Takes the key labels away that no operand has; the positions of those that stay.
    static std::vector<int> drop_repeated(Blocks& blocks) {
        std::vector<int> kept, positions;
        for (std::size_t k = 0; k < blocks.keys.size(); ++k) {
            bool const read =
                std::any_of(blocks.operands.begin(), blocks.operands.end(), [&](Blocks::Operand const& operand) {
                    return std::find(operand.labels.begin(), operand.labels.end(), blocks.keys[k]) !=
                           operand.labels.end();
                });
            if (!read) continue;
            kept.push_back(blocks.keys[k]);
            positions.push_back(static_cast<int>(k));
        }
        blocks.keys = std::move(kept);
        return positions;
    }

    Relation lowered(tra::Aggregation const& op, tra::Expr const& expr) {
        scalar::Agg const agg = *tra::aggregation_of(op.combine);
        if (type_of_argument(expr).listed) return {aggregated_list(op, agg, expr, argument(expr)), {}};
        return {aggregated(settled_argument(expr), op.group_by, agg), {}};
    }

    /// Keeps some key parts and aggregates the others.
    Blocks aggregated(Blocks blocks, KeyDims const& kept, scalar::Agg agg) {
        bool const all = kept.size() == blocks.keys.size();
        if (!all && blocks.agg && *blocks.agg != agg) blocks = builder_.stored(blocks, "blocks");
        std::vector<int> keys;
        for (int dim : kept) keys.push_back(blocks.keys[static_cast<std::size_t>(dim)]);
        blocks.keys = std::move(keys);
        if (!all) blocks.agg = agg;
        return blocks;
    }

    /// Groups of unlike size are aggregated in lots of about the same size, and the lots again, so that little is
    /// filled up.
    Blocks aggregated_list(tra::Aggregation const& op, scalar::Agg agg, tra::Expr const& expr, Relation relation) {
        std::vector<Cells> groups(static_cast<std::size_t>(type(expr).keys()));
        Extent at = 0;
        for (Key const& key : *type_of_argument(expr).listed)
            groups[static_cast<std::size_t>(cell_of(type(expr), tra::picked(key, op.group_by)))].push_back(at++);
        while (true) {
            std::size_t most = 0, members = 0;
            for (Cells const& group : groups) most = std::max(most, group.size()), members += group.size();
            std::size_t const lot = std::min(most, 2 * ((members + groups.size() - 1) / groups.size()));
            bool const last = lot == most;
            Cells cells;
            std::vector<Cells> lots(groups.size());
            Extent number = 0;
            for (std::size_t g = 0; g < groups.size(); ++g)
                for (std::size_t first = 0; first < groups[g].size(); first += lot) {
                    for (std::size_t k = first; k < first + lot; ++k)
                        cells.push_back(k < groups[g].size() ? groups[g][k] : -1);
                    lots[g].push_back(number++);
                }
            Shape grid = last ? grid_of(type(expr)) : Shape{number};
            grid.push_back(static_cast<Extent>(lot));
            Blocks blocks = in_grid(relation, grid, std::move(cells), scalar::identity(agg, builder_.dtype()));
            blocks = aggregated(std::move(blocks), tra::complement({}, static_cast<int>(grid.size()) - 1), agg);
            if (last) return blocks;
            relation = {std::move(blocks), {}};
            groups = std::move(lots);
        }
    }

    Relation lowered(tra::Tile const& op, tra::Expr const& expr) {
        Blocks const from = builder_.stored(settled_argument(expr), "tile");
        std::vector<int> const& order = from.operands.front().labels;
        int const split = from.array[static_cast<std::size_t>(op.dim)];
        Shape shape;
        std::vector<int> axis_of(from.extents.size());
        for (int label : order) {
            axis_of[static_cast<std::size_t>(label)] = static_cast<int>(shape.size());
            if (label == split) shape.push_back(from.extent(label) / op.size);
            shape.push_back(label == split ? op.size : from.extent(label));
        }
        std::vector<int> keys, array;
        for (int label : from.keys) keys.push_back(axis_of[static_cast<std::size_t>(label)]);
        keys.push_back(axis_of[static_cast<std::size_t>(split)]);
        for (int label : from.array) array.push_back(axis_of[static_cast<std::size_t>(label)] + (label == split));
        ValueId const value = builder_.build().reshape("tiles", from.operands.front().value, shape);
        Blocks blocks = Blocks::of(value, shape, std::move(keys), std::move(array));
        if (type_of_argument(expr).continuous()) return {std::move(blocks), {}};
        Cells cells(static_cast<std::size_t>(type(expr).keys()));  // keys in order, tiles in order within a key
        std::iota(cells.begin(), cells.end(), Extent{0});
        return {std::move(blocks), std::move(cells)};
    }

    Relation lowered(tra::Concat const& op, tra::Expr const& expr) {
        RelationType const& from = type_of_argument(expr);
        int key = op.key_dim;
        Blocks blocks;
        if (from.continuous()) {
            blocks = settled_argument(expr);
        } else {
            Shape grid = grid_of(type(expr));
            grid.push_back(from.frontier[static_cast<std::size_t>(op.key_dim)]);
            KeyDims const group_by = tra::complement({op.key_dim}, from.arity());
            Cells cells(static_cast<std::size_t>(from.keys()));
            Extent at = 0;
            for (Key const& member : *from.listed) {
                Extent const group = cell_of(type(expr), tra::picked(member, group_by));
                cells[static_cast<std::size_t>(group * grid.back() + member[static_cast<std::size_t>(op.key_dim)])] =
                    at++;
            }
            blocks = in_grid(argument(expr), grid, std::move(cells));
            key = static_cast<int>(grid.size()) - 1;
        }
        return {merged(std::move(blocks), static_cast<std::size_t>(key), static_cast<std::size_t>(op.array_dim)), {}};
    }

    /// A key label and an array label become one axis of the arrays.
    Blocks merged(Blocks blocks, std::size_t key, std::size_t axis) {
        std::vector<std::vector<int>> axes;
        std::vector<int> keys, array;
        auto const add = [&](std::vector<int>& list, std::vector<int> labels) {
            list.push_back(static_cast<int>(axes.size()));
            axes.push_back(std::move(labels));
        };
        for (std::size_t k = 0; k < blocks.keys.size(); ++k)
            if (k != key) add(keys, {blocks.keys[k]});
        for (std::size_t k = 0; k < blocks.array.size(); ++k)
            add(array, k == axis ? std::vector{blocks.keys[key], blocks.array[k]} : std::vector{blocks.array[k]});
        std::vector<int> order;
        Shape shape;
        for (auto const& labels : axes) {
            shape.push_back(1);
            for (int label : labels) order.push_back(label), shape.back() *= blocks.extent(label);
        }
        ValueId const value = builder_.in_order(blocks, "concat", order);
        return Blocks::of(builder_.build().reshape("concat", value, shape), shape, std::move(keys), std::move(array));
    }

    BlockBuilder& builder_;
    Program const& program_;
    std::map<std::string, Blocks> const& inputs_;
    std::map<void const*, int> readers_;
    std::map<void const*, Relation> done_;
};

}  // namespace

Blocks lower_program(BlockBuilder& builder, Program const& program, std::map<std::string, Blocks> const& inputs) {
    return Lowering(builder, program, inputs).run();
}

ValueId as_tensor(BlockBuilder& builder, Blocks const& blocks, std::vector<std::vector<int>> const& axes) {
    std::vector<int> order;
    Shape shape;
    for (auto const& labels : axes) {
        shape.push_back(1);
        for (int label : labels) order.push_back(label), shape.back() *= blocks.extent(label);
    }
    bool const whole = shape.size() == order.size();
    if (!whole) return builder.build().reshape("", builder.in_order(blocks, "blocks", order), std::move(shape));
    return builder.in_order(blocks, "", order);
}

}  // namespace ein::graph
