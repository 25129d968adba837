#include "apps/eintool/run/open_mpi_leftovers.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace ein::apps::tool {

namespace fs = std::filesystem;

std::vector<fs::path> shared_segments(pid_t rank) {
    std::vector<fs::path> out;
    std::ifstream maps("/proc/" + std::to_string(rank) + "/maps");
    for (std::string line; std::getline(maps, line);) {
        auto const at = line.find("/dev/shm/");
        if (at == std::string::npos) continue;
        fs::path const file = line.substr(at);
        std::string const name = file.filename().string();
        bool const is_segment = name.starts_with("vader_segment.") || name.starts_with("sm_segment.");
        if (is_segment && (out.empty() || out.back() != file)) out.push_back(file);
    }
    return out;
}

void remove_session_folder(pid_t mpirun) {
    fs::path base = "/tmp";
    for (char const* name : {"TMP", "TEMP", "TMPDIR", "OMPI_MCA_orte_tmpdir_base"})
        if (char const* folder = std::getenv(name)) base = folder;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    std::error_code error;
    for (std::string const& name : {std::string(host), std::string(host).substr(0, std::string(host).find('.'))})
        fs::remove_all(base / ("ompi." + name + "." + std::to_string(geteuid())) / ("pid." + std::to_string(mpirun)),
                       error);
}

}  // namespace ein::apps::tool
