#include "tests/support/random_products.hpp"

#include "tests/support/random_values.hpp"

namespace ein::test {
namespace {

bool is_coarse(std::string const& dtype) { return dtype == "f16" || dtype == "bf16"; }

/// "ij,jk->ik": {"ij", "jk"}, "ik".
struct Subscripts {
    std::vector<std::string> in;
    std::string out;

    std::string text() const {
        std::string text = in[0];
        for (std::size_t k = 1; k < in.size(); ++k) text += "," + in[k];
        return text + "->" + out;
    }
    std::string letters() const {
        std::string all, of_terms = out;
        for (std::string const& term : in) of_terms += term;
        for (char letter : of_terms)
            if (all.find(letter) == std::string::npos) all += letter;
        return all;
    }
    bool reads(char letter) const {
        return std::ranges::any_of(in, [&](std::string const& term) { return term.find(letter) != std::string::npos; });
    }
    std::size_t aggregated() const {
        std::string const all = letters();
        return static_cast<std::size_t>(
            std::ranges::count_if(all, [&](char letter) { return out.find(letter) == std::string::npos; }));
    }
};

enum class Masks : std::uint8_t { none, many };

class Products : RandomValues {
public:
    Products(std::uint64_t seed, Masks masks) : RandomValues(seed), masked_(masks == Masks::many) {}

    Json run() {
        int const count = 2 + pick(3);
        for (int k = 0; k < count; ++k) {
            std::string const dtype = any_of(std::vector<std::string>{"f64", "f32", "f32", "f16", "bf16", "i8", "u8",
                                                                      "i16", "i32", "i64", "bool", "c64", "c128"});
            add(chance(70) ? of_a_template() : of_letters(), dtype);
        }
        if (chance(60)) add_reader();
        return graph();
    }

private:
    /// What programs have, each term's axes now and then in another order.
    Subscripts of_a_template() {
        static std::vector<Subscripts> const all{{{"ij", "jk"}, "ik"},
                                                 {{"bij", "bjk"}, "bik"},
                                                 {{"aij", "jabk"}, "kabi"},
                                                 {{"ij", "ij"}, "i"},
                                                 {{"ij", "j"}, "i"},
                                                 {{"ijk"}, "kji"},
                                                 {{"ij", "jk", "kl"}, "il"},
                                                 {{"ii"}, "i"},
                                                 {{"iji", "j"}, "j"},
                                                 {{"ij", "ji"}, ""},
                                                 {{"ij", "ij"}, "ij"},
                                                 {{"ij", "ik"}, "jk"},
                                                 {{"ijk", "k"}, "ij"},
                                                 {{"ii", "ij"}, "ij"},
                                                 {{"ij", "i", "j"}, "ij"},
                                                 {{"ij"}, "j"},
                                                 {{"ij", "kj"}, "ik"},
                                                 {{"abij", "abjk"}, "aibk"},
                                                 {{"ij", "jk"}, "ijk"},
                                                 {{"i", "j"}, "ij"},
                                                 {{"j"}, "i"},
                                                 {{"jk"}, "ik"},
                                                 {{"kj"}, "ki"},
                                                 {{"iij", "jk"}, "ki"},
                                                 {{"ijk", "jkl"}, "il"},
                                                 {{"ibj", "jkb"}, "bik"},
                                                 {{"i", "i"}, ""}};
        Subscripts drawn = any_of(all);
        for (std::string& term : drawn.in) term = shuffled(term, 30);
        drawn.out = shuffled(drawn.out, 30);
        return drawn;
    }
    Subscripts of_letters() {
        Subscripts drawn;
        int const operands = 1 + pick(3);
        for (int k = 0; k < operands; ++k) {
            std::string const letters = shuffled("ijkl", 100);
            drawn.in.push_back(letters.substr(0, static_cast<std::size_t>(pick(5))));
            if (!drawn.in.back().empty() && chance(15)) drawn.in.back() += drawn.in.back().front();
        }
        for (char letter : shuffled(drawn.letters(), 50))
            if (chance(55)) drawn.out += letter;
        if (chance(10)) drawn.out += 'w';
        return drawn;
    }

    /// At most 40,000 points in all; short where roundings of coarse types add up.
    std::map<char, Extent> extents_of(std::string const& letters, std::string const& dtype) {
        static std::vector<Extent> const lengths{1, 2, 3, 5, 7, 9, 15, 17, 31, 33, 47, 65, 70, 129, 300};
        std::map<char, Extent> extents;
        Extent points = 40000;
        for (char letter : shuffled(letters, 100)) {
            Extent extent = chance(3) ? 0 : chance(10) ? 1 : any_of(lengths);
            extent = std::min(extent, points);
            if (is_coarse(dtype)) extent = std::min<Extent>(extent, 33);
            extents[letter] = extent;
            points = std::max<Extent>(1, points / std::max<Extent>(extent, 1));
        }
        return extents;
    }

    void add(Subscripts const& drawn, std::string const& dtype) {
        std::string const letters = drawn.letters();
        auto const extents = extents_of(letters, dtype);
        Json inputs = Json::array();
        for (std::string const& term : drawn.in) inputs.push_back(operand(shape_of(term, extents), dtype));
        Json node{{"einsum", drawn.text()}, {"inputs", inputs}};
        for (char letter : drawn.out)
            if (!drawn.reads(letter)) node["sizes"][std::string(1, letter)] = extents.at(letter);
        bool const has_zero = std::ranges::any_of(extents, [](auto const& extent) { return extent.second == 0; });
        std::string const agg = drawn.aggregated() == 0 ? "sum" : aggregation(dtype, has_zero, extents, drawn);
        if (agg != "sum") node["agg"] = agg;
        if (std::string const join = this->join(drawn.in.size(), letters, dtype, agg); !join.empty())
            node["join"] = join;
        add_node(std::move(node), shape_of(drawn.out, extents), dtype);
    }

    std::string aggregation(std::string const& dtype, bool has_zero, std::map<char, Extent> const& extents,
                            Subscripts const& drawn) {
        Kind const kind = kind_of(dtype);
        std::vector<std::string> choices{"sum", "sum", "sum"};
        Extent terms = 1;
        for (auto const& [letter, extent] : extents)
            if (drawn.out.find(letter) == std::string::npos) terms *= extent;
        if (kind != Kind::complex && !has_zero) choices.insert(choices.end(), {"min", "max"});
        if (kind == Kind::integer || (kind == Kind::real && terms < 20)) choices.push_back("prod");
        if (kind == Kind::real) choices.push_back("logsumexp");
        if (kind <= Kind::integer) choices.insert(choices.end(), {"any", "all"});
        return any_of(choices);
    }

    std::string join(std::size_t operands, std::string const& letters, std::string const& dtype,
                     std::string const& agg) {
        Kind const kind = kind_of(dtype);
        std::string const product = operands == 1 ? "x" : operands == 2 ? "x*y" : "x*y*z";
        static std::map<Kind, std::vector<std::vector<std::string>>> const all{
            {Kind::boolean, {{"x", "!x"}, {"x && y", "x || y", "x != y"}, {"x && (y || z)"}}},
            {Kind::integer, {{"x*x", "-x", "x != 0"}, {"x + y", "x - 2*y", "max(x, y)", "x*y + x"}, {"x*y - z"}}},
            {Kind::real,
             {{"x*x", "abs(x)", "x/4", "exp(-abs(x))"},
              {"x + y", "x - y", "max(x, y)", "x*y + x", "abs(x - y)", "x*(y > 0)", "where(x > y, x*y, 0)"},
              {"x*y - z", "x + y*z", "max(x, y, z)"}}},
            {Kind::complex, {{"conj(x)", "x*x"}, {"x*conj(y)", "x + y"}, {"x*y - z"}}}};
        std::string chosen = chance(masked_ ? 75 : 60) ? "" : any_of(all.at(kind)[operands - 1]);
        if (!masked_ || letters.empty()) return chosen;
        if (chosen.empty()) chosen = product;
        std::string const mask = condition(letters);
        std::vector<std::string> other{"0", "0", "0", "x"};
        if (kind >= Kind::integer) other.push_back("1");
        if (kind == Kind::real && (agg == "max" || agg == "logsumexp")) other.insert(other.end(), 3, "-inf");
        if (kind == Kind::real && agg == "min") other.insert(other.end(), 3, "inf");
        if (chance(20)) return "where(" + mask + ", 0, " + chosen + ")";
        if (operands > 1 && chance(35)) return "where(" + mask + ", x, 0)*y" + (operands == 3 ? "*z" : "");
        if (kind >= Kind::integer && chance(15)) return "(" + chosen + ")*(" + mask + ")";
        if (chance(15)) return "where(" + mask + ", where(" + condition(letters) + ", " + chosen + ", 0), x)";
        return "where(" + mask + ", " + chosen + ", " + any_of(other) + ")";
    }

    std::string condition(std::string const& letters) {
        switch (pick(6)) {
            case 0: return comparison(letters) + " && " + comparison(letters);
            case 1: return comparison(letters) + " || " + comparison(letters);
            case 2: return "!(" + comparison(letters) + ")";
            default: return comparison(letters);
        }
    }
    std::string comparison(std::string const& letters) {
        auto const label = [&] {
            return std::string("[") + letters[static_cast<std::size_t>(pick(letters.size()))] + "]";
        };
        std::string const op = any_of(std::vector<std::string>{" < ", " <= ", " > ", " >= ", " == ", " != "}),
                          number = std::to_string(pick(9));
        switch (pick(8)) {
            case 0: return label() + op + label();
            case 1: return label() + " + " + number + op + label();
            case 2: return label() + op + label() + " - " + number;
            case 3: return "abs(" + label() + " - " + label() + ")" + op + number;
            case 4: return std::to_string(1 + pick(3)) + "*" + label() + op + label() + " + " + number;
            case 5: return label() + " + " + label() + op + std::to_string(pick(40));
            case 6: return "mod(" + label() + ", " + std::to_string(2 + pick(3)) + ")" + op + std::to_string(pick(3));
            default: return label() + op + number;
        }
    }

    /// Of the last node's result: elementwise, transposed, summed, or a softmax, so that groups of nodes are fused.
    void add_reader() {
        Made const value = values_.back();
        std::string const all = std::string("abcdef").substr(0, value.shape.size());
        if (kind_of(value.dtype) == Kind::real && !all.empty() && element_count(value.shape) > 0 && chance(40)) {
            add_node({{"op", "softmax"}, {"inputs", {value.name}}}, value.shape, value.dtype);
            return;
        }
        std::string const out = shuffled(all, 60);
        Shape shape;
        for (char letter : out) shape.push_back(value.shape[all.find(letter)]);
        add_node(
            {{"einsum", all + "," + all + "->" + out}, {"inputs", {value.name, operand(value.shape, value.dtype)}}},
            shape, value.dtype);
    }

    bool masked_;
};

}  // namespace

Json random_products(std::uint64_t seed) { return Products(seed, Masks::none).run(); }
Json random_masks(std::uint64_t seed) { return Products(seed, Masks::many).run(); }

}  // namespace ein::test
