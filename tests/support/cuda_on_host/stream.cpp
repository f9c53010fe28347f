// Streams, events and graphs. Work in a stream runs as late as CUDA allows: when something waits for it. Code
// that reads too early, or lets two streams race, sees the old contents. CUDA_LAUNCH_BLOCKING=1 runs
// everything immediately.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "device.h"

using cuda_on_host::Work;
using Clock = std::chrono::steady_clock;

struct CUgraph_st {
    std::shared_ptr<std::vector<Work>> nodes = std::make_shared<std::vector<Work>>();
};
struct CUgraphExec_st {
    std::shared_ptr<const std::vector<Work>> nodes;
};

namespace {

// A capture: the work of all streams that take part, in sequence.
struct Capture {
    CUgraph_st* graph = nullptr;
    CUstream_st* origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread = std::this_thread::get_id();
    bool is_broken = false;
    std::vector<CUstream_st*> open;  // joined by an event and not waited for since
};

}  // namespace

struct CUstream_st {
    bool is_blocking = true;  // synchronises with the legacy stream
    int device = 0;
    std::deque<Work> work;
    unsigned long long put = 0, done = 0;
    std::shared_ptr<Capture> capture;
};

// A position in a stream.
struct CUevent_st {
    bool has_time = true;
    CUstream_st* stream = nullptr;  // null: never recorded, or its stream is destroyed and all is done
    unsigned long long position = 0;
    std::shared_ptr<Capture> capture;         // recorded in a capture
    std::shared_ptr<Clock::time_point> time;  // set when the stream reaches it
};

namespace cuda_on_host {
namespace {

constexpr std::size_t max_waiting = 256;  // work in a stream: beyond that it is run, to limit memory

CUstream_st legacy;
std::vector<CUstream_st*>& streams() {
    static auto* const instance = new std::vector<CUstream_st*>{&legacy};
    return *instance;
}
std::vector<CUevent_st*>& events() {
    static auto* const instance = new std::vector<CUevent_st*>;
    return *instance;
}

template <typename T>
bool contains(const std::vector<T*>& all, const T* one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}
template <typename T>
void remove(std::vector<T*>& all, const T* one) {
    all.erase(std::remove(all.begin(), all.end(), one), all.end());
}

// Null for an unknown stream.
CUstream_st* find(cudaStream_t stream) {
    if (!stream || stream == cudaStreamLegacy) return &legacy;
    if (stream == cudaStreamPerThread) {
        static thread_local CUstream_st* own = [] {
            streams().push_back(new CUstream_st);
            streams().back()->device = current_device();
            return streams().back();
        }();
        return own;
    }
    return contains(streams(), static_cast<const CUstream_st*>(stream)) ? stream : nullptr;
}

bool runs_at_once() {
    static const bool answer = [] {
        const char* text = std::getenv("CUDA_LAUNCH_BLOCKING");
        return text && std::strcmp(text, "1") == 0;
    }();
    return answer;
}

// Failing work leaves the device with a sticky error, and skips the work after it.
cudaError_t run_until(CUstream_st& stream, unsigned long long position) {
    while (stream.done < position) {
        const Work work = std::move(stream.work.front());
        stream.work.pop_front();
        ++stream.done;
        const cudaError_t error = fault() == cudaSuccess ? work() : cudaSuccess;
        if (error != cudaSuccess) set_fault(error);
    }
    return fault();
}
cudaError_t run_all(CUstream_st& stream) { return run_until(stream, stream.put); }

// Earlier work of both runs first.
void order_with_legacy(CUstream_st& stream) {
    if (&stream != &legacy) {
        if (stream.is_blocking) run_all(legacy);
        return;
    }
    for (CUstream_st* other : streams())
        if (other->is_blocking) run_all(*other);
}

// A stream in a capture has its own errors.
cudaError_t break_capture(Capture& capture, cudaError_t why) {
    capture.is_broken = true;
    return why;
}

cudaError_t put(CUstream_st& stream, Work work) {
    if (Capture* capture = stream.capture.get()) {
        if (capture->is_broken) return cudaErrorStreamCaptureInvalidated;
        capture->graph->nodes->push_back(std::move(work));
        return cudaSuccess;
    }
    if (&stream == &legacy)
        for (CUstream_st* other : streams())
            if (other->is_blocking && other->capture)
                return break_capture(*other->capture, cudaErrorStreamCaptureImplicit);
    order_with_legacy(stream);
    stream.work.push_back(std::move(work));
    ++stream.put;
    if (stream.work.size() > max_waiting || runs_at_once()) return run_all(stream);
    return cudaSuccess;
}

// Joins a stream to the capture in which an event was recorded.
cudaError_t join(CUstream_st& stream, const CUevent_st& event) {
    if (stream.capture && stream.capture != event.capture) return cudaErrorStreamCaptureMerge;
    Capture& capture = *event.capture;
    remove(capture.open, static_cast<const CUstream_st*>(event.stream));
    if (stream.capture) return cudaSuccess;
    stream.capture = event.capture;
    if (!contains(capture.open, &stream)) capture.open.push_back(&stream);
    return cudaSuccess;
}

CUevent_st* find(cudaEvent_t event) {
    return contains(events(), static_cast<const CUevent_st*>(event)) ? event : nullptr;
}

}  // namespace

cudaError_t enqueue(cudaStream_t stream, Work work) {
    CUstream_st* target = find(stream);
    return target ? put(*target, std::move(work)) : cudaErrorInvalidResourceHandle;
}

bool is_capturing(cudaStream_t stream) {
    const CUstream_st* target = find(stream);
    return target && target->capture;
}

bool is_of_current_device(cudaStream_t stream) {
    const CUstream_st* target = find(stream);
    return !target || target == &legacy || target->device == current_device();
}

cudaError_t finish(cudaStream_t stream) {
    CUstream_st* target = find(stream);
    if (!target) return cudaErrorInvalidResourceHandle;
    if (target->capture) return break_capture(*target->capture, cudaErrorStreamCaptureUnsupported);
    return run_all(*target);
}

cudaError_t finish_all() {
    for (CUstream_st* stream : streams()) run_all(*stream);
    return fault();
}

namespace {
thread_local cudaStreamCaptureMode mode_of_thread = cudaStreamCaptureModeGlobal;
}

cudaError_t check_no_capture(bool uses_legacy_stream) {
    for (CUstream_st* stream : streams()) {
        if (!stream->capture) continue;
        Capture& capture = *stream->capture;
        if (uses_legacy_stream && stream->is_blocking)
            return break_capture(capture, cudaErrorStreamCaptureImplicit);
        if (capture.mode == cudaStreamCaptureModeRelaxed || mode_of_thread == cudaStreamCaptureModeRelaxed)
            continue;
        const bool is_own = capture.thread == std::this_thread::get_id();
        if (is_own ||
            (capture.mode == cudaStreamCaptureModeGlobal && mode_of_thread == cudaStreamCaptureModeGlobal))
            return break_capture(capture, cudaErrorStreamCaptureUnsupported);
    }
    return cudaSuccess;
}

void reset_streams() {
    for (CUstream_st* stream : streams()) {
        stream->work.clear();
        stream->done = stream->put;
        stream->capture.reset();
    }
}

}  // namespace cuda_on_host

using namespace cuda_on_host;

// ---- streams

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    streams().push_back(new CUstream_st);
    streams().back()->is_blocking = !(flags & cudaStreamNonBlocking);
    streams().back()->device = current_device();
    *stream = streams().back();
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const Hold hold;
    CUstream_st* target = find(stream);
    if (!target || target == &legacy) return answer(cudaErrorInvalidResourceHandle);
    if (target->capture) break_capture(*target->capture, cudaErrorStreamCaptureInvalidated);
    run_all(*target);
    for (CUevent_st* event : events())
        if (event->stream == target) event->stream = nullptr;
    remove(streams(), static_cast<const CUstream_st*>(target));
    delete target;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    CUstream_st* target = find(stream);
    if (target == &legacy) {
        if (const cudaError_t error = check_no_capture(true); error != cudaSuccess) return answer(error);
        order_with_legacy(legacy);
    }
    return answer(finish(stream));
}

// Makes progress, as a polling caller would otherwise never see it done.
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    CUstream_st* target = find(stream);
    CUevent_st* mark = find(event);
    if (!target || !mark) return answer(cudaErrorInvalidResourceHandle);
    if (mark->capture) return answer(join(*target, *mark));
    if (target->capture) return answer(break_capture(*target->capture, cudaErrorStreamCaptureIsolation));
    if (!mark->stream || mark->stream == target) return cudaSuccess;
    CUstream_st* other = mark->stream;
    return answer(put(*target, [other, position = mark->position] {
        return contains(streams(), static_cast<const CUstream_st*>(other)) ? run_until(*other, position)
                                                                           : cudaSuccess;
    }));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    return answer(enqueue(stream, [=] {
        function(data);
        return cudaSuccess;
    }));
}

// ---- events

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    events().push_back(new CUevent_st);
    events().back()->has_time = !(flags & cudaEventDisableTiming);
    *event = events().back();
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const Hold hold;
    CUevent_st* mark = find(event);
    if (!mark) return answer(cudaErrorInvalidResourceHandle);
    remove(events(), static_cast<const CUevent_st*>(mark));
    delete mark;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    CUstream_st* target = find(stream);
    CUevent_st* mark = find(event);
    if (!target || !mark) return answer(cudaErrorInvalidResourceHandle);
    mark->stream = target;
    mark->capture = target->capture;
    if (mark->capture)
        return answer(mark->capture->is_broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    auto time = mark->time = std::make_shared<Clock::time_point>();
    const cudaError_t error = put(*target, [time] {
        *time = Clock::now();
        return cudaSuccess;
    });
    mark->position = target->put;
    return answer(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    CUevent_st* mark = find(event);
    if (!mark) return answer(cudaErrorInvalidResourceHandle);
    if (mark->capture) return answer(break_capture(*mark->capture, cudaErrorCapturedEvent));
    return answer(mark->stream ? run_until(*mark->stream, mark->position) : cudaSuccess);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    const CUevent_st *first = find(start), *second = find(end);
    for (const CUevent_st* mark : {first, second}) {
        if (!mark || !mark->has_time || !mark->time) return answer(cudaErrorInvalidResourceHandle);
        if (*mark->time == Clock::time_point()) return answer(cudaErrorNotReady);
    }
    *milliseconds = std::chrono::duration<float, std::milli>(*second->time - *first->time).count();
    return cudaSuccess;
}

// ---- graphs

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    CUstream_st* target = find(stream);
    if (!target) return answer(cudaErrorInvalidResourceHandle);
    if (target == &legacy) return answer(cudaErrorStreamCaptureUnsupported);
    if (target->capture) return answer(cudaErrorIllegalState);
    target->capture = std::make_shared<Capture>();
    target->capture->graph = new CUgraph_st;
    target->capture->origin = target;
    target->capture->mode = mode;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const Hold hold;
    *graph = nullptr;
    CUstream_st* target = find(stream);
    if (!target) return answer(cudaErrorInvalidResourceHandle);
    if (!target->capture) return answer(cudaErrorIllegalState);
    const std::shared_ptr<Capture> capture = target->capture;
    if (capture->origin != target) return answer(break_capture(*capture, cudaErrorStreamCaptureUnmatched));
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
        return answer(cudaErrorStreamCaptureWrongThread);
    for (CUstream_st* other : streams())
        if (other->capture == capture) other->capture.reset();
    cudaError_t error = cudaSuccess;
    if (capture->is_broken) error = cudaErrorStreamCaptureInvalidated;
    else if (!capture->open.empty()) error = cudaErrorStreamCaptureUnjoined;
    if (error != cudaSuccess) delete capture->graph;
    else *graph = capture->graph;
    return answer(error);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    const Hold hold;
    const CUstream_st* target = find(stream);
    if (!target) return answer(cudaErrorInvalidResourceHandle);
    *status = !target->capture             ? cudaStreamCaptureStatusNone
              : target->capture->is_broken ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    std::swap(*mode, mode_of_thread);
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (!graph || !exec) return answer(cudaErrorInvalidValue);
    *exec = new CUgraphExec_st{std::make_shared<const std::vector<Work>>(*graph->nodes)};
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    if (!graph) return answer(cudaErrorInvalidValue);
    if (nodes) return answer(cudaErrorNotSupported);
    *count = graph->nodes->size();
    return cudaSuccess;
}

// During capture its work becomes part of the captured graph.
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    const Hold hold;
    if (usable() != cudaSuccess) return answer(usable());
    if (!exec) return answer(cudaErrorInvalidValue);
    return answer(enqueue(stream, [nodes = exec->nodes] {
        for (const Work& work : *nodes)
            if (const cudaError_t error = work(); error != cudaSuccess) return error;
        return cudaSuccess;
    }));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
    return answer(exec ? usable() : cudaErrorInvalidValue);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return cudaSuccess;
}
