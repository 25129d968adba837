#include "apps/explain/page/repeats.hpp"

#include "tests/support/catch.hpp"

using namespace ein::apps::explain;

namespace {

/// Steps of forms as letters, each of which reads the one before; the first an input of the graph.
std::vector<SequenceStep> chain(std::string const& forms) {
    std::vector<SequenceStep> out;
    for (std::size_t k = 0; k < forms.size(); ++k)
        out.push_back({static_cast<std::size_t>(forms[k]), {k > 0 ? std::optional(k - 1) : std::nullopt}});
    return out;
}

std::vector<Repeat> found(std::string const& forms, std::size_t least_hidden = 1) {
    return find_repeats(chain(forms), least_hidden);
}

}  // namespace

TEST_CASE("copies of a period are one repeat, whatever comes before and after", "[apps][explain][repeats]") {
    CHECK(found("") == std::vector<Repeat>{});
    CHECK(found("a") == std::vector<Repeat>{});
    CHECK(found("abcd") == std::vector<Repeat>{});
    CHECK(found("xabcabcabcy") == std::vector<Repeat>{{1, 3, 3, {}}});
    CHECK(found("aaaa") == std::vector<Repeat>{{0, 1, 4, {}}});
    CHECK(found("abababxcdcdcd") == std::vector<Repeat>{{0, 2, 3, {}}, {7, 2, 3, {}}});
}

TEST_CASE("what would hide too little is left as it is", "[apps][explain][repeats]") {
    CHECK(found("xabcabcabcy", 6).size() == 1);
    CHECK(found("xabcabcabcy", 7).empty());
}

TEST_CASE("what repeats inside of a copy is found again", "[apps][explain][repeats]") {
    auto const repeats = found("abbbcabbbcabbbc");
    REQUIRE(repeats.size() == 1);
    CHECK(repeats[0].period == 5);
    CHECK(repeats[0].copies == 3);
    CHECK(repeats[0].inside == std::vector<Repeat>{{1, 1, 3, {}}});
    CHECK(shown_steps(15, repeats) == 3);
}

TEST_CASE("the same forms that read one another otherwise are no copies", "[apps][explain][repeats]") {
    auto steps = chain("abcabcabc");
    steps[4].makers.push_back(3);  // b of the second copy reads a twice
    CHECK(find_repeats(steps, 1).empty());
    steps[4].makers.pop_back();
    steps[8].makers[0] = 6;  // c of the third reads a instead of b
    CHECK(find_repeats(steps, 1) == std::vector<Repeat>{{0, 3, 2, {}}});
}

TEST_CASE("copies may read anything from before the run", "[apps][explain][repeats]") {
    auto steps = chain("xyzababab");
    for (std::size_t copy = 0; copy < 3; ++copy) {
        steps[4 + 2 * copy].makers.push_back(0);         // all of them the same
        steps[3 + 2 * copy].makers.push_back(2 - copy);  // each another, in whatever order
    }
    CHECK(find_repeats(steps, 1) == std::vector<Repeat>{{3, 2, 3, {}}});
}

TEST_CASE("copies that all read one of their first are no copies", "[apps][explain][repeats]") {
    auto steps = chain("ababababab");
    for (std::size_t k = 1; k < steps.size(); ++k)
        if (k % 2 == 0) steps[k].makers[0] = 1;
    auto const repeats = find_repeats(steps, 1);
    for (Repeat const& repeat : repeats) CHECK(repeat.first > 1);
}

TEST_CASE("a copy begins where the fewest values pass", "[apps][explain][repeats]") {
    // layers of (q, k, add): add reads q, k and the add before, so two values pass inside of a layer and one between.
    std::vector<SequenceStep> steps{{0, {}}, {3, {0}}};  // the first layer lacks its q
    steps.push_back({3, {0, 1}});
    std::size_t last = 2;
    for (int layer = 0; layer < 4; ++layer) {
        std::size_t const first = steps.size();
        steps.push_back({10, {last}});
        steps.push_back({11, {last}});
        steps.push_back({12, {last, first, first + 1}});
        last = first + 2;
    }
    steps.push_back({10, {last}});  // a fifth that is not ended
    CHECK(find_repeats(steps, 1) == std::vector<Repeat>{{3, 3, 4, {}}});
}

TEST_CASE("where several places are as good, copies begin as names do", "[apps][explain][repeats]") {
    auto steps = chain("babababab");
    CHECK(find_repeats(steps, 1) == std::vector<Repeat>{{0, 2, 4, {}}});
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k].name = "layer" + std::to_string((k + 1) / 2) + "/";
    CHECK(find_repeats(steps, 1) == std::vector<Repeat>{{1, 2, 4, {}}});
}

TEST_CASE("long sequences are looked through in bounded time", "[apps][explain][repeats]") {
    std::string forms;
    for (int layer = 0; layer < 200; ++layer) forms += "abcdefghijklmnopqrstuvwxy";
    CHECK(found(forms, 12) == std::vector<Repeat>{{0, 25, 200, {}}});
}
