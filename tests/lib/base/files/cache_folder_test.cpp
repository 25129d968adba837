#include "lib/base/files/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using ein::test::Folder;
namespace fs = std::filesystem;

namespace {

CacheFolder at(fs::path const& path) {
    return CacheFolder(
        [&](char const* name) { return std::string_view(name) == "EINLOOM_CACHE" ? path.c_str() : nullptr; });
}

std::string path_with(std::string const& variable, std::string const& value) {
    return CacheFolder([&](char const* name) { return name == variable ? value.c_str() : nullptr; }).path();
}

}  // namespace

TEST_CASE("the cache is where the environment says", "[lib][base][cache]") {
    CHECK(path_with("EINLOOM_CACHE", "/x") == "/x");
    CHECK(path_with("EINLOOM_CACHE", "off").empty());
    CHECK(path_with("XDG_CACHE_HOME", "/x") == "/x/einloom");
    CHECK(path_with("HOME", "/home/me") == "/home/me/.cache/einloom");
    CHECK(path_with("other", "").empty());
}

TEST_CASE("the cache is made for its user alone", "[lib][base][cache]") {
    Folder folder;
    CacheFolder const cache = at(folder / "a/cache");
    CHECK(cache.refusal().empty());
    CHECK(cache.make());
    CHECK((fs::status(folder / "a/cache").permissions() & fs::perms::all) == fs::perms::owner_all);
    CHECK(cache.make());
    CHECK_FALSE(at("").make());
}

TEST_CASE("a cache that others may write in, or that is another's, is refused and says why", "[lib][base][cache]") {
    Folder folder;
    fs::create_directory(folder / "open");
    fs::permissions(folder / "open", fs::perms::all);
    CacheFolder const open = at(folder / "open");
    CHECK_FALSE(open.make());
    CHECK(open.refusal() == "the cache " + (folder / "open").string() +
                                " is not used: expected a folder of this user alone, found one that others may write "
                                "in, mode 0777; run chmod go-w on your own, or name another with EINLOOM_CACHE");
    folder.write("file", "text");
    CHECK(at(folder / "file").refusal().find("found something else of that name") != std::string::npos);
    CHECK_FALSE(at(folder / "file").make());
    if (::geteuid() != 0) return;
    fs::create_directory(folder / "other");
    REQUIRE(::chown((folder / "other").c_str(), 12345, 12345) == 0);
    CHECK(at(folder / "other").refusal().find("found one of user 12345") != std::string::npos);
    CHECK_FALSE(at(folder / "other").make());
}
