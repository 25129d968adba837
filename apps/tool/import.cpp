// Graphs from other tools: an einsum expression with shapes, and opt_einsum's JSON.
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/command_line.hpp"
#include "apps/tool/commands.hpp"
#include "apps/tool/graph_text.hpp"
#include "lib/base/error.hpp"
#include "lib/base/json.hpp"
#include "lib/graph/read_graph.hpp"

namespace ein::apps::tool {
namespace {

struct Options {
    std::string format, what, shapes, dtype = "f32", out;
};

/// "10x20,20x30,5,": a shape an operand; an empty one is a scalar.
std::vector<Shape> shapes_from(std::string const& text) {
    std::vector<Shape> shapes(1);
    std::string number;
    auto finish_number = [&] {
        if (number.empty()) return;
        Extent extent = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), extent);
        if (error != std::errc{} || end != number.data() + number.size() || extent < 0)
            throw UsageError("import --shapes: expected extents such as 10x20, found '" + number + "'");
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
    GraphText g("einsum", dtype);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        names.push_back("T" + std::to_string(k));
        g.random(names.back(), shapes[k]);
    }
    g.einsum("result", einsum, names, more);
    return g.text({"result"});
}

std::string from_opt_einsum(Options const& options) {
    Json const document = parse_json(read_text_file(options.what), options.what);
    Faults faults(options.what);
    Cursor const root(document, faults);
    if (root.expect_object()) {
        root.only_keys({"einsum", "shapes", "path", "dtype"});
        for (std::string const key : {"einsum", "shapes"})
            if (!root.has(key)) root.fail("the key \"" + key + "\"", "none", "give {\"einsum\", \"shapes\", \"path\"}");
        if (root.has("einsum")) root.at("einsum").string();
        if (root.has("shapes") && root.at("shapes").expect_list())
            for (std::size_t k = 0; k < root.at("shapes").size(); ++k)
                if (root.at("shapes").at(k).expect_list())
                    for (std::size_t axis = 0; axis < root.at("shapes").at(k).size(); ++axis)
                        root.at("shapes").at(k).at(axis).integer();
    }
    faults.throw_if_any();
    OrderedJson more = OrderedJson::object();
    if (document.contains("path")) more["path"] = OrderedJson::parse(document["path"].dump());
    return graph_of(document["einsum"], document["shapes"].get<std::vector<Shape>>(),
                    document.value("dtype", options.dtype), more);
}

int import(Options const& options) {
    std::string text;
    if (options.format == "einsum")
        text = graph_of(options.what, shapes_from(options.shapes), options.dtype, OrderedJson::object());
    else if (options.format == "opt_einsum")
        text = from_opt_einsum(options);
    else if (options.format == "omeinsum" || options.format == "onnx" || options.format == "safetensors-llama")
        throw UsageError("import " + options.format + " is not available in this version; use einsum or opt_einsum");
    else
        throw UsageError("import: expected einsum or opt_einsum, found '" + options.format + "'");
    graph::read_graph(text,
                      options.format == "einsum" ? "--shapes" : options.what);  // shapes that do not fit are told here
    if (options.out.empty()) return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
    write_text(options.out, text);
    return 0;
}

}  // namespace

void add_import(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand("import",
                                           "Write an EinGraph from another tool's format: einsum EXPRESSION --shapes "
                                           "10x20,20x30, or opt_einsum FILE.json");
    auto const options = std::make_shared<Options>();
    command->add_option("FORMAT", options->format, "einsum or opt_einsum")->required();
    command->add_option("WHAT", options->what, "the expression, or the file")->required();
    command->add_option("--shapes", options->shapes, "shapes of the operands, as 10x20,20x30 (einsum)");
    command->add_option("--dtype", options->dtype, "of every tensor")->capture_default_str();
    command->add_option("-o,--output", options->out, "file to write (default: standard output)");
    command->callback([options, &chosen] { chosen = [options] { return import(*options); }; });
}

}  // namespace ein::apps::tool
