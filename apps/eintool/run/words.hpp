// The words of "eintool run" by who they are for: itself, einplan, einrun, the launcher.
// Options are known by the programs' own tables. What both programs have (--memory) goes to both. After "--", what
// einrun has is einrun's, all else the launcher's.
// Example: "g.json -n 2 --decompose exact --threads 4 -- --hostfile h" gives own {g.json, -n, 2}, plan {--decompose,
// exact}, run {--threads, 4}, launcher {--hostfile, h}.
#pragma once

#include <string>
#include <vector>

#include "apps/option_forms.hpp"

namespace ein::apps::tool {

using Words = std::vector<std::string>;

struct SplitWords {
    Words own, plan, run, launcher;
    Words plan_only;  // names of those options of einplan that einrun has not
    friend bool operator==(SplitWords const&, SplitWords const&) = default;
};

struct KnownOptions {
    std::vector<OptionForm> own, plan, run;
};

/// @throws UsageError for an option before "--" that none of them has
SplitWords split_words(Words const& words, KnownOptions const& known);

/// The value that an option has among words ("--out D" or "--out=D"), the last one; `otherwise` where there is none.
std::string value_of(Words const& words, std::vector<std::string> const& names, std::string const& otherwise);
/// Words without an option and its value.
Words without(Words const& words, std::vector<std::string> const& names);

}  // namespace ein::apps::tool
