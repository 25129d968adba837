// The tables of usage_mends.cpp: what other programs call our options and commands, and whose options they are.
#pragma once

#include <array>
#include <string_view>

#include "apps/usage_mends.hpp"

namespace ein::apps::usage_tables {

using namespace std::string_view_literals;

/// What other programs call an option; the first of ours that the program has is meant.
struct Synonym {
    std::string_view written, ours;
};
inline constexpr std::array synonyms{
    Synonym{"-o", "--out"},
    Synonym{"-o", "--output"},
    Synonym{"--output", "--out"},
    Synonym{"--outdir", "--out"},
    Synonym{"--out-dir", "--out"},
    Synonym{"--output-dir", "--out"},
    Synonym{"--results", "--out"},
    Synonym{"-d", "--out"},
    Synonym{"--out", "--output"},
    Synonym{"--schedule", "--output"},
    Synonym{"--np", "--ranks"},
    Synonym{"--procs", "--ranks"},
    Synonym{"--nprocs", "--ranks"},
    Synonym{"--processes", "--ranks"},
    Synonym{"--workers", "--threads"},
    Synonym{"-p", "--ranks"},
    Synonym{"-t", "--threads"},
    Synonym{"-j", "--threads"},
    Synonym{"-T", "--threads"},
    Synonym{"--jobs", "--threads"},
    Synonym{"--cores", "--threads"},
    Synonym{"--num-threads", "--threads"},
    Synonym{"--cpus", "--threads"},
    Synonym{"--strategy", "--decompose"},
    Synonym{"--plan", "--plan-in"},
    Synonym{"--param", "--set"},
    Synonym{"--params", "--set"},
    Synonym{"--data", "--input"},
    Synonym{"--inputs", "--input"},
    Synonym{"-i", "--input"},
    Synonym{"--gpu", "--device cuda"},
    Synonym{"--gpus", "--device cuda"},
    Synonym{"--cuda", "--device cuda"},
    Synonym{"--cpu", "--device cpu"},
    Synonym{"--check", "--verify"},
    Synonym{"--validate", "--verify"},
    Synonym{"--profile", "--trace"},
    Synonym{"--timeline", "--trace"},
    Synonym{"-v", "--log-level debug"},
    Synonym{"--verbose", "--log-level debug"},
    Synonym{"--debug", "--log-level debug"},
    Synonym{"--silent", "--quiet"},
    Synonym{"-s", "--quiet"},
    Synonym{"--html", "--explain"},
    Synonym{"--predict", "--simulate"},
    Synonym{"--timeout", "--time-limit"},
    Synonym{"--runs", "--repeat"},
    Synonym{"--iterations", "--repeat"},
    Synonym{"--ckpt", "--checkpoint"},
    Synonym{"--restart", "--checkpoint"},
    Synonym{"--restart", "--resume"},
    Synonym{"--tmp", "--spill-dir"},
    Synonym{"--scratch", "--spill-dir"},
    Synonym{"--noop", "--dry-run"},
    Synonym{"-n", "--ranks"},
    Synonym{"--n", "--ranks"},
    Synonym{"-N", "--ranks"},
    Synonym{"--world-size", "--ranks"},
    Synonym{"--nproc_per_node", "--ranks"},
    Synonym{"--nproc-per-node", "--ranks"},
    Synonym{"--num-processes", "--ranks"},
    Synonym{"--num_processes", "--ranks"},
    Synonym{"--save", "--out"},
    Synonym{"--logfile", "--report"},
    Synonym{"--nthreads", "--threads"},
    Synonym{"--num_threads", "--threads"},
    Synonym{"--epochs", "--repeat"},
    Synonym{"--rtol", "--tolerance"},
    Synonym{"--atol", "--tolerance"},
};

/// Options of one program that are looked for in another one.
using Owner = OptionOwner;
inline constexpr std::array owners{
    Owner{"--verify", "einrun"},    Owner{"--report", "einrun"},    Owner{"--trace", "einrun"},
    Owner{"--set", "einrun"},       Owner{"--threads", "einrun"},   Owner{"--device", "einrun"},
    Owner{"--repeat", "einrun"},    Owner{"--progress", "einrun"},  Owner{"--check-finite", "einrun"},
    Owner{"--spill-dir", "einrun"}, Owner{"--stall", "einrun"},     Owner{"--strict", "einrun"},
    Owner{"--input", "einrun"},     Owner{"--out", "einrun"},       Owner{"--checkpoint", "einrun"},
    Owner{"--every", "einrun"},     Owner{"--stop-at", "einrun"},   Owner{"--decompose", "einplan"},
    Owner{"--place", "einplan"},    Owner{"--explain", "einplan"},  Owner{"--simulate", "einplan"},
    Owner{"--sweep", "einplan"},    Owner{"--batch", "einplan"},    Owner{"--parts", "einplan"},
    Owner{"--plan-in", "einplan"},  Owner{"--plan-out", "einplan"}, Owner{"--dry-run", "einplan"},
    Owner{"--resume", "einplan"},
};

inline constexpr std::array sbatch{"--time"sv,          "--partition"sv,   "--account"sv,
                                   "--qos"sv,           "--nodes"sv,       "--ntasks"sv,
                                   "--mail-type"sv,     "--mem"sv,         "--ntasks-per-node"sv,
                                   "--cpus-per-task"sv, "--gres"sv,        "--gpus-per-node"sv,
                                   "--gpus-per-task"sv, "--constraint"sv,  "--exclusive"sv,
                                   "--job-name"sv,      "--mem-per-cpu"sv, "--nodelist"sv};
inline constexpr std::array launcher{"-n"sv, "-np"sv, "--ranks"sv};

/// What others say on the command line and a graph says here.
struct InGraph {
    std::string_view written, mend;
};
inline constexpr std::array in_graph{
    InGraph{"--seed", R"(a seed stands in the graph: "data": {"random": "uniform", "seed": 42})"},
    InGraph{"--dtype", R"(a type stands in the graph: "dtype": "bf16" at its top, or in a tensor or node)"},
    InGraph{"--precision", R"(a type stands in the graph: "dtype": "bf16" at its top, or in a tensor or node)"},
    InGraph{"--amp", R"(a type stands in the graph: "dtype": "bf16" at its top, or in a tensor or node)"},
    InGraph{"--gpus", "each rank takes a GPU: write -n 4 for four, then einrun --device cuda"},
    InGraph{"--lr",
            R"(a number that changes is a param of the graph: "params": {"lr": 0.1}, then einrun --set lr=0.01)"},
    InGraph{"--mesh", R"(a mesh stands in the graph: "mesh": {"dp": 2, "tp": 4})"},
    InGraph{"--batch-size", "extents stand in the graph: \"shape\" of its tensors"},
};

/// Commands as others call them.
struct Command {
    std::string_view written, mend;
    bool ours = false;  // the mend is the command that is meant
};
inline constexpr std::array commands{
    Command{"plan", "that is a program of its own: einplan GRAPH -n 4"},
    Command{"explain", "that is einplan's: einplan GRAPH -n 4 --explain"},
    Command{"simulate", "that is einplan's: einplan GRAPH -n 4 --simulate"},
    Command{"sweep", "that is einplan's: einplan GRAPH --sweep 1,2,4"},
    Command{"verify", "that is einrun's: mpirun -n 4 einrun SCHEDULE --verify; eintool validate checks a graph"},
    Command{"resume", "einrun SCHEDULE --checkpoint DIR goes on by itself; einplan --resume DIR -n R plans the rest"},
    Command{"compare", "diff", true},
    Command{"check", "validate", true},
    Command{"lint", "validate", true},
    Command{"convert", "import", true},
    Command{"create", "make", true},
    Command{"generate", "make", true},
    Command{"new", "make", true},
    Command{"print", "show", true},
    Command{"view", "show", true},
    Command{"info", "show", true},
    Command{"inspect", "show", true},
    Command{"compute", "eval", true},
    Command{"profile", "trace", true},
    Command{"timeline", "trace", true},
    Command{"summary", "report", true},
    Command{"stats", "report", true},
    Command{"doctor", "preflight", true},
    Command{"test", "preflight", true},
};

}  // namespace ein::apps::usage_tables
