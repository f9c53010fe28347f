#pragma once
#include <glassbox/backend/backend.h>
#include <glassbox/backend/cuda/strided.h>

// One call of fused attention, as its kernels see it.
namespace glassbox {

// A matrix read row by row; rows and columns beyond it are read as 0.
struct Rows {
    const real* data;
    index_t rows, cols;
    index_t row, col;  // strides
    bool by_fours;     // columns 4 i … 4 i + 3 lie side by side, where one load takes them all
};

// The matrix of the first head of x.
Rows rows_of(const ConstView& x);

// Which keys are hidden from which queries of one head.
struct KeyMask {
    index_t length;
    bool causal;
    const real* visible;  // null: all are
    index_t row, key;     // strides of visible

    // Causal and length masks leave the first keys of a row to see: how many.
    __device__ index_t seen(index_t i) const { return causal && i < length ? i + 1 : length; }
    __device__ bool hides(index_t i, index_t j) const {
        return j >= seen(i) || (visible && visible[i * row + j * key] == 0);
    }
    // Whether no row up to the last one sees this key or one behind it.
    __device__ bool hides_all(index_t last_row, index_t first_key) const {
        return first_key >= seen(last_row);
    }
};

struct Head {
    Rows q, k, v, o, d_o;
    KeyMask mask;
};

struct AttentionTask {
    Strided<7> heads;  // where a head's part of q, k, v, o, d_o, lengths and visible begins
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
    // How many of the keys have a position below the length; NaN shows none.
    __device__ index_t keys_below(real length) const {
        if (!(length > 0)) return 0;
        return length >= static_cast<real>(n_k) ? n_k : static_cast<index_t>(ceil(length));
    }
};

// o and d_o may be without data where a kernel does not read them.
AttentionTask attention_task(const ConstView& q, const ConstView& k, const ConstView& v,
                             const AttentionParams& params, const ConstView& o, const ConstView& d_o);

}  // namespace glassbox
