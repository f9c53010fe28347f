// Every allocation is one of the host, of exactly the requested size, so that a sanitizer detects
// out-of-bounds accesses.
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

#include "device.h"
#include "include/cuda_on_host/control.h"
#include "kernel.h"

namespace cuda_on_host {
namespace {

struct Allocation {
    std::size_t bytes;
    Place place;
};
std::map<const char*, Allocation>& allocations() {
    static auto* const instance = new std::map<const char*, Allocation>;
    return *instance;
}
std::size_t device_bytes = std::size_t{8} << 30, used_bytes = 0;

cudaError_t allocate(void** block, std::size_t bytes, Place place) {
    if (!block) return cudaErrorInvalidValue;
    *block = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (place == Place::device && bytes > device_bytes - used_bytes) return cudaErrorMemoryAllocation;
    constexpr std::size_t alignment = 256;
    if (posix_memalign(block, alignment, bytes) != 0) return cudaErrorMemoryAllocation;
    std::memset(*block, garbage, bytes);
    allocations()[static_cast<char*>(*block)] = {bytes, place};
    if (place == Place::device) used_bytes += bytes;
    return cudaSuccess;
}

cudaError_t release(void* block, Place place) {
    if (!block) return cudaSuccess;
    const auto found = allocations().find(static_cast<char*>(block));
    if (found == allocations().end() || found->second.place != place) return cudaErrorInvalidValue;
    if (place == Place::device) used_bytes -= found->second.bytes;
    std::memset(block, garbage, found->second.bytes);
    std::free(block);
    allocations().erase(found);
    return cudaSuccess;
}

bool is_from_host(cudaMemcpyKind kind) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
}
bool is_to_host(cudaMemcpyKind kind) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
}

bool is_in(const Where& where, bool on_host) {
    return where.fits && (where.place == Place::device) != on_host;
}

struct Copy {
    void* to;
    const void* from;
    std::size_t bytes;
    cudaMemcpyKind kind;

    cudaError_t check() const {
        const Where source = where(from, bytes), target = where(to, bytes);
        if (kind == cudaMemcpyDefault)
            return source.fits && target.fits ? cudaSuccess : cudaErrorInvalidValue;
        if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
        return is_in(source, is_from_host(kind)) && is_in(target, is_to_host(kind)) ? cudaSuccess
                                                                                    : cudaErrorInvalidValue;
    }
    cudaError_t run() const {
        std::memmove(to, from, bytes);
        return cudaSuccess;
    }
};

// Copies from unpinned host memory read immediately, copies to it complete before the call returns. A graph
// reads and writes when it is launched.
cudaError_t put_copy(const Copy& copy, cudaStream_t stream) {
    if (copy.bytes == 0) return cudaSuccess;
    if (const cudaError_t error = copy.check(); error != cudaSuccess) return error;
    if (!is_capturing(stream) && where(copy.from, copy.bytes).place == Place::host) {
        const auto* first = static_cast<const char*>(copy.from);
        std::vector<char> taken(first, first + copy.bytes);
        return enqueue(stream, [taken, copy] {
            std::memcpy(copy.to, taken.data(), taken.size());
            return cudaSuccess;
        });
    }
    const cudaError_t error = enqueue(stream, [copy] { return copy.run(); });
    if (error != cudaSuccess || is_capturing(stream)) return error;
    return where(copy.to, copy.bytes).place == Place::host ? finish(stream) : cudaSuccess;
}

cudaError_t put_fill(void* block, int value, std::size_t bytes, cudaStream_t stream) {
    if (bytes == 0) return cudaSuccess;
    if (!is_in(where(block, bytes), false)) return cudaErrorInvalidValue;
    return enqueue(stream, [=] {
        std::memset(block, value, bytes);
        return cudaSuccess;
    });
}

cudaError_t unusable(bool legacy) {
    if (usable() != cudaSuccess) return usable();
    return check_no_capture(legacy);
}

}  // namespace

Where where(const void* pointer, std::size_t bytes) {
    const char* address = static_cast<const char*>(pointer);
    auto next = allocations().upper_bound(address);
    if (next == allocations().begin()) return {Place::host, true};
    const auto& [start, block] = *std::prev(next);
    const std::size_t offset = static_cast<std::size_t>(address - start);
    if (offset > block.bytes || (offset == block.bytes && bytes > 0)) return {Place::host, true};
    return {block.place, bytes <= block.bytes - offset};
}

void reset_memory() {
    for (const auto& entry : allocations()) std::free(const_cast<char*>(entry.first));
    allocations().clear();
    used_bytes = 0;
}

void set_device_memory(std::size_t bytes) {
    const Hold hold;
    device_bytes = bytes < used_bytes ? used_bytes : bytes;
}

}  // namespace cuda_on_host

using namespace cuda_on_host;

cudaError_t cudaMalloc(void** block, std::size_t bytes) {
    const Hold hold;
    if (const cudaError_t error = unusable(false); error != cudaSuccess) return answer(error);
    return answer(allocate(block, bytes, Place::device));
}

cudaError_t cudaFree(void* block) {
    const Hold hold;
    if (const cudaError_t error = unusable(false); error != cudaSuccess) return answer(error);
    if (block)
        if (const cudaError_t error = finish_all(); error != cudaSuccess) return answer(error);
    return answer(release(block, Place::device));
}

// In stream order; not in a graph, as graph memory is not supported.
cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (is_capturing(stream)) return answer(cudaErrorNotSupported);
    return answer(allocate(block, bytes, Place::device));
}
cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (is_capturing(stream)) return answer(cudaErrorNotSupported);
    return answer(enqueue(stream, [block] { return release(block, Place::device); }));
}

cudaError_t cudaHostAlloc(void** block, std::size_t bytes, unsigned) {
    const Hold hold;
    if (const cudaError_t error = unusable(false); error != cudaSuccess) return answer(error);
    return answer(allocate(block, bytes, Place::pinned));
}
cudaError_t cudaMallocHost(void** block, std::size_t bytes) { return cudaHostAlloc(block, bytes, 0); }
cudaError_t cudaFreeHost(void* block) {
    const Hold hold;
    if (const cudaError_t error = unusable(false); error != cudaSuccess) return answer(error);
    if (const cudaError_t error = finish_all(); error != cudaSuccess) return answer(error);
    return answer(release(block, Place::pinned));
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    *total = device_bytes;
    *free = device_bytes - used_bytes;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    const Place place = where(pointer, 0).place;
    void* mutable_pointer = const_cast<void*>(pointer);
    attributes->type = place == Place::device   ? cudaMemoryTypeDevice
                       : place == Place::pinned ? cudaMemoryTypeHost
                                                : cudaMemoryTypeUnregistered;
    attributes->device = place == Place::host ? -1 : 0;
    attributes->devicePointer = place == Place::host ? nullptr : mutable_pointer;
    attributes->hostPointer = place == Place::device ? nullptr : mutable_pointer;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    const Hold hold;
    if (const cudaError_t error = unusable(true); error != cudaSuccess) return answer(error);
    if (const cudaError_t error = put_copy({to, from, bytes, kind}, nullptr); error != cudaSuccess)
        return answer(error);
    return answer(finish(nullptr));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    return answer(put_copy({to, from, bytes, kind}, stream));
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (width > to_pitch || width > from_pitch) return answer(cudaErrorInvalidValue);
    for (std::size_t row = 0; row < height; ++row) {
        const Copy copy = {static_cast<char*>(to) + row * to_pitch,
                           static_cast<const char*>(from) + row * from_pitch, width, kind};
        if (const cudaError_t error = put_copy(copy, stream); error != cudaSuccess) return answer(error);
    }
    return cudaSuccess;
}

cudaError_t cudaMemset(void* block, int value, std::size_t bytes) {
    const Hold hold;
    if (const cudaError_t error = unusable(true); error != cudaSuccess) return answer(error);
    return answer(put_fill(block, value, bytes, nullptr));
}
cudaError_t cudaMemsetAsync(void* block, int value, std::size_t bytes, cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    return answer(put_fill(block, value, bytes, stream));
}
