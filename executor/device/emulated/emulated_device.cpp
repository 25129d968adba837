#include "executor/device/emulated/emulated_device.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "executor/device/host_kernel.hpp"
#include "executor/device/index_error.hpp"

namespace ein::executor {

namespace {

constexpr std::size_t page = 4096;
constexpr std::int64_t most_poisoned = std::int64_t{64} << 20;

/// What was never written is no number.
std::byte* fresh(std::int64_t bytes) {
    std::size_t const size = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
    auto* const memory = static_cast<std::byte*>(std::aligned_alloc(page, std::max(size, page)));
    if (memory == nullptr) throw MemoryError("the emulated device: no memory for " + std::to_string(bytes) + " bytes");
    std::memset(memory, 0xff, static_cast<std::size_t>(std::min(bytes, most_poisoned)));
    return memory;
}

class EmulatedKernel final : public PreparedKernel {
public:
    EmulatedKernel(EmulatedDevice& device, std::unique_ptr<PreparedKernel const> kernel, KernelShape const& shape)
        : device_(device), kernel_(std::move(kernel)), shape_(shape), element_bytes_(size_of(shape.output_dtype)) {}

    void launch(KernelCall const& call, WorkerTeam&) const override {
        for (void const* operand : call.operands) device_.check_is_device(operand);
        device_.check_is_device(call.output);
        std::vector<void const*> operands(call.operands.begin(), call.operands.end());
        std::vector<Extent> begin(call.begin.begin(), call.begin.end());
        device_.launch([this, operands = std::move(operands), begin = std::move(begin), made = call]() mutable {
            SoloWorkerTeam solo;
            made.operands = operands;
            made.begin = begin;
            try {
                kernel_->launch(made, solo);
            } catch (scalar::PositionError const& error) {
                throw IndexError(met(made, error));
            }
            device_.spoil(made.output, element_bytes_);
        });
    }

private:
    /// What a GPU's kernel writes down: here found by looking through the operands, which are still there.
    IndexError::Met met(KernelCall const& call, scalar::PositionError const& error) const {
        if (auto const found = find_wrong_index(shape_, call, error))
            return {found->index, error.extent(), call.task, found->operand, found->offset};
        return {error.index(), error.extent(), call.task};
    }

    EmulatedDevice& device_;
    std::unique_ptr<PreparedKernel const> kernel_;
    KernelShape shape_;
    std::size_t element_bytes_;
};

}  // namespace

EmulatedFaults emulated_faults_from_text(std::string_view text) {
    EmulatedFaults faults;
    std::int64_t delay = 0, seed = 1;
    std::map<std::string_view, std::int64_t*> const known{
        {"allocate", &faults.allocate}, {"copy", &faults.copy}, {"kernel", &faults.kernel},
        {"lost", &faults.lost},         {"late", &faults.late}, {"wrong", &faults.wrong},
        {"host", &faults.host},         {"delay", &delay},      {"seed", &seed}};
    while (!text.empty()) {
        std::string_view const entry = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), entry.size() + 1));
        std::size_t const equals = entry.find('=');
        auto const name = known.find(entry.substr(0, equals));
        std::string_view const number = equals == entry.npos ? "" : entry.substr(equals + 1);
        std::int64_t value = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
        if (name == known.end() || error != std::errc() || end != number.data() + number.size() || value < 0 ||
            value > 1'000'000'000)
            throw UsageError(
                "--device emulated: expected allocate=N, copy=N, kernel=N, lost=N, wrong=N, late=1, host=N, "
                "delay=MICROSECONDS "
                "or seed=N, found "
                "'" +
                std::string(entry) + "'; correct the option");
        *name->second = value;
    }
    faults.delay = static_cast<int>(delay);
    faults.seed = static_cast<unsigned>(seed);
    return faults;
}

EmulatedDevice::EmulatedDevice(EmulatedFaults faults) : faults_(faults) {
    unsigned seed = faults.seed;
    for (Stream const stream : {Stream::compute, Stream::in, Stream::out}) {
        Server& server = servers_[static_cast<std::size_t>(stream)];
        server.random.seed(seed++);
        server.thread = std::thread([this, stream] { serve(stream); });
    }
}

EmulatedDevice::~EmulatedDevice() {
    {
        MutexLock const lock(mutex_);
        closing_ = true;
    }
    for (Server& server : servers_) {
        server.asked_for.notify_one();
        server.thread.join();
    }
    for (auto const& [memory, bytes] : host_memory_) std::free(const_cast<std::byte*>(memory));
    std::free(memory_);
}

std::unique_ptr<PreparedKernel const> EmulatedDevice::prepare(KernelShape const& shape, scalar::Params const& params) {
    auto kernel = cpu_.prepare(shape, params);
    if (shape.sparse) return std::make_unique<HostKernel>(std::move(kernel));  // as the GPU does
    if (faults_.host > 0 && ++prepared_ % faults_.host == 0) return std::make_unique<HostKernel>(std::move(kernel));
    return std::make_unique<EmulatedKernel>(*this, std::move(kernel), shape);
}

void EmulatedDevice::copy(CopyCall const& call, WorkerTeam&) { move(call, &CpuDevice::copy); }

void EmulatedDevice::reshape(ReshapeCall const& call, WorkerTeam&) { move(call, &CpuDevice::reshape); }

template <class Call>
void EmulatedDevice::move(Call const& call, void (CpuDevice::*how)(Call const&, WorkerTeam&)) {
    check_is_device(call.from);
    check_is_device(call.to);
    launch([this, call, how] {
        SoloWorkerTeam solo;
        (cpu_.*how)(call, solo);
    });
}

void EmulatedDevice::fill(void* to, Extent elements, DType dtype, scalar::Scalar value, WorkerTeam&) {
    check_is_device(to);
    launch([=, this] {
        SoloWorkerTeam solo;
        cpu_.fill(to, elements, dtype, value, solo);
    });
}

std::int64_t EmulatedDevice::free_memory() const {
    return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 4;
}

/// Under the lock. @throws MemoryError where it is to fail
void EmulatedDevice::count_allocation() {
    if (++allocations_ == faults_.allocate)
        throw MemoryError("the emulated device: allocation " + std::to_string(allocations_) +
                          " failed, as it was told to");
}

std::byte* EmulatedDevice::reserve(std::int64_t bytes) {
    MutexLock const lock(mutex_);
    promise(memory_ == nullptr, "the emulated device's memory is reserved twice");
    count_allocation();
    memory_ = fresh(bytes);
    bytes_ = bytes;
    context_.own(memory_, bytes_);
    return memory_;
}

std::byte* EmulatedDevice::allocate_host(std::int64_t bytes) {
    MutexLock const lock(mutex_);
    count_allocation();
    if (faults_.late != 0 && launches_ > 0)
        throw MemoryError("the emulated device: expected host memory to be asked for before the first kernel, found " +
                          std::to_string(bytes) + " bytes asked for later");
    std::byte* const memory = fresh(bytes);
    host_memory_[memory] = bytes;
    return memory;
}

void EmulatedDevice::free_host(std::byte* memory, std::int64_t) noexcept {
    MutexLock const lock(mutex_);
    host_memory_.erase(memory);
    std::free(memory);
}

void EmulatedDevice::check_is_device(void const* pointer) const {
    auto const* const at = static_cast<std::byte const*>(pointer);
    promise(at >= memory_ && at <= memory_ + bytes_, "a kernel is given memory that is not the device's");
}

void EmulatedDevice::check_is_host(std::byte const* pointer, std::int64_t bytes) {
    MutexLock const lock(mutex_);
    auto const after = host_memory_.upper_bound(pointer);
    promise(after != host_memory_.begin(), "a copy is given host memory that is not the device's to copy");
    auto const& [begin, size] = *std::prev(after);
    promise(pointer + bytes <= begin + size, "a copy is given host memory that is not the device's to copy");
}

void EmulatedDevice::fail_if(std::int64_t at, std::int64_t count, char const* what) {
    if (count == at)
        throw RunError("the emulated device: " + std::string(what) + " " + std::to_string(count) +
                       " failed, as it was told to");
}

void EmulatedDevice::launch(std::function<void()> kernel) {
    ++launches_;
    ask(Stream::compute, {[this, kernel = std::move(kernel)] {
            begin_next(Kind::kernel);
            kernel();
        }});
}

void EmulatedDevice::spoil(void* element, std::size_t bytes) {
    {
        MutexLock const lock(mutex_);
        if (kernels_ != faults_.wrong) return;
    }
    static_cast<std::byte*>(element)[bytes - 1] ^= std::byte{0x40};  // of a number, the highest bit of its exponent
}

void EmulatedDevice::copy_in(std::byte* device, std::byte const* host, std::int64_t bytes) {
    check_is_device(device);
    check_is_host(host, bytes);
    copy_on(Stream::in, device, host, bytes);
}

void EmulatedDevice::copy_out(std::byte* host, std::byte const* device, std::int64_t bytes) {
    check_is_device(device);
    check_is_host(host, bytes);
    copy_on(Stream::out, host, device, bytes);
}

void EmulatedDevice::copy_on(Stream stream, std::byte* to, std::byte const* from, std::int64_t bytes) {
    ask(stream, {[=, this] {
            begin_next(Kind::copy);
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
        }});
}

/// The next of its kind. @throws RunError where it is to fail
void EmulatedDevice::begin_next(Kind kind) {
    std::int64_t number = 0, all = 0;
    {
        MutexLock const lock(mutex_);
        number = kind == Kind::copy ? ++copies_ : ++kernels_;
        all = kernels_ + copies_;
    }
    if (kind == Kind::copy) fail_if(faults_.copy, number, "copy");
    if (kind == Kind::kernel) fail_if(faults_.kernel, number, "kernel");
    fail_if(faults_.lost, all, "the device was lost: operation");
}

Accelerator::Mark EmulatedDevice::mark(Stream stream) {
    MutexLock const lock(mutex_);
    throw_failure();
    return lane(stream).asked;
}

void EmulatedDevice::wait(Stream waits, Stream of, Mark mark) { ask(waits, {{}, of, mark}); }

bool EmulatedDevice::passed(Stream of, Mark mark) {
    MutexLock const lock(mutex_);
    throw_failure();
    return lane(of).done >= mark;
}

void EmulatedDevice::sync(Stream of, Mark mark) {
    MutexLock const lock(mutex_);
    while (lane(of).done < mark) wait_for_progress(lock);
    throw_failure();
}

void EmulatedDevice::drain() noexcept {
    MutexLock const lock(mutex_);
    while (!is_idle()) wait_for_progress(lock);
}

bool EmulatedDevice::is_idle() const {
    return std::all_of(std::begin(lanes_), std::end(lanes_), [](Lane const& each) { return each.done == each.asked; });
}

void EmulatedDevice::throw_failure() {
    if (failure_) std::rethrow_exception(failure_);
}

void EmulatedDevice::ask(Stream stream, Job job) {
    {
        MutexLock const lock(mutex_);
        throw_failure();
        ++lane(stream).asked;
        lane(stream).jobs.push_back(std::move(job));
    }
    servers_[static_cast<std::size_t>(stream)].asked_for.notify_one();
}

void EmulatedDevice::wait_for_progress(MutexLock const& lock) {
    ++waiting_;
    progress_.wait(lock);
    --waiting_;
}

/// A lane's thread. After a failure nothing more is done, and everything counts as done, so that nobody waits.
void EmulatedDevice::serve(Stream stream) {
    Server& server = servers_[static_cast<std::size_t>(stream)];
    while (std::optional<Job> const job = next_job(stream)) finish_job(stream, do_job(server, *job));
}

std::optional<EmulatedDevice::Job> EmulatedDevice::next_job(Stream stream) {
    MutexLock const lock(mutex_);
    while (!closing_ && lane(stream).jobs.empty()) servers_[static_cast<std::size_t>(stream)].asked_for.wait(lock);
    if (lane(stream).jobs.empty()) return std::nullopt;
    Job job = std::move(lane(stream).jobs.front());
    lane(stream).jobs.pop_front();
    while (!job.work && !failure_ && lane(job.after).done < job.mark) wait_for_progress(lock);
    if (failure_) job.work = nullptr;
    return job;
}

std::exception_ptr EmulatedDevice::do_job(Server& server, Job const& job) {
    if (!job.work) return nullptr;
    try {
        if (faults_.delay > 0)
            std::this_thread::sleep_for(std::chrono::microseconds(
                static_cast<int>(server.random() % static_cast<unsigned>(faults_.delay + 1))));
        job.work();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

void EmulatedDevice::finish_job(Stream stream, std::exception_ptr failure) {
    MutexLock const lock(mutex_);
    if (!failure_) failure_ = failure;
    ++lane(stream).done;
    if (waiting_ > 0) progress_.notify_all();
}

}  // namespace ein::executor
