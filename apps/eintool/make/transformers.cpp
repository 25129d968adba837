// Attention alone, and whole models of it.
#include <cmath>

#include "apps/eintool/llama/make_llama.hpp"
#include "apps/eintool/make/graph_kind.hpp"

namespace ein::apps::tool {
namespace {

/// Source: [E] section 3.
std::string attention(Request const& request) {
    Extent const sequence = request.size("SEQUENCE"), heads = request.size("HEADS");
    Extent const head = request.size("HEAD_DIMENSION"), model = heads * head;
    GraphText g = request.graph();
    double const bound = 1 / std::sqrt(static_cast<double>(model));
    g.random("X", {sequence, model});
    for (std::string const w : {"WQ", "WK", "WV", "WO"}) g.random(w, {model, heads, head}, bound);
    for (std::string const p : {"Q", "K", "V"}) g.einsum(p, "sa,ahd->shd", {"X", "W" + p});
    g.einsum("scores", "shd,thd->hst", {"Q", "K"});
    g.einsum("scaled", "hst->hst", {"scores"}, {{"join", "x/sqrt(" + std::to_string(head) + ")"}});
    g.op("weights", "softmax", {"scaled"}, {{"axes", {2}}});
    g.einsum("O", "hst,thd->shd", {"weights", "V"});
    g.einsum("Y", "shd,ahd->sa", {"O", "WO"});
    return g.text({"Y"});
}

/// The options of llama that give an extent.
std::vector<std::pair<std::string, Extent LlamaSizes::*>> const& llama_extents() {
    static std::vector<std::pair<std::string, Extent LlamaSizes::*>> const extents{
        {"--layers", &LlamaSizes::layers},     {"--dim", &LlamaSizes::dim},          {"--heads", &LlamaSizes::heads},
        {"--kv-heads", &LlamaSizes::kv_heads}, {"--ffn", &LlamaSizes::ffn},          {"--vocab", &LlamaSizes::vocab},
        {"--batch", &LlamaSizes::batch},       {"--sequence", &LlamaSizes::sequence}};
    return extents;
}

std::vector<Option> llama_options() {
    std::vector<Option> options{{.name = "--size",
                                 .about = "a published one",
                                 .value = OptionValue::word,
                                 .by_default = "tiny",
                                 .words = llama_names()},
                                {.name = "--logits",
                                 .about = "of which positions",
                                 .value = OptionValue::word,
                                 .by_default = "last",
                                 .words = {"last", "all"}}};
    for (auto const& [name, unused] : llama_extents()) options.push_back({name, "in place of the size's own"});
    options.push_back({.name = "--decode",
                       .about = "make so many tokens after the prompt, one an iteration of a loop, into tokens_out",
                       .most = iterations_limit});
    return options;
}

/// A published size, with the extents that were given instead of its own.
std::string llama_of(Request const& request) {
    LlamaSizes sizes = *llama_sizes(request.word("--size"));
    for (auto const& [name, member] : llama_extents())
        if (request.has(name)) sizes.*member = request.extent(name);
    if (request.has("--heads") && !request.has("--kv-heads")) sizes.kv_heads = sizes.heads;
    if (request.has("--decode")) sizes.decode = request.extent("--decode");
    sizes.all_logits = request.word("--logits") == "all";
    return llama(sizes, request.dtype());
}

}  // namespace

std::vector<GraphKind> transformer_kinds() {
    return {{"attention",
             "multi-head attention of one sequence",
             {{"SEQUENCE", 128}, {"HEADS", 8}, {"HEAD_DIMENSION", 64}},
             {},
             real_dtypes,
             attention},
            {"llama", "a LLaMA prefill, from tokens to logits", {}, llama_options(), real_dtypes, llama_of}};
}

}  // namespace ein::apps::tool
