#include "lib/graph/read/mend_data.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace ein::graph {
namespace {

/// A format that others read, and the array of a file in Python: FILE is the file, [NAME] the array's place inside.
struct Conversion {
    std::string_view names;  // keys and endings of files, with spaces around each
    std::string_view array;
    bool holds_names = false;    // one has to be given
    std::string_view dict = {};  // what to do with a file of a dict, where no name is given
};

constexpr std::array conversions{
    Conversion{" hdf5 hdf h5 he5 h5py ", "h5py.File(FILE)[NAME][:]", true},
    Conversion{" netcdf netcdf4 nc nc4 ", "xarray.open_dataset(FILE)[NAME].to_numpy()", true},
    Conversion{" mat matlab ", "scipy.io.loadmat(FILE)[NAME]", true},
    Conversion{" zarr ", "zarr.open(FILE)[NAME][:]"},
    Conversion{" parquet ", "pandas.read_parquet(FILE)[NAME].to_numpy()"},
    Conversion{" feather arrow ", "pandas.read_feather(FILE)[NAME].to_numpy()"},
    Conversion{" excel xlsx xls ", "pandas.read_excel(FILE)[NAME].to_numpy()"},
    Conversion{" csv ", "numpy.loadtxt(FILE, delimiter=\",\")"},
    Conversion{" tsv txt text dat ", "numpy.loadtxt(FILE)"},
    Conversion{" pickle pkl ", "numpy.asarray(pickle.load(open(FILE, \"rb\"))[NAME])"},
    Conversion{" json ", "numpy.asarray(json.load(open(FILE))[NAME])"},
    Conversion{" image png jpg jpeg tif tiff bmp ", "numpy.asarray(PIL.Image.open(FILE))"},
    Conversion{" pt pth torch pytorch ckpt ", "torch.load(FILE)[NAME].numpy()", false,
               " of one tensor; safetensors.torch.save_file(torch.load(FILE), \"A.safetensors\") of a dict of them, "
               "then {\"safetensors\": \"A.safetensors\", \"tensor\": NAME}"},
};

constexpr std::array keys_of_files{"file", "path", "filename", "source", "uri", "url"};
constexpr std::array keys_of_names{"dataset", "name",   "key",   "entry",  "variable", "var",
                                   "array",   "tensor", "field", "column", "group",    "sheet"};

std::string replaced(std::string text, std::string_view word, std::string const& by) {
    if (auto const at = text.find(word); at != std::string::npos) text.replace(at, word.size(), by);
    return text;
}

Conversion const* conversion_of(std::string const& name) {
    std::string const word = " " + name + " ";
    auto const found =
        std::ranges::find_if(conversions, [&](auto const& each) { return each.names.find(word) != word.npos; });
    return found == conversions.end() ? nullptr : &*found;
}

/// @param file  "" where none is known; @param name  of the array inside, "" likewise
std::string convert(Conversion const& how, std::string const& file, std::string const& name) {
    std::filesystem::path const path = file.empty() ? "A" : file;
    std::string const written = file.empty() ? "FILE" : Json(file).dump();
    std::string const to = Json(std::filesystem::path(path).replace_extension(".npy").string()).dump();
    std::string const inside = !name.empty() ? "[" + Json(name).dump() + "]" : how.holds_names ? "[NAME]" : "";
    std::string const array = replaced(replaced(std::string(how.array), "[NAME]", inside), "FILE", written);
    return "convert it: numpy.save(" + to + ", " + array + "), then {\"npy\": " + to + "}" +
           (name.empty() ? replaced(std::string(how.dict), "FILE", written) : "");
}

/// The first text under one of these keys, or "".
template <std::size_t N>
std::string text_under(Json const& object, std::array<char const*, N> const& keys) {
    for (char const* const key : keys)
        if (object.is_object() && object.contains(key) && object[key].is_string()) return object[key];
    return "";
}

/// Of a format by its key, whose value is the file, or says which one it is, as a key beside it may.
std::string mend_format(Json const& data, std::string const& key) {
    Conversion const* const how = conversion_of(key);
    if (how == nullptr) return "";
    Json const& value = data[key];
    std::string file = value.is_string() ? value.get<std::string>() : text_under(value, keys_of_files);
    if (file.empty()) file = text_under(data, keys_of_files);
    std::string const name = text_under(value, keys_of_names);
    return convert(*how, file, name.empty() ? text_under(data, keys_of_names) : name);
}

/// The letters behind the last dot of a file's name, or "".
std::string ending_of(std::string const& file) {
    std::string const ending = std::filesystem::path(file).extension().string();
    return ending.empty() ? "" : ending.substr(1);
}

/// Of a text, and of the name of the array in that file, or "".
std::string mend_file(std::string const& text, std::string const& name) {
    std::string const written = brief(Json(text)), ending = ending_of(text);
    std::string const inside = name.empty() ? "\"NAME\"" : Json(name).dump();
    if (ending == "npy" || ending == "mtx" || ending == "tns") return "write {\"" + ending + "\": " + written + "}";
    if (ending == "npz")
        return "write {\"npz\": " + written + ", \"entry\": " + inside + "}, or {\"scipy\": " + written +
               "} for a sparse matrix";
    if (ending == "safetensors") return "write {\"safetensors\": " + written + ", \"tensor\": " + inside + "}";
    if (ending == "bin" || ending == "raw") return "write {\"raw\": " + written + "}";
    if (text == "uniform" || text == "normal" || text == "random")
        return "write {\"random\": \"" + (text == "random" ? "uniform" : text) + "\", \"seed\": 1}";
    if (text == "zeros") return "write {\"fill\": 0}";
    if (text == "ones") return "write {\"fill\": 1}";
    if (Conversion const* const how = conversion_of(ending)) return convert(*how, text, name);
    return "write {\"npy\": FILE}, after numpy.save(FILE, array), or another kind of data";
}

/// What others call our kinds of data.
std::string mend_word(std::string const& written, Json const& value) {
    if (written == "zeros") return "write {\"fill\": 0}";
    if (written == "ones") return "write {\"fill\": 1}";
    if (written == "constant" || written == "full" || written == "value")
        return "write {\"fill\": " + brief(value) + "}";
    if (written == "normal" || written == "uniform" || written == "randn" || written == "rand")
        return "write {\"random\": \"" + std::string(written == "uniform" || written == "rand" ? "uniform" : "normal") +
               "\", \"seed\": 1}";
    if (written == "list" || written == "inline") return "write {\"values\": [...]}";
    if ((written == "array" || written == "tensor") && value.is_array()) return "write {\"values\": [...]}";
    if (written == "eye" || written == "identity" || written == "arange" || written == "linspace" || written == "range")
        return "write {\"fill\": 1}, and take its index in a node: \"join\": \"[i]\", or \"[i] == [j]\" for eye";
    if (written == "bin" || written == "binary") return "write {\"raw\": " + brief(value) + "}";
    return "";
}

}  // namespace

std::string mend_data(Json const& value) {
    if (value.is_number() || value.is_boolean()) return "write {\"fill\": " + brief(value) + "}";
    if (value.is_array()) return "write {\"values\": [...]}";
    if (!value.is_string()) return "write {\"npy\": \"A.npy\"}, or leave it out and give einrun --input";
    return mend_file(value, "");
}

std::string mend_tensor(Json const& value) {
    std::string const mend = mend_data(value), verb = "write ";
    bool const alone = mend.starts_with(verb + "{") && mend.find('}') + 1 == mend.size();
    if (!alone) return "write {\"data\": ...}, and for its data " + mend;
    bool const has_shape = std::ranges::any_of(std::array{"{\"npy\"", "{\"safetensors\"", "{\"mtx\""},
                                               [&](char const* kind) { return mend.starts_with(verb + kind); });
    std::string const shape = value.is_number() ? "\"shape\": [], " : has_shape ? "" : "\"shape\": [4, 3], ";
    return verb + "{" + shape + "\"data\": " + mend.substr(verb.size()) + "}";
}

std::string mend_kind_of_data(Json const& data) {
    for (auto const& [key, unused] : data.items())
        if (std::string mend = mend_format(data, key); !mend.empty()) return mend;
    for (auto const* const key : {"format", "type", "kind"})
        if (data.contains(key) && data[key].is_string() && conversion_of(data[key]) != nullptr)
            return convert(*conversion_of(data[key]), text_under(data, keys_of_files), text_under(data, keys_of_names));
    if (std::string const file = text_under(data, keys_of_files); !file.empty())
        return mend_file(file, text_under(data, keys_of_names));
    for (auto const& [key, value] : data.items())
        if (std::string mend = mend_word(key, value); !mend.empty()) return mend;
    return "";
}

}  // namespace ein::graph
