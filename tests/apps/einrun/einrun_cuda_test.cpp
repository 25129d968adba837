// einrun itself on a fake of CUDA: which device it takes, what it says of it, and what --allow-tf32 changes.
#include "lib/tensor/compare.hpp"
#include "tests/apps/einrun/einrun_place.hpp"
#include "tests/support/fake_cuda/fake_cuda.hpp"

using namespace ein;
using namespace ein::test;

namespace {

/// Z = A x B in f32 and its sum in f64 (of what f32 holds), planned for 1 and 2 ranks.
struct Planned : Place {
    Planned() {
        std::ofstream(*this / "g.json") << R"({"eingraph": 1, "dtype": "f32",
  "tensors": {"A": {"shape": [40, 48], "data": {"random": "uniform", "low": -1, "high": 1, "seed": 1}},
              "B": {"shape": [48, 56], "data": {"random": "normal", "seed": 2}}},
  "nodes": [{"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
            {"name": "W", "einsum": "ik->i", "inputs": ["Z"], "dtype": "f64"}], "outputs": ["Z", "W"]})";
        for (char const* ranks : {"1", "2"}) {
            Outcome const plan = shell(std::string(EINPLAN) + " g.json -q -n " + ranks + " -o " + ranks + ".sched");
            INFO(plan.text);
            REQUIRE(plan.code == 0);
        }
    }
    tensor::HostTensor result(std::string const& folder) const {
        auto const reader =
            tensor::open(tensor::NpySource{(*this / folder / "Z.npy").string()}, "Z", DType::f32, {40, 56}, "");
        tensor::HostTensor out(DType::f32, {40, 56});
        reader->read(Box::whole(out.shape()), out.bytes());
        return out;
    }
};

}  // namespace

TEST_CASE("products of f32 round their operands where --allow-tf32 says so, and --verify allows for it",
          "[einrun][cuda]") {
    FakeCuda const fake;
    Planned const place;
    REQUIRE(place.alone("1.sched --device cpu --out exact --report c.json").code == 0);
    REQUIRE(place.json("c.json")["tf32"] == false);
    for (std::string const ranks : {"1", "2"})
        for (bool const allowed : {false, true}) {
            std::string const arguments =
                ranks + ".sched --device cuda --verify --out found --report r.json" + (allowed ? " --allow-tf32" : "");
#ifdef MPIRUN
            Outcome const run = place.together(std::stoi(ranks), arguments);
#else
            if (ranks != "1") continue;
            Outcome const run = place.alone(arguments);
#endif
            INFO(run.text);
            REQUIRE(run.code == 0);
            Json const report = place.json("r.json");
            CHECK(report["device"] == "cuda");
            CHECK(report["tf32"] == allowed);
            CHECK(report["verify"]["mismatches"] == 0);
            for (Json const& rank : report["ranks_detail"]) CHECK(rank["tf32"] == allowed);
            tensor::Difference const off = tensor::compare(place.result("found"), place.result("exact"), 1e-5);
            CHECK((off.count > 0) == allowed);
            CHECK(off.max_rel < 1e-2);
        }
}

TEST_CASE("a device is taken where there is one, and einrun says so", "[einrun][cuda]") {
    FakeCuda const fake;
    Planned const place;
    Outcome const run = place.alone("1.sched --out found --report r.json");
    INFO(run.text);
    CHECK(run.code == 0);
    CHECK(has(run, "--device auto: cuda, on "));
    CHECK(place.json("r.json")["device"] == "cuda");
    CHECK(place.json("r.json")["tf32"] == false);
}

TEST_CASE("a rank that is not bound keeps to the cores nearest its GPU, which is reported once", "[einrun][cuda]") {
    Planned const place;
    fs::path const device = place / "sys/bus/pci/devices/0000:00:00.0";
    fs::create_directories(device);
    std::ofstream(device / "local_cpulist") << "0\n";
    FakeCuda const fake({{"EINLOOM_SYSFS", (place / "sys").string()}});
    Outcome const run = place.alone("1.sched --out found --threads 1");
    CAPTURE(run.text);
    CHECK(run.code == 0);
    std::size_t const reported = run.text.find("einrun: rank 0 on ");
    REQUIRE(reported != std::string::npos);
    CHECK(run.text.find("einrun: rank 0 on ", reported + 1) == std::string::npos);
    CHECK(has(run, ": cuda, "));
    CHECK(has(run, "; cores 0\n"));
    CHECK_FALSE(has(place.alone("1.sched --out found --quiet"), "rank 0 on "));
}

#ifdef MPIRUN
TEST_CASE("GPUs are shared by the ranks that see the same one, whatever launched them", "[einrun][cuda]") {
    Planned const place;
    std::string const run = "2.sched --device cuda --out found";
    auto const masked = [&](std::string const& other) {
        return run + " : -n 1 -x CUDA_VISIBLE_DEVICES=" + other + " " EINRUN " " + run;
    };
    {
        FakeCuda const fake({{"FAKE_CUDA_DEVICES", "2"}, {"CUDA_VISIBLE_DEVICES", "0"}});
        Outcome const apart = place.together(1, masked("1"));
        CAPTURE(apart.text);
        CHECK(apart.code == 0);
        CHECK(has(apart, "GPU 0 of 1; cores"));
        CHECK_FALSE(has(apart, "ranks on it"));
        CHECK(has(place.together(1, masked("0,1")), "GPU 1 of 2; cores"));
        CHECK(has(place.together(1, masked("0")), "GPU 0 of 1, 2 ranks on it"));
    }
    FakeCuda const fake({{"FAKE_CUDA_DEVICES", "2"}});
    Outcome const both = place.together(2, run);
    CHECK(has(both, "GPU 0 of 2; cores"));
    CHECK(has(both, "GPU 1 of 2; cores"));
}
#endif
