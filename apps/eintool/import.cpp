// Graphs from other tools: an einsum expression with shapes, networks, circuits, and a LLaMA's Hugging Face folder.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "apps/command_line.hpp"
#include "apps/eintool/commands.hpp"
#include "apps/eintool/graph_text.hpp"
#include "apps/eintool/llama/import_llama.hpp"
#include "apps/eintool/network/import_network.hpp"
#include "apps/eintool/qasm/import_qasm.hpp"
#include "apps/inputs_below.hpp"
#include "apps/written_places.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/base/text/letters.hpp"
#include "lib/base/text/near_names.hpp"
#include "lib/graph/read_graph.hpp"

namespace ein::apps::tool {
namespace {

struct ImportOptions {
    std::string format, what, shapes, dtype, out;
    bool replan = false;                    // of networks
    std::string amplitude;                  // of qasm
    std::string tokens, logits;             // of safetensors-llama
    std::map<std::string, Extent> extents;  // of safetensors-llama, by option

    std::string dtype_or_f32() const { return dtype.empty() ? "f32" : dtype; }
    std::optional<Extent> extent(std::string const& option) const {
        auto const at = extents.find(option);
        return at == extents.end() ? std::nullopt : std::optional(at->second);
    }
};

/// How shapes are written that somebody wrote as Python's or with other signs.
std::string mend_shapes(std::string const& text) {
    bool const nested = text.find_first_of("([") != std::string::npos;
    std::string out;
    for (char const c : text) {
        bool const digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        bool const within = nested ? c == ',' || c == ' ' : c == '*' || c == 'x' || c == 'X';
        bool const between = nested ? c == ')' || c == ']' : c == ',' || c == ' ' || c == ';';
        bool const ends_number = !out.empty() && std::isdigit(static_cast<unsigned char>(out.back())) != 0;
        if (digit)
            out += c;
        else if (within && ends_number)
            out += 'x';
        else if (within && !out.empty() && out.back() == ',' && !nested)
            out.back() = 'x';  // "10 x 20"
        else if (between && ends_number)
            out += ',';
        else if (between && !out.empty() && out.back() == 'x' && nested)
            out.back() = ',';  // "(5,)"
    }
    while (!out.empty() && (out.back() == ',' || out.back() == 'x')) out.pop_back();
    return out.empty() ? "" : "; write --shapes " + out;
}

/// "10x20,20x30,5,": a shape an operand; an empty one is a scalar.
std::vector<Shape> shapes_from(std::string const& text) {
    std::vector<Shape> shapes(1);
    std::string number;
    auto finish_number = [&] {
        if (number.empty()) return;
        Extent extent = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
        if (error != std::errc{} || end != number.data() + number.size() || extent < 0)
            throw UsageError("import --shapes: expected extents such as 10x20, found '" + number + "'" +
                             mend_shapes(text));
        shapes.back().push_back(extent);
        number.clear();
    };
    for (char c : text) {
        if (c != 'x' && c != ',')
            number += c;
        else
            finish_number();
        if (c == ',') shapes.emplace_back();
    }
    finish_number();
    return shapes;
}

std::string graph_of(std::string const& einsum, std::vector<Shape> const& shapes, std::string const& dtype,
                     OrderedJson const& more) {
    std::string const inputs = einsum.substr(0, einsum.find("->"));
    auto const terms = static_cast<std::size_t>(std::ranges::count(inputs, ',')) + 1;
    if (terms != shapes.size())
        throw UsageError("import --shapes: expected " + std::to_string(terms) + (terms == 1 ? " shape" : " shapes") +
                         ", one for each term of '" + inputs + "', found " + std::to_string(shapes.size()) +
                         "; write an x between extents, a comma between shapes: 10x20,20x30");
    GraphText g("einsum", dtype);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        names.push_back("T" + std::to_string(k));
        g.random(names.back(), shapes[k]);
    }
    g.einsum("result", einsum, names, more);
    return g.text({"result"});
}

std::string from_safetensors_llama(ImportOptions const& options) {
    Extent const decode = options.extent("--decode").value_or(0);
    if (decode > 0 && !options.logits.empty())
        throw UsageError(
            "import safetensors-llama: --logits says which are written, and with --decode tokens are; "
            "give one of them");
    return import_llama({.folder = options.what,
                         .tokens = options.tokens,
                         .sequence = options.extent("--sequence"),
                         .batch = options.extent("--batch"),
                         .dtype = options.dtype,
                         .all_logits = options.logits == "all",
                         .decode = decode,
                         .out = options.out});
}

bool is_network(std::string const& format) {
    return format == "opt_einsum" || format == "cotengra" || format == "omeinsum";
}

/// ImportOptions of one format are refused for another, not ignored.
void check_options(ImportOptions const& options) {
    bool const llama = options.format == "safetensors-llama";
    std::string wrong = options.extents.empty() ? "" : options.extents.begin()->first;
    if (!options.tokens.empty()) wrong = "--tokens";
    if (!options.logits.empty()) wrong = "--logits";
    if (!llama && !wrong.empty())
        throw UsageError("import " + options.format + ": " + wrong + " is an option of import safetensors-llama");
    if (options.replan && !is_network(options.format))
        throw UsageError("import " + options.format + ": --replan is an option of opt_einsum, cotengra and omeinsum");
    if (options.format != "qasm" && !options.amplitude.empty())
        throw UsageError("import " + options.format + ": --amplitude is an option of import qasm");
    if (options.format == "qasm" && options.amplitude.empty())
        throw UsageError("import qasm: expected --amplitude, a bit for each qubit; give it, as --amplitude 0101");
    if (options.format == "einsum" && options.shapes.empty())
        throw UsageError(
            "import einsum: expected --shapes, an operand's extents for each term; give them, as --shapes 10x20,20x30");
    if (options.format != "einsum" && !options.shapes.empty())
        throw UsageError("import " + options.format + ": --shapes is an option of import einsum");
}

/// What formats are called elsewhere.
std::string mend_format(std::string const& written) {
    struct Format {
        std::string_view written, ours;
    };
    constexpr std::array formats{Format{"llama", "safetensors-llama"},
                                 Format{"safetensors", "safetensors-llama"},
                                 Format{"huggingface", "safetensors-llama"},
                                 Format{"hf", "safetensors-llama"},
                                 Format{"transformers", "safetensors-llama"},
                                 Format{"mistral", "safetensors-llama"},
                                 Format{"qwen2", "safetensors-llama"},
                                 Format{"openqasm", "qasm"},
                                 Format{"qiskit", "qasm"},
                                 Format{"circuit", "qasm"},
                                 Format{"numpy", "einsum"},
                                 Format{"expression", "einsum"}};
    std::string name;
    for (char const c : written)
        if (c != '_' && c != '-') name += lower_letter(c);
    for (Format const& format : formats)
        if (name == format.written) return "; " + did_you_mean(format.ours);
    if (name == "network" || name == "quimb" || name == "tensornetwork")
        return "; a network is opt_einsum, cotengra or omeinsum, by what wrote the file";
    if (name == "torch" || name == "pytorch" || name == "pt" || name == "tensorflow" || name == "jax" ||
        name == "keras")
        return "; write its operators as nodes, and its weights as .safetensors";
    std::vector<std::string> const known{"einsum", "opt_einsum", "cotengra", "omeinsum", "qasm", "safetensors-llama"};
    for (std::string const& each : known) {
        std::string plain = each;
        std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
        if (plain == name) return "; " + did_you_mean(each);
    }
    std::string const mend = mend_name(written, known);
    return mend.empty() ? "" : "; " + mend;
}

std::string imported(ImportOptions const& options) {
    if (options.format == "einsum")
        return graph_of(options.what, shapes_from(options.shapes), options.dtype_or_f32(), OrderedJson::object());
    if (is_network(options.format))
        return import_network({options.format, options.what, options.dtype, options.replan});
    if (options.format == "qasm") return qasm::import_qasm({options.what, options.amplitude, options.dtype});
    if (options.format == "safetensors-llama") return from_safetensors_llama(options);
    std::string const use = "einsum, opt_einsum, cotengra, omeinsum, qasm or safetensors-llama";
    if (options.format == "onnx")
        throw UsageError("import " + options.format + " is not available in this version; use " + use);
    throw UsageError("import: expected " + use + ", found '" + options.format + "'" + mend_format(options.format));
}

int import(ImportOptions const& options) {
    check_options(options);
    std::string const text = imported(options);
    graph::EinGraph const made =  // refuses shapes that do not fit
        graph::read_graph(text, options.format == "einsum" ? "--shapes" : options.what);
    if (options.out.empty() || options.out == "-") return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    std::vector<NamedPath> read = files_read(made, std::filesystem::path(options.out).parent_path());
    if (options.format != "einsum") read.emplace_back("WHAT", options.what);
    check_written({{"-o", options.out}}, read);
    refuse_to_replace("-o", options.out, FileUse::graph, "a graph's file");
    write_text(options.out, text);
    return 0;
}

}  // namespace

void add_import(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "import",
        "Write an EinGraph from another tool's format: einsum EXPRESSION --shapes 10x20,20x30; opt_einsum, "
        "cotengra or omeinsum FILE.json, a network with or without an order (slices are left to einplan --memory); "
        "qasm FILE --amplitude 0101, an OpenQASM 2 circuit as the network of one amplitude; or "
        "safetensors-llama DIR, a Hugging Face folder with config.json and .safetensors files: its output is logits "
        "[batch, 1 or seq, vocab] or, with --decode T, the greedy tokens_out [batch, T]");
    auto const options = std::make_shared<ImportOptions>();
    command->add_option("FORMAT", options->format, "einsum, opt_einsum, cotengra, omeinsum, qasm or safetensors-llama")
        ->required();
    command->add_option("WHAT", options->what, "the expression, the file, or the folder")->required();
    command->add_option("--shapes", options->shapes, "einsum: shapes of the operands, as 10x20,20x30");
    command->add_flag(
        "--replan", options->replan,
        "opt_einsum, cotengra, omeinsum: leaves out order and slices of the file, so that einplan searches some");
    command->add_option("--amplitude", options->amplitude,
                        "qasm: 0, 1 or _ (open: an axis of the result) for each qubit, q[0] of the first register "
                        "first");
    command->add_option("--dtype", options->dtype,
                        "of every tensor; qasm: c64 (default) or c128; safetensors-llama: to compute in (default: f32, "
                        "and f64 for weights of f64)");
    command->add_option("--tokens", options->tokens,
                        "safetensors-llama: the prompt, a .npy file of integers [seq] or [batch, seq]");
    auto extent = [&](std::string const& name, std::string const& about) {
        command
            ->add_option_function<Extent>(
                name, [options, name](Extent value) { options->extents[name] = value; }, "safetensors-llama: " + about)
            ->check(CLI::Range(Extent{1}, Extent{1} << 40));
    };
    extent("--sequence",
           "instead of --tokens, how long the prompt is that einrun --input tokens=FILE.npy gives, i32 [batch, seq]");
    extent("--batch", "how many prompts of one length there are (default 1)");
    extent("--decode", "make so many tokens after the prompt");
    command->add_option("--logits", options->logits, "safetensors-llama: of the last position (default), or of all")
        ->check(CLI::IsMember({"last", "all"}));
    command->add_option("-o,--output", options->out, "file to write (default, as with -: standard output)");
    add_inputs_below(*command);
    command->callback([options, &chosen] { chosen = [options] { return import(*options); }; });
}

}  // namespace ein::apps::tool
