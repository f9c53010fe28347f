#include <glassbox/layers/mask.h>

#include <glassbox/mistakes/catalogue/bands.h>
#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::mask;

namespace {

WrongValue causal_band(index_t before, index_t after) {
    return [=](const Frame&, const Tensor& made) { return band_like(made, before, after); };
}

// The parts computed before `visible`.
std::vector<Tensor> parts(const Frame& f) {
    std::vector<Tensor> made;
    for (const StepInfo* part : {&step::causal, &step::padding, &step::window, &step::given})
        if (f.contains(part->name)) made.push_back(f[part->name]);
    return made;
}

// How far a window reaches: the keys that its first query sees, without itself. −1 if it sees all.
index_t reach_of(const Tensor& window) {
    const index_t seen = static_cast<index_t>(sum(select(window, -2, 0)).item());
    return seen < window.size(-1) ? seen - 1 : -1;
}

WrongValue window_of(index_t (*before)(index_t reach), index_t (*after)(index_t reach)) {
    return [=](const Frame&, const Tensor& made) {
        const index_t reach = reach_of(made);
        return reach < 0 ? not_here : band_like(made, before(reach), after(reach));
    };
}

index_t all_of_it(index_t reach) { return reach; }

std::vector<Mistake> of_causal() {
    const WrongAt causal{"mask", {&step::causal}};
    return {
        Mistake{causal, "transposed", "1 where j ≥ i, else 0",
                "The future is visible and the past hidden: query i should see the keys up to i.",
                causal_band(0, everything)}
            .seen("https://github.com/pytorch/examples/issues/649"),
        {causal, "inverted", "1 where j > i, else 0",
         "The causal mask is the wrong way round: a query sees only later keys.",
         causal_band(-1, everything)},
        {causal, "not-itself", "1 where j < i, else 0",
         "A position does not see itself, and the first one sees nothing.", causal_band(everything, -1)},
        Mistake{causal, "sees-next", "1 where j ≤ i + 1, else 0",
                "The next position is visible, which is the one to predict.", causal_band(everything, 1)}
            .seen("https://github.com/RVC-Boss/GPT-SoVITS/issues/965"),
        Mistake{causal, "no-causal", "1", "Later keys are not hidden, and they reveal the answer.",
                causal_band(everything, everything)}
            .seen("https://github.com/alex-matton/causal-transformer-decoder/issues/1"),
        {causal, "itself-alone", "1 where j = i, else 0", "Every position sees only itself.",
         causal_band(0, 0)},
        Mistake{causal, "from-the-end", "1 where j − n_k ≤ i − n_q, else 0",
                "The mask is aligned with the last query and the last key; the first query is at position 0.",
                [](const Frame&, const Tensor& made) {
                    const index_t later = made.size(-1) - made.size(-2);
                    return later && is_band(made, everything, 0) ? band_like(made, everything, later)
                                                                 : not_here;
                }}
            .seen("https://github.com/pytorch/pytorch/issues/103082"),
    };
}

// If it hides nothing, the mistake is that padding is not hidden.
Tensor if_any_hidden(const Tensor& padding) {
    return sum(padding).item() < static_cast<real>(padding.numel()) ? padding : not_here;
}

std::vector<Mistake> of_padding() {
    return {
        {step::padding, "no-padding", "1", "Padding is not hidden: it gets weight like real positions.",
         [](const Frame&, const Tensor& made) { return Tensor::ones(made.shape(), made.device()); }},
        {step::padding, "inverted", "1 where j ≥ length, else 0", "Only the padding is visible.",
         [](const Frame&, const Tensor& made) { return 1 - made; }},
        Mistake{step::padding, "rows", "1 where i < length, else 0",
                "The rows of the padding are hidden instead of its columns.",
                [](const Frame&, const Tensor& made) {
                    return made.rank() > 2 || made.size(-2) == 1 ? transpose(made) : not_here;
                }}
            .seen("https://github.com/hyunwoongko/transformer/pull/40"),
        {step::padding, "one-more", "1 where j ≤ length, else 0", "One padding position is visible.",
         [](const Frame&, const Tensor& made) { return if_any_hidden(widened(made)); }},
        {step::padding, "one-less", "1 where j < length − 1, else 0", "The last real position is hidden.",
         [](const Frame&, const Tensor& made) { return narrowed(made); }},
        {step::padding, "first-hidden", "1 where 0 < j < length, else 0",
         "The first position is hidden, even from itself.",
         [](const Frame&, const Tensor& made) {
             const Tensor none = Tensor::zeros(made.shape().with(-1, 1), made.device());
             return concat({none, slice(made, -1, 1, made.size(-1))}, -1);
         }},
        {step::padding, "first-length", "1 where j < the first sequence's length, else 0",
         "Every sequence gets the length of the first one.",
         [](const Frame&, const Tensor& made) {
             const Tensor first = first_for_all(made, -made.rank());
             return first.defined() ? if_any_hidden(first) : not_here;
         }},
        {step::padding, "longest", "1 where j < the longest length, else 0",
         "Every sequence gets the length of the longest one.",
         [](const Frame&, const Tensor& made) {
             return if_any_hidden(broadcast_to(max(made, 0, true), made.shape()));
         }},
        {step::padding, "at-the-front", "1 where j ≥ n_k − length, else 0",
         "The padding is assumed at the front; it is at the end.",
         [](const Frame&, const Tensor& made) { return reversed(made, -1); }},
    };
}

std::vector<Mistake> of_window() {
    return {
        {step::window, "one-more", "1 where |i − j| ≤ reach + 1, else 0",
         "The window reaches one position too far.",
         window_of([](index_t r) { return r + 1; }, [](index_t r) { return r + 1; })},
        {step::window, "one-less", "1 where |i − j| < reach, else 0",
         "The window's last position on each side is hidden.",
         window_of([](index_t r) { return r - 1; }, [](index_t r) { return r - 1; })},
        {step::window, "past-only", "1 where 0 ≤ i − j ≤ reach, else 0",
         "The window only covers earlier positions; it should reach both ways.",
         window_of(all_of_it, [](index_t) { return index_t{0}; })},
        {step::window, "future-only", "1 where 0 ≤ j − i ≤ reach, else 0",
         "The window only covers later positions; it should reach both ways.",
         window_of([](index_t) { return index_t{0}; }, all_of_it)},
        {step::window, "half", "1 where |i − j| ≤ reach / 2, else 0",
         "The reach is used as the width of the whole window.",
         window_of([](index_t r) { return r / 2; }, [](index_t r) { return r / 2; })},
        {step::window, "no-upper-end", "1 where i − j ≤ reach, else 0",
         "The absolute value is missing: all later keys are visible.",
         window_of(all_of_it, [](index_t) { return everything; })},
        {step::window, "no-lower-end", "1 where j − i ≤ reach, else 0",
         "The absolute value is missing: all earlier keys are visible.",
         window_of([](index_t) { return everything; }, all_of_it)},
        {step::window, "not-itself", "1 where 0 < |i − j| ≤ reach, else 0", "A position does not see itself.",
         [](const Frame&, const Tensor& made) { return made * (1 - band_like(made, 0, 0)); }},
        {step::window, "wrong-side", "1 where j ≤ i or j > i + reach, else 0",
         "A causal mask is cut off above its diagonal, not below: all earlier keys are seen, and those far "
         "ahead, too.",
         [](const Frame&, const Tensor& made) {
             const index_t reach = reach_of(made);
             return reach < 0 ? not_here : 1 - band_like(made, -1, reach);
         }},
        {step::window, "no-window", "1", "Nothing is hidden: every key counts as near.",
         [](const Frame&, const Tensor& made) { return Tensor::ones(made.shape(), made.device()); }},
    };
}

// All parts together; a single part has its own.
std::vector<Mistake> of_visible() {
    const WrongAt visible{"mask", {&step::visible}};
    return {
        Mistake{visible, "all-inverted", "1 − visible", "The mask is inverted: 1 means visible, 0 hidden.",
                [](const Frame& f, const Tensor& made) { return parts(f).size() > 1 ? 1 - made : not_here; }}
            .seen("https://github.com/InseeFrLab/torchTextClassifiers/pull/92"),
        {visible, "all-transposed", "visibleᵀ", "The mask is transposed.",
         [](const Frame& f, const Tensor& made) {
             return parts(f).size() > 1 && is_square(made) ? transpose(made) : not_here;
         }},
        {visible, "nothing-hidden", "1", "Nothing is hidden.",
         [](const Frame& f, const Tensor& made) {
             return parts(f).size() > 1 ? Tensor::ones(made.shape(), made.device()) : not_here;
         }},
        {visible, "causal", "visible, and 0 where j > i",
         "Later keys are hidden too, although all of the other sequence is known.",
         [](const Frame& f, const Tensor& made) {
             return parts(f).size() > 1 || made.rank() < 2 ? not_here : made * band_like(made, everything, 0);
         }},
        {step::given, "inverted", "1 − given", "The given mask is inverted: 1 means visible, 0 hidden.",
         [](const Frame&, const Tensor& made) { return 1 - made; }},
        {step::given, "not-used", "1", "The given mask is not used.",
         [](const Frame&, const Tensor& made) { return Tensor::ones(made.shape(), made.device()); }},
        {step::given, "transposed", "givenᵀ", "The given mask is transposed.",
         [](const Frame&, const Tensor& made) { return is_square(made) ? transpose(made) : not_here; }},
        {visible, "either", "1 where any part is 1",
         "A key is visible where any part allows it; all of them must.",
         [](const Frame& f, const Tensor& made) {
             Tensor hidden = Tensor::ones(made.shape(), made.device());
             const std::vector<Tensor> all = parts(f);
             for (const Tensor& part : all) hidden = hidden * (1 - part);
             return all.size() > 1 ? 1 - hidden : not_here;
         }},
        {visible, "added", "the sum of all",
         "The parts are added: the mask counts how many parts allow a key.",
         [](const Frame& f, const Tensor& made) {
             Tensor total = Tensor::zeros(made.shape(), made.device());
             const std::vector<Tensor> all = parts(f);
             for (const Tensor& part : all) total = total + part;
             return all.size() > 1 ? total : not_here;
         }},
    };
}

}  // namespace

// visible = causal ∘ padding ∘ window ∘ given
std::vector<Mistake> mask() { return joined({of_causal(), of_padding(), of_window(), of_visible()}); }

}  // namespace glassbox::catalogue
