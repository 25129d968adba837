#include "lib/base/error.hpp"

#include "tests/support/catch.hpp"

using namespace ein;

TEST_CASE("a fault reports place, expectation, finding and fix, leaving out what is empty", "[lib][base][error]") {
    CHECK(Fault{"g.json", "/nodes/3/agg", "sum or max", "'summ'", "write \"sum\""}.text() ==
          "g.json: /nodes/3/agg: expected sum or max, found 'summ'; write \"sum\"");
    CHECK(Fault{"", "--ranks", "at least 1", "0", ""}.text() == "--ranks: expected at least 1, found 0");
    CHECK(Fault{"g.json", "", "JSON", "", "fix it"}.text() == "g.json: expected JSON; fix it");
    CHECK(Fault{"g.json", "", "", "a cycle", ""}.text() == "g.json: found a cycle");
    CHECK(Fault{"", "", "", "", "try again"}.text() == "try again");
    CHECK(Fault{}.text().empty());
}

TEST_CASE("what is no UTF-8 and control characters are escaped in messages", "[lib][base][error]") {
    CHECK(Fault{"g.json", "", "JSON", "'\xff\x1b[2J'", "a\n  b\t^"}.text() ==
          "g.json: expected JSON, found '\\xff\\x1b[2J'; a\n  b\t^");
    for (std::string const good :
         {"\xc3\xa4", "\xe2\x82\xac", "\xed\x9f\xbf", "\xee\x80\x80", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
        CHECK(printable(good) == good);
    CHECK(printable("\xc3") == "\\xc3");                               // cut short
    CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                      // overlong
    CHECK(printable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");             // overlong
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");             // a surrogate
    CHECK(printable("\xf4\x90\x80\x80x") == "\\xf4\\x90\\x80\\x80x");  // above U+10FFFF
}

TEST_CASE("each error knows its exit code", "[lib][base][error]") {
    CHECK(InputError(Fault{}).code() == ExitCode::bad_input);
    CHECK(UsageError("").code() == ExitCode::usage);
    CHECK(RunError("").code() == ExitCode::failure);
    CHECK(MemoryError("").code() == ExitCode::no_memory);
    CHECK(MismatchError("").code() == ExitCode::mismatch);
    CHECK(InternalError("").code() == ExitCode::failure);
    CHECK(static_cast<int>(ExitCode::done) == 0);
    CHECK(static_cast<int>(ExitCode::failure) == 1);
    CHECK(static_cast<int>(ExitCode::usage) == 2);
    CHECK(static_cast<int>(ExitCode::bad_input) == 3);
    CHECK(static_cast<int>(ExitCode::no_memory) == 4);
    CHECK(static_cast<int>(ExitCode::mismatch) == 5);
    CHECK(static_cast<int>(ExitCode::stopped) == 75);
}

TEST_CASE("faults are collected and reported together, one a line", "[lib][base][error]") {
    Faults faults("g.json");
    CHECK(faults.empty());
    CHECK_NOTHROW(faults.throw_if_any());
    faults.add("/dtype", "a dtype", "'f33'", "did you mean \"f32\"?");
    faults.add("/outputs", "a list", "3", "write [ ... ]");
    CHECK_FALSE(faults.empty());
    try {
        faults.throw_if_any();
        FAIL("nothing was thrown");
    } catch (InputError const& error) {
        CHECK(error.what() == std::string("g.json: /dtype: expected a dtype, found 'f33'; did you mean \"f32\"?\n"
                                          "g.json: /outputs: expected a list, found 3; write [ ... ]"));
        CHECK(error.faults() == faults.list());
        CHECK(error.faults().at(1) == Fault{"g.json", "/outputs", "a list", "3", "write [ ... ]"});
    }
}

TEST_CASE("a broken promise says that it is our bug", "[lib][base][error]") {
    CHECK_NOTHROW(promise(true, "never thrown"));
    CHECK_THROWS_AS(promise(false, "x is even"), InternalError);
    CHECK_THROWS_WITH(promise(false, "x is even"),
                      Catch::Contains("internal error: x is even") && Catch::Contains("bug in Einloom"));
}

TEST_CASE("lists of names read as English", "[lib][base][error]") {
    CHECK(one_of({}).empty());
    CHECK(one_of(std::vector<std::string>{"a"}) == "a");
    CHECK(one_of(std::vector<std::string>{"a", "b"}) == "a or b");
    CHECK(one_of(std::vector<std::string>{"a", "b", "c"}) == "a, b or c");
}
