#include "device.h"

#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "include/cuda_on_host/control.h"
#include "kernel.h"

namespace cuda_on_host {
namespace {

cudaError_t the_fault = cudaSuccess;

// GLASSBOX_CUDA_ON_HOST_DEVICES sets the number of devices [default: 1]. They differ only by number: a
// process uses one of them.
int devices_built_in() {
    const char* text = std::getenv("GLASSBOX_CUDA_ON_HOST_DEVICES");
    return text ? std::atoi(text) : 1;
}

// As with CUDA: CUDA_VISIBLE_DEVICES lists the visible devices, up to the first invalid one.
std::vector<int>& visible_devices() {
    static std::vector<int> instance = [] {
        const int count = devices_built_in();
        std::vector<int> numbers;
        const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
        for (int i = 0; !text && i < count; ++i) numbers.push_back(i);
        while (text && *text) {
            char* end = nullptr;
            const long number = std::strtol(text, &end, 10);
            if (end == text || number < 0 || number >= count) break;
            numbers.push_back(static_cast<int>(number));
            text = *end == ',' ? end + 1 : "";
        }
        return numbers;
    }();
    return instance;
}
int device_count() { return static_cast<int>(visible_devices().size()); }
bool is_device(int device) { return device >= 0 && device < device_count(); }

thread_local int device_of_thread = 0;

std::unordered_map<const void*, int>& dynamic_limits() {
    static std::unordered_map<const void*, int> instance;
    return instance;
}
std::size_t dynamic_limit(const void* function) {
    const auto found = dynamic_limits().find(function);
    return found == dynamic_limits().end() ? max_shared_by_default : static_cast<std::size_t>(found->second);
}

bool is_size(const dim3& size, unsigned x, unsigned y, unsigned z) {
    return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= x && size.y <= y && size.z <= z;
}

cudaError_t check_launch(const Kernel& kernel) {
    if (!kernel.function) return cudaErrorInvalidDeviceFunction;
    if (!is_size(kernel.grid, 0x7fffffff, 65535, 65535)) return cudaErrorInvalidConfiguration;
    if (!is_size(kernel.block, 1024, 1024, 64)) return cudaErrorInvalidConfiguration;
    if (kernel.block.x * kernel.block.y * kernel.block.z > 1024) return cudaErrorInvalidConfiguration;
    if (kernel.shared > dynamic_limit(kernel.function)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

// A pointer argument must point to memory that a GPU can read, or be null.
bool is_readable(const void* pointer) { return !pointer || where(pointer, 0).place != Place::host; }

}  // namespace

std::recursive_mutex& Hold::mutex() {
    static std::recursive_mutex* const instance =
        new std::recursive_mutex;  // never destroyed, so that calls at exit are safe
    return *instance;
}

void set_devices(int count) {
    const Hold hold;
    visible_devices().clear();
    for (int i = 0; i < count; ++i) visible_devices().push_back(i);
}
int current_device() { return device_of_thread; }

cudaError_t fault() { return the_fault; }
void set_fault(cudaError_t error) { the_fault = error; }
cudaError_t usable() { return device_count() == 0 ? cudaErrorNoDevice : the_fault; }

cudaError_t launch(Kernel kernel, const void* const* pointers, int pointer_count,
                   const cudaLaunchConfig_t& config) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (config.numAttrs > 0) return answer(cudaErrorNotSupported);
    if (const cudaError_t error = check_launch(kernel); error != cudaSuccess) return answer(error);
    if (!is_of_current_device(config.stream)) return answer(cudaErrorInvalidResourceHandle);
    kernel.shared_limit =
        dynamic_limit(kernel.function) > max_shared_by_default ? max_shared : max_shared_by_default;
    int bad = -1;
    for (int i = 0; i < pointer_count && bad < 0; ++i)
        if (!is_readable(pointers[i])) bad = i;
    return answer(enqueue(config.stream, [kernel, bad] {
        if (bad < 0) return run(kernel);
        report_fault("kernel " + name_of(kernel.function) + ": argument " + std::to_string(bad) +
                     " points to memory of the host");
        return cudaErrorIllegalAddress;
    }));
}

}  // namespace cuda_on_host

using namespace cuda_on_host;

cudaError_t cudaGetDeviceCount(int* count) {
    *count = device_count();
    return answer(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}
cudaError_t cudaGetDevice(int* device) {
    *device = device_of_thread;
    return answer(usable());
}
// Per thread.
cudaError_t cudaSetDevice(int device) {
    if (!is_device(device)) return answer(cudaErrorInvalidDevice);
    device_of_thread = device;
    return answer(usable());
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = device_count() == 0 ? 0 : CUDART_VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (usable() != cudaSuccess) return answer(usable());
    if (!is_device(device)) return answer(cudaErrorInvalidDevice);
    *properties = {};
    std::strcpy(properties->name, "CUDA on the host");
    std::memcpy(properties->uuid.bytes, "cuda on the host", 16);
    properties->uuid.bytes[15] = static_cast<char>(visible_devices()[static_cast<std::size_t>(device)]);
    std::size_t free = 0;
    static_cast<void>(cudaMemGetInfo(&free, &properties->totalGlobalMem));
    properties->sharedMemPerBlock = max_shared_by_default;
    properties->sharedMemPerBlockOptin = max_shared;
    properties->sharedMemPerMultiprocessor = max_shared + 1024;
    properties->reservedSharedMemPerBlock = 1024;
    properties->totalConstMem = 64 << 10;
    properties->regsPerBlock = 64 << 10;
    properties->warpSize = 32;
    properties->maxThreadsPerBlock = 1024;
    const int threads[] = {1024, 1024, 64}, grid[] = {0x7fffffff, 65535, 65535};
    std::memcpy(properties->maxThreadsDim, threads, sizeof threads);
    std::memcpy(properties->maxGridSize, grid, sizeof grid);
    properties->maxThreadsPerMultiProcessor = threads_of_processor;
    properties->maxBlocksPerMultiProcessor = 32;
    properties->multiProcessorCount = processors;
    properties->major = 9;
    properties->l2CacheSize = 1 << 20;
    properties->concurrentKernels = properties->asyncEngineCount = properties->unifiedAddressing = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaDeviceProp properties;
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess)
        return error;
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock:
            *value = properties.maxThreadsPerBlock;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlock:
            *value = static_cast<int>(properties.sharedMemPerBlock);
            break;
        case cudaDevAttrWarpSize:
            *value = properties.warpSize;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = properties.multiProcessorCount;
            break;
        case cudaDevAttrL2CacheSize:
            *value = properties.l2CacheSize;
            break;
        case cudaDevAttrMaxThreadsPerMultiProcessor:
            *value = threads_of_processor;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = properties.major;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = properties.minor;
            break;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = static_cast<int>(properties.sharedMemPerBlockOptin);
            break;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (const cudaError_t error = check_no_capture(false); error != cudaSuccess) return answer(error);
    return answer(finish_all());
}

// Frees all memory, drops all work and clears the fault.
cudaError_t cudaDeviceReset() {
    const Hold hold;
    reset_streams();
    reset_memory();
    set_fault(cudaSuccess);
    static_cast<void>(cudaGetLastError());
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (!kernel) return answer(cudaErrorInvalidDeviceFunction);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || static_cast<std::size_t>(value) > max_shared) return answer(cudaErrorInvalidValue);
    dynamic_limits()[kernel] = value;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (!kernel) return answer(cudaErrorInvalidDeviceFunction);
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_limit(kernel));
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    return cudaSuccess;
}

// By threads and shared memory only, as the register count of kernels is unknown here.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* kernel, int threads,
                                                          std::size_t shared) {
    if (usable() != cudaSuccess) return answer(usable());
    if (!kernel) return answer(cudaErrorInvalidDeviceFunction);
    if (threads < 1 || threads > 1024) return answer(cudaErrorInvalidValue);
    const int by_threads = threads_of_processor / ((threads + 31) / 32 * 32);
    const int by_memory = static_cast<int>((max_shared + 1024) / (shared + 1024));
    *blocks = by_threads < by_memory ? by_threads : by_memory;
    if (*blocks > 32) *blocks = 32;
    return cudaSuccess;
}
