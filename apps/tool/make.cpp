#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>

#include "apps/command_line.hpp"
#include "apps/tool/commands.hpp"
#include "apps/tool/graph_text.hpp"
#include "apps/tool/make_llama.hpp"
#include "lib/base/dtype.hpp"
#include "lib/base/error.hpp"

namespace ein::apps::tool {
namespace {

struct Options {
    std::string kind, dtype = "f32", out;
    std::vector<Extent> sizes;
    bool skewed = false;
    std::string size, logits;
    std::map<std::string, Extent> given;  // options of llama, by name
};

/// The options of llama that give an extent.
std::vector<std::pair<std::string, Extent LlamaSizes::*>> const& llama_extents() {
    static std::vector<std::pair<std::string, Extent LlamaSizes::*>> const extents{
        {"--layers", &LlamaSizes::layers}, {"--dim", &LlamaSizes::dim},
        {"--heads", &LlamaSizes::heads},   {"--kv-heads", &LlamaSizes::kv_heads},
        {"--ffn", &LlamaSizes::ffn},       {"--vocab", &LlamaSizes::vocab},
        {"--batch", &LlamaSizes::batch},   {"--sequence", &LlamaSizes::sequence},
        {"--decode", &LlamaSizes::decode}};
    return extents;
}

/// The sizes that were given, the defaults for the rest.
std::vector<Extent> sizes_or(Options const& options, std::vector<Extent> defaults, std::string const& names) {
    if (options.sizes.size() > defaults.size())
        throw UsageError("make " + options.kind + ": expected at most " + std::to_string(defaults.size()) + " sizes (" +
                         names + "), found " + std::to_string(options.sizes.size()));
    std::copy(options.sizes.begin(), options.sizes.end(), defaults.begin());
    return defaults;
}

std::string matmul(Options const& options) {
    auto const s = sizes_or(options, {1024, 1024, 1024}, "I J K");
    GraphText g("matmul", options.dtype);
    g.random("A", {s[0], s[1]});
    g.random("B", {s[1], s[2]});
    g.einsum("C", "ij,jk->ik", {"A", "B"});
    return g.text({"C"});
}

/// (A x B) + (C x (D x E)). Source: [E] section 9, experiment 1.
std::string matrix_chain(Options const& options) {
    Extent const s = sizes_or(options, {1024}, "S")[0], tenth = std::max<Extent>(1, s / 10);
    GraphText g(options.skewed ? "matrix-chain-skewed" : "matrix-chain", options.dtype);
    double const bound = 1 / std::sqrt(static_cast<double>(s));  // results stay near 1
    Extent const inner = options.skewed ? tenth : s, wide = options.skewed ? 10 * s : s;
    g.random("A", {s, inner}, bound);
    g.random("B", {inner, s}, bound);
    g.random("C", {s, inner}, bound);
    g.random("D", {inner, wide}, bound);
    g.random("E", {wide, s}, bound);
    g.einsum("AB", "ij,jk->ik", {"A", "B"});
    g.einsum("DE", "ij,jk->ik", {"D", "E"});
    g.einsum("CDE", "ij,jk->ik", {"C", "DE"});
    g.einsum("Z", "ik,ik->ik", {"AB", "CDE"}, {{"join", "x+y"}});
    return g.text({"Z"});
}

/// Multi-head attention. Source: [E] section 3.
std::string attention(Options const& options) {
    auto const s = sizes_or(options, {128, 8, 64}, "SEQUENCE HEADS HEAD_DIMENSION");
    Extent const sequence = s[0], heads = s[1], head = s[2], model = heads * head;
    GraphText g("attention", options.dtype);
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

/// A chain of elementwise and reducing nodes over one long array: memory bandwidth.
std::string elementwise(Options const& options) {
    Extent const n = sizes_or(options, {Extent{1} << 24}, "N")[0];
    GraphText g("elementwise", options.dtype);
    g.random("X", {n});
    g.random("Y", {n});
    g.einsum("Z", "i,i->i", {"X", "Y"}, {{"join", "x+y"}});
    return g.text({"Z"});
}

/// A published size, with the extents that were given instead of its own.
std::string llama(Options const& options) {
    sizes_or(options, {}, "none; --layers, --dim, ... say them");
    std::string const size = options.size.empty() ? "tiny" : options.size;
    auto sizes = llama_sizes(size);
    if (!sizes) throw UsageError("make llama --size: expected " + one_of(llama_names()) + ", found '" + size + "'");
    for (auto const& [name, member] : llama_extents())
        if (auto const at = options.given.find(name); at != options.given.end()) (*sizes).*member = at->second;
    if (options.given.contains("--heads") && !options.given.contains("--kv-heads")) sizes->kv_heads = sizes->heads;
    sizes->all_logits = options.logits == "all";
    return llama(*sizes, options.dtype);
}

std::map<std::string, std::string (*)(Options const&)> const kinds{{"matmul", matmul},
                                                                   {"matrix-chain", matrix_chain},
                                                                   {"attention", attention},
                                                                   {"elementwise", elementwise},
                                                                   {"llama", llama}};

/// Options of one kind are refused for another, not ignored.
void check_options_of_llama(Options const& options) {
    if (options.kind == "llama") return;
    std::string wrong = options.given.empty() ? "" : options.given.begin()->first;
    if (!options.size.empty()) wrong = "--size";
    if (!options.logits.empty()) wrong = "--logits";
    if (!wrong.empty()) throw UsageError("make " + options.kind + ": " + wrong + " is an option of make llama");
}

int make(Options const& options) {
    std::vector<std::string> names;
    for (auto const& [name, unused] : kinds) names.push_back(name);
    auto const kind = kinds.find(options.kind);
    for (std::string_view const later : {"ffnn-step", "nearest-neighbour", "linear-regression", "mttkrp"})
        if (options.kind == later)
            throw UsageError("make " + options.kind + " is not available in this version; use " + one_of(names));
    if (kind == kinds.end()) throw UsageError("make: expected " + one_of(names) + ", found '" + options.kind + "'");
    if (!dtype_from_name(options.dtype))
        throw UsageError("make --dtype: expected one of " + dtype_names() + ", found '" + options.dtype + "'");
    check_options_of_llama(options);
    std::string const text = kind->second(options);
    if (options.out.empty()) return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    write_text(options.out, text);
    return 0;
}

}  // namespace

void add_make(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("make",
                                           "Write a standard graph: matmul I J K, matrix-chain S, attention SEQUENCE "
                                           "HEADS HEAD_DIMENSION, elementwise N, llama");
    auto const options = std::make_shared<Options>();
    command->add_option("KIND", options->kind, "matmul, matrix-chain, attention, elementwise or llama")->required();
    command->add_option("SIZES", options->sizes, "extents")->check(CLI::Range(Extent{1}, Extent{1} << 40));
    command->add_option("--dtype", options->dtype, "of every tensor")->capture_default_str();
    command->add_flag("--skewed", options->skewed, "matrix-chain with the skewed sizes of the EinDecomp experiments");
    command->add_option("--size", options->size, "llama: " + one_of(llama_names()) + " (default: tiny)");
    for (auto const& [name, unused] : llama_extents())
        command
            ->add_option_function<Extent>(
                name, [options, name = name](Extent extent) { options->given[name] = extent; },
                name == "--decode"
                    ? "llama: make so many tokens after the prompt, one a turn of a loop, into tokens_out"
                    : "llama: instead of the size's own")
            ->check(CLI::Range(Extent{1}, Extent{1} << 40));
    command->add_option("--logits", options->logits, "llama: of the last position (default), or of all")
        ->check(CLI::IsMember({"last", "all"}));
    command->add_option("-o,--output", options->out, "file to write (default: standard output)");
    command->callback([options, &chosen] { chosen = [options] { return make(*options); }; });
}

}  // namespace ein::apps::tool
