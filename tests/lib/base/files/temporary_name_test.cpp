#include "lib/base/files/temporary_name.hpp"

#include "lib/base/files/run_lock.hpp"
#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using ein::test::Folder;
namespace fs = std::filesystem;

TEST_CASE("a name is used once, and says at which boot", "[lib][base][temporary_name]") {
    std::string const first = unique_name(), second = unique_name();
    CHECK(first != second);
    CHECK(boot_of(first) == (this_boot().empty() ? "unknown" : this_boot()));
    CHECK(first.size() - first.rfind('-') == 17);  // 64 random bits
    CHECK(boot_of("a-host-of-many-01234567-4711-0123456789abcdef") == "01234567");
    CHECK(boot_of("4711-01234567").empty());
}

TEST_CASE("a temporary file lies beside its final one, under a name that file systems take",
          "[lib][base][temporary_name]") {
    CHECK(temporary_path("results/Z.npy", "h-b-1-r") == "results/.Z.npy.partial-h-b-1-r");
    CHECK(temporary_path("Z.npy", "u") == ".Z.npy.partial-u");
    std::string const longest(250, 'x'), letters(200, '\xc3');
    CHECK(temporary_path(longest, unique_name()).string().size() <= 255);
    CHECK(temporary_beginning(longest) != temporary_beginning(longest + "y"));
    CHECK(temporary_beginning(letters).find('\xc3') == std::string::npos);  // a cut one would be no UTF-8
}

TEST_CASE("what a process of an earlier boot or another host left is not swept, but reported",
          "[lib][base][temporary_name]") {
    Folder folder;
    std::string const here = this_boot();
    std::string const other = folder.write(".A.partial-host-00000000-4711-0123456789abcdef", "x").filename();
    folder.write(".A.partial-host-" + here + "-4711-0123456789abcdef", "x");
    folder.write(".B.partial-host-" + here + "-4712-0123456789abcdef", "x");
    auto const reported = sweep_leftovers(folder.path, {folder / "A"});
    REQUIRE(reported.size() == 1);
    CHECK(reported.front().filename() == other);
    CHECK(folder.names().size() == 2);
}

TEST_CASE("a file that a process keeps locked keeps all of that process", "[lib][base][temporary_name]") {
    Folder folder;
    std::string const run = "host-" + this_boot() + "-4711-0123456789abcdef";
    folder.write(".A.partial-" + run, "x");
    auto const locked = folder.write(".B.partial-" + run, "x");
    RunLock lock;
    REQUIRE(lock.hold(locked));
    sweep_leftovers(folder.path, {folder / "A"});
    CHECK(folder.names().size() == 2);
    lock.release();
    sweep_leftovers(folder.path, {folder / "A"});
    CHECK(folder.names().size() == 1);
    CHECK_FALSE(lock.hold(folder / ".A.partial-gone"));
}
