#include "apps/eintool/run/words.hpp"

#include <algorithm>

#include "apps/usage_mends.hpp"
#include "lib/base/error.hpp"

namespace ein::apps::tool {
namespace {

/// "--out" of "--out=D", "-n" of "-n4" where -n is an option.
std::string name_in(std::string const& word) { return word.substr(0, word.starts_with("--") ? word.find('=') : 2); }

bool is_option(std::string const& word) { return word.size() > 1 && word.front() == '-'; }

/// Whether the value is part of the word itself.
bool has_value(std::string const& word) {
    return word.starts_with("--") ? word.find('=') != std::string::npos : word.size() > 2;
}

/// Nothing for "-quiet" where only "-q" is known: letters behind it are a value, and it takes none.
OptionForm const* form_of(std::string const& word, std::vector<OptionForm> const& forms) {
    OptionForm const* const form = find_option(forms, name_in(word));
    bool const joined_value = !word.starts_with("--") && word.size() > 2;
    return form != nullptr && joined_value && !form->takes_value ? nullptr : form;
}

std::vector<std::string> names_of(KnownOptions const& known) {
    std::vector<std::string> out;
    for (auto const* forms : {&known.own, &known.plan, &known.run})
        for (OptionForm const& form : *forms) out.insert(out.end(), form.names.begin(), form.names.end());
    return out;
}

UsageError unknown(std::string const& word, KnownOptions const& known) {
    std::string const mend = option_mend(name_in(word), names_of(known));
    return UsageError("run: expected options of einplan and einrun, found '" + word + "'; " +
                      (mend.empty() ? "" : mend + " ") + "Options of the launcher come behind --");
}

class Splitter {
public:
    Splitter(Words const& words, KnownOptions const& known) : words_(words), known_(known) {}

    SplitWords split() {
        for (; at_ < words_.size(); ++at_) {
            if (!behind_ && words_[at_] == "--")
                behind_ = true;
            else
                take();
        }
        return std::move(out_);
    }

private:
    void take() {
        std::string const& word = words_[at_];
        if (!is_option(word)) return (behind_ ? out_.launcher : out_.own).push_back(word);
        OptionForm const* const own = behind_ ? nullptr : form_of(word, known_.own);
        OptionForm const* const plan = behind_ || own ? nullptr : form_of(word, known_.plan);
        OptionForm const* const run = own ? nullptr : form_of(word, known_.run);
        OptionForm const* const form = own ? own : plan ? plan : run;
        if (form == nullptr && behind_) return out_.launcher.push_back(word);
        if (form == nullptr && !asks_for_help(word)) throw unknown(word, known_);
        Words taken{word};
        if (form != nullptr && form->takes_value && !has_value(word) && at_ + 1 < words_.size())
            taken.push_back(words_[++at_]);
        bool const counts = run && word == "--verify" && at_ + 1 < words_.size() && !words_[at_ + 1].empty() &&
                            words_[at_ + 1].find_first_not_of("0123456789") == std::string::npos;
        if (counts)
            throw UsageError("run: expected --verify alone, or with a number in one word, found '" + word + " " +
                             words_[at_ + 1] + "'; write --verify=" + words_[at_ + 1]);
        if (own || form == nullptr) append(out_.own, taken);
        if (plan) append(out_.plan, taken);
        if (plan && !run) out_.plan_only.push_back(name_in(word));
        if (run) append(out_.run, taken);
    }

    static bool asks_for_help(std::string const& word) { return word == "-h" || word == "--help"; }
    static void append(Words& to, Words const& words) { to.insert(to.end(), words.begin(), words.end()); }

    Words const& words_;
    KnownOptions const& known_;
    SplitWords out_;
    std::size_t at_ = 0;
    bool behind_ = false;
};

/// Whether `word` is one of the options, and how many words it and its value are.
std::size_t length_at(Words const& words, std::size_t at, std::vector<std::string> const& names) {
    for (std::string const& name : names) {
        if (words[at] == name) return std::min<std::size_t>(2, words.size() - at);
        bool const is_letter = name.size() == 2;  // "-oFILE"
        if (words[at].starts_with(is_letter ? name : name + "=")) return 1;
    }
    return 0;
}

}  // namespace

SplitWords split_words(Words const& words, KnownOptions const& known) { return Splitter(words, known).split(); }

std::string value_of(Words const& words, std::vector<std::string> const& names, std::string const& otherwise) {
    std::string out = otherwise;
    for (std::size_t at = 0; at < words.size(); ++at) {
        std::size_t const length = length_at(words, at, names);
        auto const equals = words[at].find('=');
        if (length == 2)
            out = words[++at];
        else if (length == 1)
            out = words[at].starts_with("--") ? words[at].substr(equals + 1) : words[at].substr(2);
    }
    return out;
}

Words without(Words const& words, std::vector<std::string> const& names) {
    Words out;
    for (std::size_t at = 0; at < words.size(); ++at) {
        std::size_t const length = length_at(words, at, names);
        if (length == 0)
            out.push_back(words[at]);
        else
            at += length - 1;
    }
    return out;
}

}  // namespace ein::apps::tool
