// make llama --decode: each token is the likeliest behind the text before it, by the prefill graph of the same weights.
#include "apps/eintool/llama/make_llama.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/whole_run.hpp"

using namespace ein;

namespace {

apps::tool::LlamaSizes sizes_of(Extent sequence, Extent decode) {
    auto sizes = *apps::tool::llama_sizes("tiny");
    sizes.dim = 16, sizes.ffn = 12, sizes.vocab = 24, sizes.sequence = sequence, sizes.decode = decode;
    return sizes;
}

/// The likeliest token behind `text`.
std::int64_t next_by_prefill(std::vector<std::int64_t> const& text) {
    Json graph = Json::parse(apps::tool::llama(sizes_of(static_cast<Extent>(text.size()), 0), "f64"));
    graph["tensors"]["tokens"]["data"] = {{"values", {text}}};
    auto const read = graph::read_graph(graph.dump(), "prefill.json");
    relation::Interpreter interpreter(read, test::source_reader(read));
    tensor::HostTensor const logits = interpreter.whole(read.outputs[0]);
    Extent best = 0;
    for (Extent k = 1; k < logits.elements(); ++k)
        if (logits.at(k).number.real() > logits.at(best).number.real()) best = k;
    return best;
}

}  // namespace

TEST_CASE("make llama decodes what its prefill says, token by token", "[apps][llama]") {
    std::vector<std::int64_t> const prompt{3, 17, 0, 9};
    std::size_t const count = 6;
    std::vector<std::int64_t> text = prompt, made;
    while (made.size() < count) text.push_back(made.emplace_back(next_by_prefill(text)));
    Json graph = Json::parse(apps::tool::llama(sizes_of(4, count), "f64"));
    graph["tensors"]["tokens"]["data"] = {{"values", {prompt}}};
    for (int const ranks : {1, 2, 4}) {
        CAPTURE(ranks);
        auto const run = test::whole_run(graph, {.ranks = ranks});
        for (std::string const& failure : run.failures) FAIL_CHECK(failure);
        tensor::HostTensor const& tokens = run.results.at("tokens_out");
        std::vector<std::int64_t> found;
        for (Extent k = 0; k < tokens.elements(); ++k) found.push_back(tokens.at(k).integer);
        CHECK(found == made);
    }
}
