#include "executor/device/cuda/driver/modules.hpp"

#include <cstdlib>

#include "executor/device/cuda/driver/compiler.hpp"
#include "lib/base/error.hpp"

namespace ein::executor::cuda {

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
    Compiler const& with = compiler(context_.gpu().architecture);
    std::string const text = prelude() + kernel.source, kind = with.kind();
    std::string const key = Compiler::options() + "\n" + text;
    std::optional<std::string> code = cache_.find(kind, key);
    CUmodule module = nullptr;
    if (!code || driver().cuModuleLoadData.status(&module, code->data()) != CUDA_SUCCESS) {
        code = with.compile(text, kernel.name);
        driver().cuModuleLoadData(&module, code->data());
        cache_.keep(kind, key, *code);
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
