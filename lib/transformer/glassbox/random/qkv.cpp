#include <glassbox/random/stream.h>

namespace glassbox {

Qkv draw_qkv(Stream& stream, const Shape& leading, index_t n_q, index_t n_k, index_t d_k, index_t d_v) {
    const std::vector<Tensor> drawn = stream.normals({leading.with_appended(n_q).with_appended(d_k),
                                                      leading.with_appended(n_k).with_appended(d_k),
                                                      leading.with_appended(n_k).with_appended(d_v)});
    return {drawn[0], drawn[1], drawn[2]};
}

}  // namespace glassbox
