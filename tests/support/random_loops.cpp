#include "tests/support/random_programs.hpp"

#include "tests/support/random_values.hpp"

namespace ein::test {
namespace {

std::string letters_of(Shape const& shape) { return std::string("abcdefgh").substr(0, shape.size()); }

// ---- loops -------------------------------------------------------------------------------------------------------

class Loops : RandomValues {
public:
    explicit Loops(std::uint64_t seed) : RandomValues(seed), rows_(extent()), columns_(chance(30) ? rows_ : extent()) {}

    Json run() {
        int const count = 1 + pick(2);
        for (int k = 0; k < count; ++k) add_loop(outside_, 1);
        for (Made const& value : outside_)
            if (!value.is_leaf) read(value);
        Json outputs = Json::array();
        for (Made const& value : outside_)
            if (!value.is_leaf || chance(10)) outputs.push_back(value.name);
        for (std::string const& name : read_) outputs.push_back(name);
        return {{"eingraph", 1}, {"name", "loops"}, {"tensors", tensors_}, {"nodes", nodes_}, {"outputs", outputs}};
    }

private:
    Extent extent() { return any_of(std::vector<Extent>{1, 2, 3, 5, 7, 8, 13, 17, 33}); }

    /// A loop over what is carried, written to `nodes_`; `around` gets its results.
    void add_loop(std::vector<Made>& around, int depth) {
        std::vector<Shape> const shapes{{rows_, columns_}, {columns_}, {rows_}, {}, {columns_, rows_}};
        std::string const loop = "L" + std::to_string(names_++);
        std::vector<Made> carried;
        Json carry = Json::object();
        int const count = 2 + pick(4);
        for (int k = 0; k < count; ++k) {
            Shape const shape = any_of(shapes);
            std::string const dtype = any_of(std::vector<std::string>{"f64", "f64", "f32", "i32", "c128"});
            std::string const begin = chosen(around, shape, dtype);
            carried.push_back({loop + "c" + std::to_string(k), dtype, shape});
            carry[carried.back().name] = {{"begin", begin}};
        }
        Json before = std::move(nodes_);
        nodes_ = Json::array();
        std::vector<Made> inside = around;
        inside.insert(inside.end(), carried.begin(), carried.end());
        Json body{{"carry", carry}};
        if (depth < 2 && chance(20)) add_loop(inside, depth + 1);
        std::vector<std::string> next;
        for (Made const& value : carried) next.push_back(step(value, inside));
        hand_over(carried, next);
        for (std::size_t k = 0; k < carried.size(); ++k) body["carry"][carried[k].name]["next"] = next[k];
        if (chance(35))
            add_condition(body, loop, around, inside);
        else
            body["times"] = 1 + pick(4);
        body["body"] = std::move(nodes_);
        nodes_ = std::move(before);
        nodes_.push_back({{"name", loop}, {"loop", std::move(body)}});
        for (Made const& value : carried) around.push_back({loop + "/" + value.name, value.dtype, value.shape});
    }

    /// One of these, or a new tensor, which is outside of all loops.
    std::string chosen(std::vector<Made>& of, Shape const& shape, std::string const& dtype) {
        for (auto value = of.rbegin(); value != of.rend(); ++value)
            if (value->shape == shape && value->dtype == dtype && chance(50)) return value->name;
        std::string const name = add_leaf(shape, dtype);
        outside_.push_back(values_.back());
        if (&of != &outside_) of.push_back(values_.back());
        return name;
    }

    /// What a carried value becomes, of itself and others: of its shape and dtype, and no larger than before.
    std::string step(Made const& value, std::vector<Made>& inside) {
        std::string const all = letters_of(value.shape), &dtype = value.dtype;
        Kind const kind = kind_of(dtype);
        std::string const damped = kind == Kind::real      ? "tanh(x/2 + y)"
                                   : kind == Kind::integer ? "mod(x + 2*y, 7)"
                                                           : "x/2 + conj(y)/2";
        auto const node = [&](std::string const& einsum, std::vector<std::string> const& inputs,
                              std::string const& join = "", std::string const& agg = "sum") {
            Json made{{"einsum", einsum}, {"inputs", inputs}, {"agg", agg}};
            if (!join.empty()) made["join"] = join;
            return add_body_node(std::move(made), value.shape, dtype, inside);
        };
        std::string made = value.name;
        switch (pick(6)) {
            case 0:  // with another of its shape
                made = node(all + "," + all + "->" + all, {made, chosen(inside, value.shape, dtype)}, damped);
                break;
            case 1: {  // a product with a square matrix
                if (value.shape.empty()) break;
                std::size_t const axis = static_cast<std::size_t>(pick(all.size()));
                std::string to = all;
                to[axis] = 'z';
                made = node(all + "," + std::string(1, all[axis]) + "z->" + to,
                            {made, chosen(inside, {value.shape[axis], value.shape[axis]}, dtype)},
                            kind == Kind::integer ? "x*y" : "x*y/8");
                if (kind == Kind::integer) made = node(all + "->" + all, {made}, "mod(x, 7)");
                break;
            }
            case 2:  // scaled by sums or the largest of another
                made = node(all + ",->" + all, {made, total(inside, dtype)}, damped);
                break;
            case 3: {  // rolled
                if (value.shape.empty() || value.shape[0] < 2) break;
                auto const part = [&](Json const& from, Json const& to) {
                    Shape shape = value.shape;
                    shape[0] = from == 0 ? 1 : shape[0] - 1;
                    return add_body_node(
                        {{"op", "slice"}, {"inputs", {made}}, {"start", {from}}, {"stop", {to}}, {"axes", {0}}}, shape,
                        dtype, inside);
                };
                std::string const first = part(0, 1), rest = part(1, nullptr);
                made = add_body_node({{"op", "concat"}, {"inputs", {rest, first}}, {"axis", 0}}, value.shape, dtype,
                                     inside);
                break;
            }
            case 4: {  // of a vector along an axis
                if (value.shape.empty()) break;
                std::size_t const axis = static_cast<std::size_t>(pick(all.size()));
                made = node(all + "," + all[axis] + "->" + all, {made, chosen(inside, {value.shape[axis]}, dtype)},
                            damped);
                break;
            }
            default:  // in some places
                if (value.shape.empty()) break;
                made = node(all + "," + all + "->" + all, {made, chosen(inside, value.shape, dtype)},
                            "where(mod([a], 3) == 1, y, x)");
        }
        return made == value.name && chance(70) ? node(all + "->" + all, {made}, kind == Kind::integer ? "-x" : "x/2")
                                                : made;
    }

    std::string total(std::vector<Made>& inside, std::string const& dtype) {
        std::vector<Made> fit;
        for (Made const& value : inside)
            if (value.dtype == dtype && value.shape.size() < 3) fit.push_back(value);
        if (fit.empty()) return chosen(inside, {}, dtype);
        Made const of = any_of(fit);
        bool const ordered = kind_of(dtype) != Kind::complex;
        Json node{{"einsum", letters_of(of.shape) + "->"}, {"inputs", {of.name}}};
        if (ordered && !of.shape.empty() && chance(50))
            node["agg"] = chance(50) ? "max" : "min";
        else if (kind_of(dtype) != Kind::integer)
            node["join"] = "x/64";
        return add_body_node(std::move(node), {}, dtype, inside);
    }

    /// Two of the same shape and dtype become each other's; now and then one value is what two begin the next with.
    void hand_over(std::vector<Made> const& carried, std::vector<std::string>& next) {
        for (std::size_t k = 1; k < carried.size(); ++k)
            if (carried[k].shape == carried[k - 1].shape && carried[k].dtype == carried[k - 1].dtype && chance(50)) {
                std::swap(next[k], next[k - 1]);
                if (chance(25)) next[k] = next[k - 1];
            }
    }

    /// A counter that is carried too.
    void add_condition(Json& loop, std::string const& name, std::vector<Made>& around, std::vector<Made>& inside) {
        std::string const zero = "T" + std::to_string(tensors_.size()), count = name + "t", more = name + "more";
        tensors_[zero] = {{"shape", Json::array()}, {"dtype", "i64"}, {"data", {{"fill", 0}}}};
        std::string const next =
            add_body_node({{"einsum", "->"}, {"inputs", {count}}, {"join", "x + 1"}}, {}, "i64", inside);
        loop["carry"][count] = {{"begin", zero}, {"next", next}};
        nodes_.push_back(
            {{"name", more}, {"einsum", "->"}, {"inputs", {next}}, {"join", "x < " + std::to_string(1 + pick(4))}});
        loop["while"] = more;
        loop["max"] = 1 + pick(5);
        around.push_back({name + "/" + count, "i64", {}});
    }

    std::string add_body_node(Json node, Shape const& shape, std::string const& dtype, std::vector<Made>& inside) {
        std::string const name = add_node(std::move(node), shape, dtype);
        inside.push_back(values_.back());
        values_.pop_back();
        return name;
    }

    void read(Made const& value) {
        std::string const all = letters_of(value.shape);
        read_.push_back("R" + std::to_string(names_++));
        nodes_.push_back({{"name", read_.back()},
                          {"einsum", all + "->" + all.substr(all.empty() ? 0 : 1)},
                          {"inputs", {value.name}}});
    }

    Extent rows_, columns_;
    std::vector<Made> outside_;
    std::vector<std::string> read_;
};

}  // namespace

Json random_loops(std::uint64_t seed) { return Loops(seed).run(); }

}  // namespace ein::test
