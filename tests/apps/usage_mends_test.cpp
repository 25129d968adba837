// What is said of words that a program does not take.
#include "apps/usage_mends.hpp"

#include "apps/option_forms.hpp"
#include "tests/support/catch.hpp"

using namespace ein::apps;

namespace {

std::vector<std::string> names_of(std::vector<OptionForm> const& forms) {
    std::vector<std::string> out;
    for (OptionForm const& form : forms) out.insert(out.end(), form.names.begin(), form.names.end());
    return out;
}

struct Row {
    std::string option, mend;
};

}  // namespace

TEST_CASE("an option that einrun lacks is told the near one, a synonym, or its program", "[apps][usage]") {
    std::vector<std::string> const known = names_of(einrun_option_forms());
    auto const row = GENERATE(values<Row>({
        {"-o", "did you mean \"--out\"?"},
        {"--output", "did you mean \"--out\"?"},
        {"--outputs", "did you mean \"--out\"?"},
        {"--out-dir", "did you mean \"--out\"?"},
        {"--dense-output", "did you mean \"--dense-outputs\"?"},
        {"--input-below", "did you mean \"--inputs-below\"?"},
        {"--verfy", "did you mean \"--verify\"?"},
        {"--num-threads", "did you mean \"--threads\"?"},
        {"--gpu", "did you mean \"--device cuda\"?"},
        {"--decompose", "that is einplan's: write it behind einplan"},
        {"--explain", "that is einplan's"},
    }));
    CAPTURE(row.option);
    CHECK_THAT(option_mend(row.option, known), Catch::Contains(row.mend));
    CHECK(option_mend("--zzzzzz", known).empty());
}

TEST_CASE("an option that einplan lacks is told so too", "[apps][usage]") {
    std::vector<std::string> const known = names_of(einplan_option_forms());
    auto const row = GENERATE(values<Row>({
        {"--out", "did you mean \"--output\"?"},
        {"--explian", "did you mean \"--explain\"?"},
        {"--verify", "that is einrun's: write it behind einrun"},
        {"--input", "that is einrun's"},
        {"--strategy", "did you mean \"--decompose\"?"},
        {"--timeout", "did you mean \"--time-limit\"?"},
    }));
    CAPTURE(row.option);
    CHECK_THAT(option_mend(row.option, known), Catch::Contains(row.mend));
}

TEST_CASE("options that are said to be another program's are that program's", "[apps][usage]") {
    std::vector<OptionForm> const plan = einplan_option_forms(), run = einrun_option_forms();
    for (OptionOwner const& owner : option_owners()) {
        CAPTURE(owner.option);
        CHECK(find_option(owner.program == "einrun" ? run : plan, std::string(owner.option)) != nullptr);
    }
}

TEST_CASE("a command that eintool lacks is told what does it", "[apps][usage]") {
    std::vector<std::string> const known = {"validate", "show", "eval", "diff", "report", "trace", "make"};
    CHECK(command_mend("plan", known) == "that is a program of its own: einplan GRAPH -n 4");
    CHECK(command_mend("evaluate", known) == "did you mean \"eval\"?");
    CHECK(command_mend("shwo", known) == "did you mean \"show\"?");
    CHECK(command_mend("compare", known) == "did you mean \"diff\"?");
    CHECK(command_mend("qqqqqq", known) == "see --help");
}
