#include <glassbox/random/qkv.h>

namespace glassbox {

Qkv draw_qkv(Stream& stream, const Shape& leading, index_t n_q, index_t n_k, index_t d_k, index_t d_v) {
    const Shape q = leading.with_appended(n_q).with_appended(d_k);
    const Shape k = leading.with_appended(n_k).with_appended(d_k);
    const Shape v = leading.with_appended(n_k).with_appended(d_v);
    if (q == k && k == v) {
        const std::vector<Tensor> drawn = stream.normals(q, 3);
        return {drawn[0], drawn[1], drawn[2]};
    }
    Tensor Q = stream.normal(q);
    Tensor K = stream.normal(k);
    Tensor V = stream.normal(v);
    return {Q, K, V};
}

}  // namespace glassbox
