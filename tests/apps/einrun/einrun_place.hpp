// A folder of its own with small schedules written by hand, and einrun in it: alone or under mpirun.
// Example: Ready place; Outcome run = place.alone("1.sched"); run.code is 0 and results/Z.npy is X * Y.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lib/base/json.hpp"
#include "lib/schedule/file/file.hpp"
#include "lib/tensor/formats/npy_write.hpp"
#include "lib/tensor/read.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedule_builder.hpp"

namespace ein::test {

namespace fs = std::filesystem;

/// Shell: waits until a process ($1) catches a signal (bit $2 of its mask), for 20 s at most.
inline std::string const await_catching =
    "caught() { for i in $(seq 200); do [ -d /proc/$1 ] || return 1; mask=$(awk '/SigCgt/ {print $2}' /proc/$1/status);"
    " [ $((0x${mask:-0} & $2)) -ne 0 ] && return 0; sleep 0.1; done; return 1; }; ";

/// Waits for the folder of results: what comes after it is the run itself.
inline std::string const await_results =
    "begun() { for i in $(seq 200); do [ -d results ] && return; sleep 0.1; done; }; ";

struct Outcome {
    int code = 0;
    std::string text;  // stdout and stderr
};

/// A folder of its own for each test, and einrun in it.
class Place {
public:
    Place() : folder_(fs::temp_directory_path() / ("einrun-" + std::to_string(getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Place() { fs::remove_all(folder_); }

    Outcome shell(std::string const& command) const {
        std::string const all = "cd '" + folder_.string() + "' && { " + command + " ; } > text 2>&1";
        int const status = std::system(all.c_str());
        std::ifstream in(folder_ / "text");
        std::stringstream text;
        text << in.rdbuf();
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text.str()};
    }
    Outcome alone(std::string const& arguments) const { return shell(std::string(EINRUN) + " " + arguments); }
#ifdef MPIRUN
    Outcome together(int ranks, std::string const& arguments) const {
        return shell("timeout -k 1 30 " MPIRUN " " + std::to_string(ranks) + " " EINRUN " " + arguments);
    }
#endif
    fs::path operator/(std::string const& name) const { return folder_ / name; }
    std::size_t files_in(std::string const& name) const {
        return fs::exists(folder_ / name)
                   ? static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_ / name), {}))
                   : 0;
    }
    Json json(std::string const& name) const { return parse_json(read_text_file(folder_ / name), name); }

private:
    fs::path folder_;
};

inline std::string const graph_text = R"({"eingraph": 1, "name": "sums", "dtype": "f64",
  "tensors": {"X": {"shape": [8, 3], "data": {"random": "uniform", "low": -1, "high": 1, "seed": 5}},
              "Y": {"shape": [8, 3], "data": {"npy": "Y.npy"}}},
  "nodes": [{"name": "Z", "einsum": "ij,ij->ij", "inputs": ["X", "Y"]}], "outputs": ["Z"]})";

/// Z = X * Y, X random and Y from Y.npy: rank 0 has X and sends each rank its rows, which hold rows of Y.
inline void write_schedule(Place const& place, int ranks, std::string const& name) {
    ScheduleBuilder b(ranks);
    b.tensor("X", {8, 3}), b.tensor("Y", {8, 3}), b.tensor("Z", {8, 3});
    auto const multiply = b.kernel("Z", sum_of_products("ij,ij->ij", {{'i', 8}, {'j', 3}}));
    for (int rank = 0; rank < ranks; ++rank) {
        std::string const id = std::to_string(rank);
        Extent const begin = 8 * rank / ranks, rows = 8 * (rank + 1) / ranks - begin;
        Box const box{{begin, 0}, {rows, 3}};
        b.load(0, "x" + id, "X", box, tensor::RandomSource{tensor::Distribution::uniform, -1, 1, 5});
        b.load(rank, "y" + id, "Y", box, tensor::NpySource{"Y.npy"});
        if (rank > 0) b.transfer(0, "x" + id, rank);
        b.block(rank, "z" + id, "Z", box);
        b.apply(rank, multiply, box, {"x" + id, "y" + id}, "z" + id);
        b.store(rank, "z" + id);
    }
    schedule::Schedule schedule = b.finish();
    schedule.header.graph_text = graph_text;
    schedule.header.graph_file = "sums.json";
    schedule.header.folder = ".";
    schedule::write_file(schedule, place / name);
}

inline tensor::HostTensor ones(Shape shape = {8, 3}) {
    tensor::HostTensor y(DType::f64, std::move(shape));
    for (Extent i = 0; i < y.elements(); ++i)
        y.set(i, scalar::Scalar::of(std::complex<double>(static_cast<double>(i))));
    return y;
}

struct Ready : Place {
    Ready() {
        tensor::write_npy(*this / "Y.npy", ones());
        for (int ranks : {1, 2, 3}) write_schedule(*this, ranks, std::to_string(ranks) + ".sched");
    }
};

inline bool has(Outcome const& outcome, std::string const& text) {
    return outcome.text.find(text) != std::string::npos;
}

inline void check_end(Outcome const& run, int code, std::string const& text) {
    CAPTURE(run.text, text);
    CHECK(run.code == code);
    CHECK(has(run, text));
}

}  // namespace ein::test
