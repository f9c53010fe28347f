#include <glassbox/backend/cpu/cpu_backend.h>

namespace glassbox {

CpuBackend& cpu_backend() {
    static CpuBackend instance;
    return instance;
}

}  // namespace glassbox
