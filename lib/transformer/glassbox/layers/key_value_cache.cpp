#include <glassbox/layers/multi_head_attention.h>

#include <algorithm>

#include <glassbox/backend/backend.h>
#include <glassbox/observe/detail/listening.h>
#include <glassbox/observe/tape.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/tensor.h>
#include <glassbox/tensor/words.h>

namespace glassbox {

using namespace detail;

namespace {

// The positions [begin, begin + size) of (…, h, capacity, d_h), without an op.
Tensor positions(const Tensor& all, index_t begin, index_t size) {
    const std::size_t axis = static_cast<std::size_t>(all.rank() - 2);
    return all.alias(all.shape().with(-2, size), all.strides(), begin * all.strides()[axis]);
}

// Writes the rows after the first `length` positions, moving these to larger memory if there is no room.
void write_behind(Tensor& all, index_t length, const Tensor& rows) {
    const index_t needed = length + rows.size(-2);
    if (!all.defined() || needed > all.size(-2)) {
        const index_t capacity = std::max<index_t>(16, length == 0 ? needed : 2 * needed);
        Tensor larger = Tensor::empty(rows.shape().with(-2, capacity), rows.device());
        Tensor front = positions(larger, 0, length);
        if (length > 0) {
            const Tensor kept = positions(all, 0, length);
            backend(rows.device()).copy(kept.view(), mutable_view(front));
        }
        all = larger;
    }
    Tensor place = positions(all, length, rows.size(-2));
    backend(rows.device()).copy(rows.view(), mutable_view(place));
}

// (batch, …): entry i is what entry rows[i] was.
Tensor selected(const Tensor& all, const std::vector<index_t>& rows) {
    const index_t batch = all.size(0);
    const Tensor ids =
        Tensor({static_cast<index_t>(rows.size())}, std::vector<real>(rows.begin(), rows.end()))
            .to(all.device());
    const Tensor flat = embedding(reshape(all, {batch, all.numel() / batch}), ids);
    return reshape(flat, all.shape().with(0, static_cast<index_t>(rows.size())));
}

}  // namespace

Tensor KeyValueCache::kept(const Tensor& all) const {
    if (length_ == 0) fail("key_value_cache: nothing has been kept yet");
    return all.size(-2) == length_ ? all : slice(all, -2, 0, length_);
}

void KeyValueCache::check_layer(const Tensor& weights) {
    if (length_ > 0 && layer_ != 0 && layer_ != weights.id())
        fail(
            "key_value_cache: the {} positions kept here are another layer's, or were kept before this layer "
            "was given other weights: each layer needs its own cache, and a new one for other weights",
            length_);
    layer_ = weights.id();
}

void KeyValueCache::check_memory(const Tensor& memory) {
    if (length_ == 0) is_of_memory_ = memory.defined();
    if (is_of_memory_ && *is_of_memory_ != memory.defined())
        fail("key_value_cache: {} kept here, {}: self-attention and attention to a memory need a cache each",
             counted(length_, "position"), *is_of_memory_ ? "of a memory" : "of self-attention");
    if (length_ > 0 && is_of_memory_ && memory.defined()) {
        if (memory.size(-2) != length_)
            fail(
                "key_value_cache: the keys of a memory of {} positions are kept here, and this one has {}: "
                "another "
                "memory needs a new cache",
                length_, memory.size(-2));
        // The same numbers computed once more are the same memory.
        if (memory_.defined() && memory_.id() != memory.id() && memory_.values() != memory.values())
            fail(
                "key_value_cache: the keys kept here are those of a memory with other numbers: another "
                "memory needs a new cache");
    }
    memory_ = memory;
}

void KeyValueCache::append(const Tensor& K_new, const Tensor& V_new) {
    if (length_ > 0 && keys_.shape().with(-2, 0) != K_new.shape().with(-2, 0))
        fail("key_value_cache: keys of shape {} do not continue those of shape {}", K_new.shape(),
             K().shape());
    if (length_ > 0 && values_.shape().with(-2, 0) != V_new.shape().with(-2, 0))
        fail("key_value_cache: values of shape {} do not continue those of shape {}", V_new.shape(),
             V().shape());
    if (K_new.shape().with(-1, 0) != V_new.shape().with(-1, 0))
        fail("key_value_cache: needs a value for each key, got keys of shape {} and values of shape {}",
             K_new.shape(), V_new.shape());
    if (Trace::current() || Tape::current()) {
        keys_ = length_ > 0 ? concat({K(), K_new}, -2) : K_new;
        values_ = length_ > 0 ? concat({V(), V_new}, -2) : V_new;
    } else {
        write_behind(keys_, length_, K_new);
        write_behind(values_, length_, V_new);
    }
    length_ += K_new.size(-2);
}

void KeyValueCache::select_rows(const std::vector<index_t>& rows) {
    if (length_ == 0) return;
    if (keys_.rank() < 4) fail("key_value_cache: needs a batch axis, got keys of shape {}", K().shape());
    keys_ = selected(keys_, rows);
    values_ = selected(values_, rows);
    memory_ = {};
}

void StackCache::select_rows(const std::vector<index_t>& rows) {
    for (BlockCache& block : layers) {
        block.self_attn.select_rows(rows);
        block.cross_attn.select_rows(rows);
    }
}

}  // namespace glassbox
