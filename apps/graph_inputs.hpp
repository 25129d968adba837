// Data and parameters given on the command line instead of in the graph: --input NAME=FILE and --set NAME=NUMBER.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/scalar/expression/expr.hpp"
#include "lib/tensor/source.hpp"

namespace ein::apps {

/// "NAME=FILE" in two, where names may have a '=' themselves: the first name of `names` that fits.
/// @throws UsageError as name_and_value
std::pair<std::string, std::string> name_and_file(std::string const& text, std::vector<std::string> const& names);

/// "NAME=VALUE" in two. @throws UsageError for a text without name or '='; `option` is named in it
std::pair<std::string, std::string> name_and_value(std::string const& option, std::string const& text);

/// For each of `texts` ("NAME=FILE") the position of NAME in `names` and the source that FILE is; files are made
/// absolute.
/// @param params  of the graph, which are set otherwise
/// @throws UsageError for a name that `names` lacks, with the nearest, or that is given twice
std::vector<std::pair<std::size_t, tensor::Source>> given_sources(std::vector<std::string> const& texts,
                                                                  std::vector<std::string> const& names,
                                                                  std::vector<std::string> const& params = {});

/// `params` with those of `texts` ("NAME=NUMBER") changed. @throws UsageError for an unknown name, one given twice, or
/// no number
/// @param tensors  of the graph, which are given otherwise
scalar::Params given_params(std::vector<std::string> const& texts, scalar::Params params,
                            std::vector<std::string> const& tensors = {});

}  // namespace ein::apps
