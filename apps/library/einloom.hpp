// Einloom as a library, for programs that are MPI jobs of their own: build a graph, plan it, run it on their ranks.
// The only public header; it includes nothing of ours, of MPI or of CUDA. What a graph may say is the graph language's.
// Example, on every rank of a job that has started MPI:
//   einloom::Graph graph("gram", "f64");
//   graph.input("X", {1000, 40}).einsum("C", "si,sj->ij", {"X", "X"}).output("C");
//   einloom::Ranks ranks(MPI_Comm_c2f(MPI_COMM_WORLD));
//   einloom::Schedule schedule = einloom::plan(graph, {.ranks = ranks.size()});
//   einloom::run(ranks, schedule, {.inputs = {{"X", read_rows}}, .output = keep_block});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace einloom {

using Shape = std::vector<std::int64_t>;

/// What went wrong; what() says where, what was expected and found, and the mend, a line for each fault.
class Error : public std::runtime_error {
public:
    Error(int code, std::string const& message) : std::runtime_error(message), code_(code) {}
    /// As the programs exit: 1 failed while running, 2 wrong use, 3 bad input, 4 does not fit in memory.
    int code() const { return code_; }

private:
    int code_;
};

/// What an einsum is beside its subscripts; empty: the product of its inputs, summed, in their common type.
struct EinsumOptions {
    std::string join = {}, agg = {}, dtype = {};
};

/// A graph under construction. Names and dtypes are those of the graph language ("f64", "c64", "i32", ...). Faults are
/// told by plan(), all at once.
class Graph {
public:
    explicit Graph(std::string const& name, std::string const& dtype = "f32");
    /// One that is written already. @param folder  its data files are relative to it  @throws Error unless it is JSON
    static Graph from_json(std::string const& text, std::string const& folder = ".");
    Graph(Graph const&);
    Graph& operator=(Graph const&);
    ~Graph();

    /// A tensor that the program gives when the graph is run. @param dtype  empty: the graph's
    Graph& input(std::string const& name, Shape const& shape, std::string const& dtype = "");
    /// A tensor whose elements are known or in a file. @param data  as the graph language has it, such as
    /// R"({"npy": "A.npy"})", R"({"fill": 1})" or R"({"random": "normal", "seed": 7})"  @throws Error unless it is JSON
    Graph& tensor(std::string const& name, Shape const& shape, std::string const& data, std::string const& dtype = "");
    Graph& einsum(std::string const& name, std::string const& subscripts, std::vector<std::string> const& inputs,
                  EinsumOptions const& options = {});
    /// Any other node, such as R"({"name": "P", "op": "softmax", "inputs": ["S"], "axes": [1]})". @throws Error
    Graph& node(std::string const& json);
    /// A number that joins may use by its name, and that run() may be given another value for.
    Graph& param(std::string const& name, double value);
    Graph& output(std::string const& name);

    /// EinGraph JSON, as einplan reads it.
    std::string json() const;

private:
    friend class Access;
    struct State;
    std::unique_ptr<State> state_;
};

/// The options of einplan that decide; what is left out is decided as there.
struct PlanOptions {
    int ranks = 1;
    std::string decompose = {};  // a strategy; empty: the best plan of all that are known
    std::int64_t parts = 0;      // kernel calls for each node; 0: as many as ranks
    std::string place = "best";
    std::string memory = {};    // of blocks on each rank, "8GiB"
    std::string cluster = {};   // file that describes the machines
    bool reproducible = false;  // the same bits at every number of ranks and threads
    double time_limit = 0;      // seconds of planning; 0: as einplan
};

/// Who does what: what einplan writes and einrun runs. Cheap to copy.
class Schedule {
public:
    /// Of einplan, or of write(). @throws Error
    static Schedule read(std::string const& file);
    /// For einrun, or for programs that read it. @throws Error
    void write(std::string const& file) const;

    int ranks() const;
    std::int64_t bytes_moved() const;              // between ranks, as predicted: exact for dense tensors
    std::vector<std::int64_t> peak_bytes() const;  // of blocks, by rank, as predicted
    double flops() const;
    /// einplan's screen, as text; empty for one that was read.
    std::string summary() const;

private:
    friend class Access;
    struct State;
    std::shared_ptr<State const> state_;
};

/// Decides. Needs no MPI and no other rank: the same graph and options give the same schedule everywhere.
/// @throws Error with all faults of the graph, or (code 4) where nothing fits in the memory
Schedule plan(Graph const& graph, PlanOptions const& options);

/// The ranks that work together: those of a communicator. Einloom has copies of it, so that its messages never meet the
/// program's. MPI must offer MPI_THREAD_SERIALIZED; while run() lasts no other thread of the program calls MPI.
class Ranks {
public:
    /// Of a program that does not use MPI itself: all that its launcher started, or this process alone. MPI lasts as
    /// long as the object, and is not started where no launcher is. @throws Error
    Ranks();
    /// Collective. Of a program that has started MPI, and ends it after this object.
    /// @param communicator  MPI_Comm_c2f(comm)  @throws Error
    explicit Ranks(int communicator);
    Ranks(Ranks const&) = delete;
    Ranks& operator=(Ranks const&) = delete;
    ~Ranks();

    int rank() const;
    int size() const;

private:
    friend class Access;
    struct State;
    std::unique_ptr<State> state_;
};

/// A rectangle of a tensor: where it begins and how long it is along each axis.
struct Region {
    Shape begin, length;
};

/// Fills `out` with the elements of a region, in the tensor's dtype and C order. Called by many threads at once, for
/// what this rank loads alone. What it throws ends the run.
using Input = std::function<void(Region const& region, std::span<std::byte> out)>;

/// A block of an output. Elements are in C order over region.length, and are there as long as the call.
struct Block {
    std::string const& tensor;
    std::string const& dtype;
    Region const& region;
    std::span<std::byte const> bytes;

    template <class T>
    std::span<T const> as() const {
        return {reinterpret_cast<T const*>(bytes.data()), bytes.size() / sizeof(T)};
    }
};

struct RunOptions {
    std::map<std::string, Input> inputs = {};       // by tensor; in place of what the graph says, if it does
    std::function<void(Block const&)> output = {};  // each block once, on one rank; called by one thread at a time
    std::map<std::string, double> params = {};
    std::optional<int> threads = {};                    // of each rank; else OMP_NUM_THREADS or its share of the cores
    std::string device = "auto";                        // as einrun's --device
    std::string memory = {};                            // of blocks on each rank, "8GiB": what does not fit is spilled
    std::string spill_folder = {};                      // to files here
    double stall = 300;                                 // seconds without an ended task anywhere that end the run
    std::function<void(std::string const&)> warn = {};  // hears of what is odd (rank 0, once); else standard error
};

/// What one rank did.
struct Ran {
    double seconds = 0;  // from inputs in place to its last block
    std::int64_t bytes_sent = 0, messages_sent = 0, peak_bytes = 0;
    int threads = 1;
};

/// Collective: all ranks, with the same schedule. May be called again, with other inputs.
/// @throws Error on all ranks alike where the run cannot begin (rank 0's has the message). A rank that fails later says
/// so on standard error and ends the job (MPI_Abort): the others may be waiting for it.
Ran run(Ranks& ranks, Schedule const& schedule, RunOptions const& options = {});

}  // namespace einloom
