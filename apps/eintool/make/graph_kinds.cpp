#include <algorithm>
#include <array>

#include "apps/eintool/make/graph_kind.hpp"
#include "lib/base/error.hpp"
#include "lib/base/text/near_names.hpp"

namespace ein::apps::tool {
namespace {

std::string heading(GraphKind const& kind) {
    std::string names = kind.name, defaults;
    for (SizeOf const& size : kind.sizes) {
        names += " " + size.name;
        defaults += (defaults.empty() ? "" : " ") + std::to_string(size.by_default);
    }
    return names + (defaults.empty() ? "" : " (" + defaults + ")");
}

std::string described(Option const& option) {
    std::string out = option.name;
    if (option.value == OptionValue::extent) out += " N";
    if (option.value == OptionValue::number) out += " X";
    if (option.value == OptionValue::word) out += " WORD";
    out.resize(std::max<std::size_t>(out.size() + 2, 16), ' ');
    out += option.about;
    if (option.value == OptionValue::word) out += ": " + one_of(option.words);
    return out + (option.by_default.empty() ? "" : " (" + option.by_default + ")");
}

}  // namespace

std::vector<GraphKind> const& graph_kinds() {
    static std::vector<GraphKind> const all = [] {
        std::vector<GraphKind> kinds;
        for (auto const& table : {product_kinds(), transformer_kinds(), training_kinds(), factor_kinds(), point_kinds(),
                                  path_kinds(), grid_kinds()})
            kinds.insert(kinds.end(), table.begin(), table.end());
        return kinds;
    }();
    return all;
}

Option sparse_option() { return {"--sparse", "as a sparse tensor", OptionValue::flag}; }

Option density_option(std::string const& by_default) {
    return {"--density", "the share of elements that a sparse tensor lists", OptionValue::number, by_default, 0, 1};
}

namespace {

/// What others call these graphs.
std::string mend_usual(std::string const& name) {
    struct Usual {
        std::string_view written, ours;
    };
    constexpr std::array usual{Usual{"mlp", "ffnn-step"},       Usual{"nn", "ffnn-step"},
                               Usual{"mnist", "ffnn-step"},     Usual{"ffnn", "ffnn-step"},
                               Usual{"training", "ffnn-step"},  Usual{"transformer", "llama"},
                               Usual{"gpt", "llama"},           Usual{"gpt2", "llama"},
                               Usual{"llm", "llama"},           Usual{"gemm", "matmul"},
                               Usual{"mm", "matmul"},           Usual{"bmm", "matmul"},
                               Usual{"sdpa", "attention"},      Usual{"regression", "linear-regression"},
                               Usual{"stencil", "heat"},        Usual{"jacobi", "heat"},
                               Usual{"poisson", "heat"},        Usual{"knn", "nearest-neighbour"},
                               Usual{"sssp", "shortest-paths"}, Usual{"apsp", "shortest-paths"},
                               Usual{"game-of-life", "life"},   Usual{"als", "factorization"},
                               Usual{"nmf", "factorization"}};
    for (Usual const& row : usual)
        if (name == row.written) return did_you_mean(row.ours);
    return "";
}

}  // namespace

GraphKind const& kind_named(std::string const& name) {
    std::vector<std::string> names;
    for (GraphKind const& kind : graph_kinds()) {
        if (kind.name == name) return kind;
        names.push_back(kind.name);
    }
    std::string const usual = mend_usual(name);
    throw UsageError(Fault{
        "", "make", one_of(names), "'" + name + "'",
        usual.empty() ? mend_name(name, names, "write a graph of it (docs/graph-format.md), or begin with one of these")
                      : usual});
}

std::string make_graph(GraphKind const& kind, Wanted const& wanted) { return kind.make(Request(kind, wanted)); }

std::string kinds_help() {
    std::string out = "Kinds, with their sizes (and what they are when not given), and their options:\n";
    for (GraphKind const& kind : graph_kinds()) {
        out += "  " + heading(kind) + "\n      " + kind.about + "\n";
        for (Option const& option : kind.options) out += "      " + described(option) + "\n";
    }
    return out;
}

}  // namespace ein::apps::tool
