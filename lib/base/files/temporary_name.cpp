#include "lib/base/files/temporary_name.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/hash.hpp"
#include "lib/base/text/hex.hpp"

namespace ein {

namespace {

constexpr std::size_t longest_stem = 120;  // of the 255 bytes that file systems allow

std::uint64_t random_number() {
    std::uint64_t number = 0;
    while (::getrandom(&number, sizeof number, 0) != sizeof number)
        if (errno != EINTR) throw RunError("the system gives no random numbers, which names of files are made of");
    return number;
}

}  // namespace

std::string this_boot() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id.substr(0, 8);
}

std::string unique_name() {
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    std::string const boot = this_boot();
    return std::string(host) + "-" + (boot.empty() ? "unknown" : boot) + "-" + std::to_string(getpid()) + "-" +
           hex(random_number());
}

/// Counted from the end: hosts may have '-' in their names.
std::string boot_of(std::string const& unique) {
    std::vector<std::string> parts(1);
    for (char letter : unique) {
        if (letter == '-')
            parts.emplace_back();
        else
            parts.back() += letter;
    }
    return parts.size() >= 4 ? parts[parts.size() - 3] : "";
}

std::string temporary_beginning(std::filesystem::path const& path) {
    std::string stem = path.filename().string();
    if (stem.size() > longest_stem) {
        std::uint64_t const whole = hash_bytes({reinterpret_cast<std::uint8_t const*>(stem.data()), stem.size()});
        stem.resize(longest_stem - 17);
        while (!stem.empty() && (static_cast<unsigned char>(stem.back()) & 0x80) != 0)
            stem.pop_back();  // no half letter
        stem += "~" + hex(whole);
    }
    return "." + stem + ".partial-";
}

std::filesystem::path temporary_path(std::filesystem::path const& path, std::string const& unique) {
    return path.parent_path() / (temporary_beginning(path) + unique);
}

}  // namespace ein
