#include <glassbox/layers/multi_head_attention.h>

#include <glassbox/observe/trace.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {

namespace step = steps::multi_head_attention;

namespace {

// (…, T, h, d_h) as (…, T, h·d_h)
Tensor joined(const Tensor& heads) {
    const Shape front = heads.shape().leading(heads.rank() - 2);
    return reshape(heads, front.with_appended(heads.size(-2) * heads.size(-1)));
}

}  // namespace

// MultiHead(x) = Concat(head_1, …, head_h) W_O,  head_i = Attention(x W_Q,i, x W_K,i, x W_V,i)
//
// A single head computes one weighted average per position. With h heads there are h of them, each in a space
// of d_h = d_model / h features, for the cost of one head of full width. One product with the stacked weights
// gives the queries, keys and values of all heads; each head is a view of it.
Tensor MultiHeadAttention::operator()(const Tensor& x, const Mask& mask, KeyValueCache* cache) const {
    check_lengths(x, mask);
    if (cache) cache->check_layer(qkv_proj.weight);
    const index_t first = cache ? cache->length() : 0;                       // the position of x's first row
    const auto [Q, K, V] = project(x, cache);                                // (…, h, T, d_h) each
    Tensor values = attend(Q, K, V, mask.from(first), {config_.mask_fill});  // (…, h, T, d_h)
    return combine(values);                                                  // (…, T, d_model)
}

// Encoder–decoder attention: queries come from x, keys and values from another sequence.
Tensor MultiHeadAttention::operator()(const Tensor& x, const Tensor& memory, const Mask& mask,
                                      KeyValueCache* cache) const {
    check_lengths(x, mask);
    if (cache) cache->check_layer(qkv_proj.weight);
    const auto [Q, K, V] = project(x, memory, cache);            // (…, h, T, d_h), (…, h, n_k, d_h)
    Tensor values = attend(Q, K, V, mask, {config_.mask_fill});  // (…, h, T, d_h)
    return combine(values);                                      // (…, T, d_model)
}

MultiHeadResult MultiHeadAttention::with_maps(const Tensor& x, const Mask& mask) const {
    check_lengths(x, mask);
    const auto [Q, K, V] = project(x);
    const auto [values, attention] = scaled_dot_product(Q, K, V, mask, {config_.mask_fill});
    return {combine(values), attention};
}

MultiHeadAttention::Heads MultiHeadAttention::project(const Tensor& input, KeyValueCache* cache) const {
    check_sequence("x", input);
    if (cache) cache->check_memory({});
    Tensor x = named_x(input);                   // (…, T, d_in)
    Tensor qkv = named(step::qkv, qkv_proj(x));  // (…, T, 3·d_model)
    const std::vector<Tensor> parts = heads_of(qkv, 3);
    return cache ? extended(parts[0], parts[1], parts[2], *cache) : named_heads(parts[0], parts[1], parts[2]);
}

// K = K_cache ‖ K_new,  V = V_cache ‖ V_new: nothing that earlier positions have given is computed again.
MultiHeadAttention::Heads MultiHeadAttention::extended(const Tensor& queries, const Tensor& keys,
                                                       const Tensor& values, KeyValueCache& cache) {
    if (cache.length() == 0) {
        const Heads first = named_heads(queries, keys, values);
        cache.append(first.K, first.V);
        return first;
    }
    Tensor Q = named(step::Q, queries);                // (…, h, T, d_h)
    Tensor K_cache = named(step::K_cache, cache.K());  // (…, h, t, d_h)
    Tensor V_cache = named(step::V_cache, cache.V());  // (…, h, t, d_h)
    Tensor K_new = named(step::K_new, keys);           // (…, h, T, d_h)
    Tensor V_new = named(step::V_new, values);         // (…, h, T, d_h)
    cache.append(K_new, V_new);
    Tensor K = named(step::K_grown, cache.K());  // (…, h, t + T, d_h)
    Tensor V = named(step::V_grown, cache.V());  // (…, h, t + T, d_h)
    return {Q, K, V};
}

MultiHeadAttention::Heads MultiHeadAttention::project(const Tensor& input, const Tensor& other,
                                                      KeyValueCache* cache) const {
    check_sequence("x", input), check_sequence("memory", other);
    if (cache) cache->check_memory(other);
    if (cache && cache->length() > 0) return project_queries(input, *cache);
    Tensor x = named_x(input);                           // (…, T, d_in)
    Tensor memory = named(step::memory, other);          // (…, n_k, d_in)
    Tensor q = named(step::q, rows_of(0, 1)(x));         // (…, T, d_model)
    Tensor kv = named(step::kv, rows_of(1, 3)(memory));  // (…, n_k, 2·d_model)
    const std::vector<Tensor> parts = heads_of(kv, 2);
    const Heads heads = named_heads(heads_of(q, 1)[0], parts[0], parts[1]);
    if (cache) cache->append(heads.K, heads.V);
    return heads;
}

// The memory's keys and values do not depend on x: after the first step only the queries are new.
MultiHeadAttention::Heads MultiHeadAttention::project_queries(const Tensor& input,
                                                              const KeyValueCache& cache) const {
    Tensor x = named_x(input);                     // (…, T, d_in)
    Tensor q = named(step::q, rows_of(0, 1)(x));   // (…, T, d_model)
    Tensor Q = named(step::Q, heads_of(q, 1)[0]);  // (…, h, T, d_h)
    Tensor K = named(step::K_kept, cache.K());     // (…, h, n_k, d_h)
    Tensor V = named(step::V_kept, cache.V());     // (…, h, n_k, d_h)
    return {Q, K, V};
}

// x says how its features become heads: no operation of the layer does.
Tensor MultiHeadAttention::named_x(const Tensor& input) const {
    return named(step::x, input,
                 {{"heads", config_.heads}, {"per_head", config_.qkv_layout == QkvLayout::per_head}});
}

MultiHeadAttention::Heads MultiHeadAttention::named_heads(const Tensor& queries, const Tensor& keys,
                                                          const Tensor& values) {
    Tensor Q = named(step::Q, queries);  // (…, h, T, d_h)
    Tensor K = named(step::K, keys);     // (…, h, n_k, d_h)
    Tensor V = named(step::V, values);   // (…, h, n_k, d_h)
    return {Q, K, V};
}

// Concat(head_1, …, head_h) W_O: the heads' outputs side by side, mixed by one more linear layer.
Tensor MultiHeadAttention::combine(const Tensor& values) const {
    Tensor by_position = swap_axes(values, -3, -2);  // (…, T, h, d_h)
    Tensor concat = named(step::concat, joined(by_position));
    return named(step::output, o_proj(concat));  // (…, T, d_model)
}

// The parts of [q, k, v] as heads: (…, n, parts·d_model) → parts of (…, h, n, d_h), all of them views.
std::vector<Tensor> MultiHeadAttention::heads_of(const Tensor& y, index_t parts) const {
    const index_t h = config_.heads, d_h = config_.d_model / h;
    const Shape front = y.shape().leading(y.rank() - 1);
    const bool per_head = config_.qkv_layout == QkvLayout::per_head;  // [q‖k‖v] of each head, or of all
    const Shape split = per_head ? front.with_appended(h).with_appended(parts).with_appended(d_h)
                                 : front.with_appended(parts).with_appended(h).with_appended(d_h);
    std::vector<Tensor> heads;
    for (const Tensor& part : unbind(reshape(y, split), per_head ? -2 : -3))  // (…, n, h, d_h)
        heads.push_back(swap_axes(part, -3, -2));
    return heads;
}

// The rows of the stacked projection for the parts [begin, end) of [q, k, v], in the same layout.
Linear MultiHeadAttention::rows_of(index_t begin, index_t end) const {
    const index_t h = config_.heads, d_h = config_.d_model / h, parts = end - begin;
    const int axis = config_.qkv_layout == QkvLayout::per_head ? 1 : 0;
    const auto rows = [&](const Tensor& stacked) {
        const index_t width = stacked.numel() / (3 * config_.d_model);  // d_in, or 1 for the bias
        const Shape split = axis == 1 ? Shape{h, 3, d_h * width} : Shape{3, h * d_h * width};
        const Tensor selected = slice(reshape(stacked, split), axis, begin, end);
        return reshape(selected, stacked.shape().with(0, parts * config_.d_model));
    };
    return {rows(qkv_proj.weight), qkv_proj.bias.defined() ? rows(qkv_proj.bias) : Tensor()};
}

void MultiHeadAttention::check_sequence(const char* name, const Tensor& x) const {
    const index_t d_in = qkv_proj.weight.size(1);
    if (x.rank() < 2 || x.size(-1) != d_in)
        fail("multi_head_attention: needs {} of shape (…, n, {}), got {}", name, d_in, x.shape());
}

// Without a batch axis in x the first axis of the scores is the head axis, to which the lengths of a batch
// must not be applied.
void MultiHeadAttention::check_lengths(const Tensor& x, const Mask& mask) const {
    if (x.rank() == 2 && mask.has_lengths() && mask.lengths().numel() > 1)
        fail("multi_head_attention: {} lengths for one sequence, x of shape {}", mask.lengths().numel(),
             x.shape());
}

namespace {

const MultiHeadConfig& checked(const MultiHeadConfig& config) {
    if (config.heads < 1) fail("multi_head_attention: needs at least 1 head, got {}", config.heads);
    if (config.d_model < 1) fail("multi_head_attention: needs d_model of at least 1, got {}", config.d_model);
    if (config.d_model % config.heads != 0)
        fail("multi_head_attention: {} heads do not divide d_model {}", config.heads, config.d_model);
    if (config.d_in < 0)
        fail("multi_head_attention: needs an input width of at least 1, got {}", config.d_in);
    return config;
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const MultiHeadConfig& config) : config_(checked(config)) {
    const index_t d = config.d_model, d_in = config.d_in ? config.d_in : d;
    qkv_proj = Linear::zeros(d_in, 3 * d, config.bias);
    o_proj = Linear::zeros(d, d, config.bias);
}

}  // namespace glassbox
