// Names as Python writes them behind the library that they come from. Example: without_modules("np.float32") is
// "float32", without_modules("torch.nn.functional.relu") is "relu", and "layer.w" stays as it is.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ein {

inline constexpr std::array<std::string_view, 17> module_names{
    "np",      "numpy", "jnp",        "jax", "torch", "tf",   "math",   "cmath",    "scipy",
    "special", "nn",    "functional", "F",   "cp",    "cupy", "linalg", "ml_dtypes"};

inline bool is_module(std::string_view name) {
    return std::find(module_names.begin(), module_names.end(), name) != module_names.end();
}

inline std::string_view without_modules(std::string_view name) {
    for (std::size_t dot; (dot = name.find('.')) != std::string_view::npos; name.remove_prefix(dot + 1))
        if (!is_module(name.substr(0, dot))) break;
    return name;
}

}  // namespace ein
