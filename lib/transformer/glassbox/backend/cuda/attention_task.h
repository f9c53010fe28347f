#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/strided.h>

// The arguments of fused attention in the form that its kernels take.
namespace glassbox {

// A matrix read by rows; elements out of range read as 0.
struct Rows {
    const real* data;
    index_t rows, cols;
    index_t row, col;  // strides
    bool by_fours;     // columns 4 i … 4 i + 3 are contiguous and aligned: one vector load reads them
};

// The matrix of the first head of x.
Rows rows_of(const ConstView& x);

// The keys hidden from each query of one head.
struct KeyMask {
    index_t length;
    bool causal;
    const real* visible;  // null: no visibility mask
    index_t row, key;     // strides of visible

    // The number of leading keys that the causal and length masks leave visible to row i.
    __device__ index_t seen(index_t i) const { return causal && i < length ? i + 1 : length; }
    __device__ bool hides(index_t i, index_t j) const {
        return j >= seen(i) || (visible && visible[i * row + j * key] == 0);
    }
    // Whether no row up to last_row sees first_key or any later key.
    __device__ bool hides_all(index_t last_row, index_t first_key) const {
        return first_key >= seen(last_row);
    }
};

struct Head {
    Rows q, k, v, o, d_o;
    KeyMask mask;
};

struct AttentionTask {
    Strided<7> heads;  // each head's offset in q, k, v, o, d_o, lengths and visible
    Head first;        // the first head; its mask's length is n_k
    const real* lengths;
    index_t head_count, n_q, n_k, d_k, d_v;
    real scale, fill;

    __device__ Head head(index_t n) const {
        const auto at = heads.at(n);
        Head head = first;
        head.q.data += at.of[0], head.k.data += at.of[1], head.v.data += at.of[2];
        head.o.data += at.of[3], head.d_o.data += at.of[4];
        if (lengths) head.mask.length = keys_below(lengths[at.of[5]]);
        if (head.mask.visible) head.mask.visible += at.of[6];
        return head;
    }

  private:
    // The number of keys with a position below the length; 0 for NaN.
    __device__ index_t keys_below(real length) const {
        if (!(length > 0)) return 0;
        return length >= static_cast<real>(n_k) ? n_k : static_cast<index_t>(ceil(length));
    }
};

// o and d_o may be without data for kernels that do not read them.
AttentionTask attention_task(const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionParams& params, const ConstView& o, const ConstView& d_o);

}  // namespace glassbox
