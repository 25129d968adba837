#include "lib/base/files/written_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "tests/lib/base/files/folder.hpp"
#include "tests/support/catch.hpp"

using namespace ein;
using ein::test::Folder;
namespace fs = std::filesystem;

namespace {

std::span<std::byte const> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

}  // namespace

TEST_CASE("a file is made only where nothing has its name", "[lib][base][written_file]") {
    Folder folder;
    WrittenFile file;
    CHECK(file.make(folder / "new") == 0);
    CHECK(file.append(bytes_of("text")) == 0);
    CHECK(file.write_at(1, bytes_of("E")) == 0);
    CHECK(file.close() == 0);
    CHECK(folder.text_of("new") == "tExt");
    CHECK(file.make(folder / "new") == EEXIST);
    fs::create_symlink(folder / "none", folder / "link");
    CHECK(file.make(folder / "link") == EEXIST);
    CHECK_FALSE(fs::exists(folder / "none"));
    CHECK(file.make(folder / "no/new") == ENOENT);
    CHECK_FALSE(file.is_open());
}

TEST_CASE("what was made is opened again, but not through a link", "[lib][base][written_file]") {
    Folder folder;
    folder.write("made", "text");
    fs::create_symlink(folder / "made", folder / "link");
    WrittenFile file;
    CHECK(file.open_made(folder / "link") == ELOOP);
    CHECK(file.open_made(folder / "none") == ENOENT);
    CHECK(file.open_made(folder / "made") == 0);
    CHECK(file.go_to_end() == 0);
    CHECK(file.append(bytes_of(" more")) == 0);
    CHECK(folder.text_of("made") == "text more");
}

TEST_CASE("devices, pipes and own streams are streams; files and links to them are not", "[lib][base][written_file]") {
    Folder folder;
    folder.write("file", "text");
    fs::create_symlink(folder / "file", folder / "link");
    fs::create_symlink("/dev/null", folder / "device");
    REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
    int const own = ::open((folder / "file").c_str(), O_RDWR);
    CHECK(is_stream("/dev/null"));
    CHECK(is_stream(folder / "device"));
    CHECK(is_stream(folder / "pipe"));
    CHECK(is_stream("/dev/fd/" + std::to_string(own)));
    CHECK(is_stream("/proc/self/fd/" + std::to_string(own)));
    CHECK_FALSE(is_stream(folder / "file"));
    CHECK_FALSE(is_stream(folder / "link"));
    CHECK_FALSE(is_stream(folder / "none"));
    CHECK_FALSE(is_stream(folder.path));
    ::close(own);
}

TEST_CASE("a stream is added to, and a file that took its place is refused", "[lib][base][written_file]") {
    Folder folder;
    folder.write("file", "text");
    int const own = ::open((folder / "file").c_str(), O_RDWR);
    WrittenFile file;
    CHECK(file.open_stream("/dev/fd/" + std::to_string(own)) == 0);
    CHECK(file.append(bytes_of(" more")) == 0);
    CHECK(file.write_at(0, bytes_of("T")) == ESPIPE);
    CHECK(folder.text_of("file") == "text more");
    CHECK(file.open_stream(folder / "file") == EEXIST);
    ::close(own);
}

TEST_CASE("a file without a name is written and read, and leaves nothing", "[lib][base][written_file]") {
    Folder folder;
    WrittenFile file;
    CHECK(file.make_unnamed(folder.path) == 0);
    CHECK(folder.names().empty());
    CHECK(file.reserve(100) == 0);
    CHECK(file.write_at(10, bytes_of("text")) == 0);
    std::array<char, 4> back{};
    CHECK(file.read_at(10, std::as_writable_bytes(std::span(back))) == 0);
    CHECK(std::string_view(back.data(), 4) == "text");
    CHECK(file.read_at(98, std::as_writable_bytes(std::span(back))) == EIO);
    CHECK(file.make_unnamed(folder / "none") == ENOENT);
}

TEST_CASE("a file that is renamed takes the place of a link, not of what it leads to", "[lib][base][written_file]") {
    Folder folder;
    folder.write("new", "text");
    folder.write("victim", "precious");
    fs::create_symlink(folder / "victim", folder / "link");
    CHECK(rename_complete(folder / "new", folder / "link") == 0);
    CHECK(folder.text_of("victim") == "precious");
    CHECK(folder.text_of("link") == "text");
    CHECK(rename_complete(folder / "none", folder / "link") == ENOENT);
}
