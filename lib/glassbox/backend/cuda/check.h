#pragma once
#include <cuda_runtime.h>

#include <string>

#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// What an error message says of an op: its name and the shapes it was called with. Costs two words until
// something fails: keep it no longer than the shapes live.
//     check(cudaFunction(…), {"softmax", x.shape});
class Op {
  public:
    Op(const char* name) : name_(name) {}
    Op(const char* name, const Shape& a) : name_(name), shapes_{&a} {}
    Op(const char* name, const Shape& a, const Shape& b) : name_(name), shapes_{&a, &b} {}
    Op(const char* name, const Shape& a, const Shape& b, const Shape& c) : name_(name), shapes_{&a, &b, &c} {}

    // "matmul (3, 2) × (2, 4)"
    std::string str() const {
        std::string text = name_;
        for (const Shape* shape : shapes_)
            if (shape) text += (shape == shapes_[0] ? " " : " × ") + shape->str();
        return text;
    }

  private:
    const char* name_;
    const Shape* shapes_[3] = {nullptr, nullptr, nullptr};
};

// "softmax (3, 2) on cuda: out of memory". A kernel that goes wrong while it runs is noticed by a later
// call: start the program with CUDA_LAUNCH_BLOCKING=1 to have the right op named.
[[noreturn]] inline void fail_on_cuda(const Op& op, const char* reason) {
    throw Error(op.str() + " on cuda: " + reason);
}

inline void check(cudaError_t status, const Op& op) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());  // it has been told: the next op must not be blamed for it
    fail_on_cuda(op, cudaGetErrorString(status));
}

}  // namespace glassbox
