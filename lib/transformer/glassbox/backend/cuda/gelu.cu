#include <glassbox/backend/cuda/cuda_backend.h>
#include <glassbox/backend/cuda/gelu.h>
#include <glassbox/backend/cuda/map.h>

namespace glassbox {

namespace {

struct GeluErf {
    __device__ real operator()(real x) const { return gelu_erf(x); }
};
struct GeluTanh {
    __device__ real operator()(real x) const { return gelu_tanh(x); }
};
struct GeluErfBackward {
    __device__ real operator()(real x, real dy) const { return dy * gelu_erf_slope(x); }
};
struct GeluTanhBackward {
    __device__ real operator()(real x, real dy) const { return dy * gelu_tanh_slope(x); }
};

}  // namespace

void CudaBackend::gelu(const ConstView& x, Activation form, const View& y) {
    if (form == Activation::gelu) map({"gelu", x.shape}, GeluErf{}, y, x);
    else map({"gelu", x.shape}, GeluTanh{}, y, x);
}

void CudaBackend::gelu_backward(const ConstView& x, const ConstView& dy, Activation form, const View& dx) {
    if (form == Activation::gelu) map({"gelu", x.shape}, GeluErfBackward{}, dx, x, dy);
    else map({"gelu", x.shape}, GeluTanhBackward{}, dx, x, dy);
}

}  // namespace glassbox
