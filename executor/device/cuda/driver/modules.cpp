#include "executor/device/cuda/driver/modules.hpp"

#include <cstdlib>

#include "lib/base/error.hpp"

namespace ein::executor::cuda {
namespace {

/// A program of the run-time compiler.
class Compilation {
public:
    explicit Compilation(std::string const& text) {
        compiler().nvrtcCreateProgram(&program_, text.c_str(), "einloom.cu", 0, nullptr, nullptr);
    }
    ~Compilation() { compiler().nvrtcDestroyProgram.status(&program_); }
    Compilation(Compilation const&) = delete;

    /// @return the machine's code
    std::string run(std::string const& kernel, int architecture) {
        std::string const arch = "--gpu-architecture=sm_" + std::to_string(architecture);
        // Like all devices we do not contract a * b + c; -w: what is unused in the prelude is unused.
        char const* const options[] = {arch.c_str(), "--std=c++17", "--fmad=false", "-w"};
        nvrtcResult const result = compiler().nvrtcCompileProgram.status(program_, 4, options);
        if (result != NVRTC_SUCCESS)
            throw InternalError("kernel " + kernel + " does not compile for sm_" + std::to_string(architecture) + ": " +
                                text_of(result) + "\n" + log());
        std::size_t size = 0;
        compiler().nvrtcGetCUBINSize(program_, &size);
        std::string code(size, '\0');
        compiler().nvrtcGetCUBIN(program_, code.data());
        return code;
    }

private:
    std::string log() const {
        std::size_t size = 0;
        if (compiler().nvrtcGetProgramLogSize.status(program_, &size) != NVRTC_SUCCESS) return "";
        std::string text(size, '\0');
        compiler().nvrtcGetProgramLog.status(program_, text.data());
        constexpr std::size_t most = 4000;
        return printable(text.c_str()).substr(0, most);
    }

    nvrtcProgram program_ = nullptr;
};

/// "sm_90-13.0"
std::string kind_of_code(int architecture) {
    int major = 0, minor = 0;
    compiler().nvrtcVersion(&major, &minor);
    return "sm_" + std::to_string(architecture) + "-" + std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

Modules::Modules(Context const& context, int threads)
    : context_(context), cache_(CacheFolder(std::getenv)), most_threads_(static_cast<std::size_t>(threads)) {}

Modules::~Modules() {
    {
        MutexLock const lock(mutex_);
        closing_ = true;
        jobs_.clear();
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    context_.enter_quietly();
    for (CUmodule module : loaded_) driver().cuModuleUnload.status(module);
}

Code Modules::ask(Kernel const& kernel) {
    MutexLock const lock(mutex_);
    auto const [entry, fresh] = known_.try_emplace(kernel.name);
    if (!fresh) return entry->second;
    jobs_.emplace_back([this, kernel] { return make(kernel); });
    entry->second = jobs_.back().get_future().share();
    if (idle_ < jobs_.size() && threads_.size() < most_threads_) threads_.emplace_back([this] { serve(); });
    changed_.notify_one();
    return entry->second;
}

void Modules::finish() {
    std::vector<Code> all;
    {
        MutexLock const lock(mutex_);
        for (auto const& [name, code] : known_) all.push_back(code);
    }
    for (Code const& code : all) code.get();
}

void Modules::serve() {
    while (std::optional<Job> job = next_job()) (*job)();
}

std::optional<Modules::Job> Modules::next_job() {
    MutexLock const lock(mutex_);
    ++idle_;
    changed_.wait(lock, [&]() EIN_REQUIRES(mutex_) { return closing_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) return std::nullopt;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
}

CUfunction Modules::make(Kernel const& kernel) {
    context_.enter();
    std::string const text = prelude() + kernel.source, kind = kind_of_code(context_.gpu().architecture);
    std::optional<std::string> code = cache_.find(kind, text);
    CUmodule module = nullptr;
    if (!code || driver().cuModuleLoadData.status(&module, code->data()) != CUDA_SUCCESS) {
        code = Compilation(text).run(kernel.name, context_.gpu().architecture);
        driver().cuModuleLoadData(&module, code->data());
        cache_.keep(kind, text, *code);
    }
    {
        MutexLock const lock(mutex_);
        loaded_.push_back(module);
    }
    CUfunction function = nullptr;
    driver().cuModuleGetFunction(&function, module, kernel.name.c_str());
    return function;
}

}  // namespace ein::executor::cuda
