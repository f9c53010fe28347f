#pragma once
#include <cuda_runtime.h>

#include <string>

#include <glassbox/tensor/errors.h>
#include <glassbox/tensor/shape.h>

namespace glassbox {

// An op's name and argument shapes for error messages. Holds pointers to the shapes and must not outlive
// them.
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

// "softmax (3, 2) on cuda: out of memory". An error during a kernel's execution is reported by a later call:
// run with CUDA_LAUNCH_BLOCKING=1 to get the right op in the message.
[[noreturn]] inline void fail_on_cuda(const Op& op, const char* reason) {
    throw Error(op.str() + " on cuda: " + reason);
}

inline void check(cudaError_t status, const Op& op) {
    if (status == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());  // clears the error, so that it is not reported for the next op
    fail_on_cuda(op, cudaGetErrorString(status));
}

}  // namespace glassbox
