#include <glassbox/layers/pooling.h>

#include <glassbox/layers/positional_encoding.h>
#include <glassbox/mistakes/catalogue/places.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::pooling;

namespace {

// Pooled input: h (…, T, d), and 1 for its real elements, (…, T, 1); without lengths that is undefined.
struct Pooled {
    Tensor h, real_ones{};

    Tensor real_or_all() const {
        return real_ones.defined() ? real_ones : Tensor::ones(h.shape().with(-1, 1), h.device());
    }
    Tensor count() const { return sum(real_or_all(), -2); }  // (…, 1)
    Tensor total() const { return sum(h * real_or_all(), -2); }
};

// Of mean over positions: Σ (h ∘ real) / Σ real, or Σ h / T.
Pooled averaged(const Frame& f) {
    const Tensor total = input(f, 0), summed = input_of(f, total, 0);
    const bool has_lengths = input(f, 1).numel() > 1 || input(f, 1).rank() > 0;
    return has_lengths ? Pooled{input_of(f, summed, 0), input_of(f, summed, 1)} : Pooled{summed};
}
// Of max over positions: max of h, −∞ where it is padding.
Pooled searched(const Frame& f) {
    const Operation* filled = f.trace().operation_of(input(f, 0));
    const bool has_lengths = filled && filled->op == std::string_view("masked_fill");
    return has_lengths ? Pooled{filled->inputs[0], filled->inputs[1]} : Pooled{input(f, 0)};
}
// Of row n − 1: Σ h ∘ (real − the next real), or row T − 1.
Tensor last_ones(const Frame& f) {
    const Tensor ones = input_of(f, input(f, 0), 1);
    return f.operation().op == std::string_view("sum") ? ones : not_here;
}
Pooled ended(const Frame& f) {
    const Tensor ones = last_ones(f), h = input(f, 0);
    return ones.defined() ? Pooled{input_of(f, h, 0), input_of(f, ones, 0)} : Pooled{h};
}
// Of row 0.
Pooled of_row(const Frame& f) { return {input(f, 0)}; }

using From = Pooled (*)(const Frame& f);

WrongValue row(From pooled, index_t i) {
    return [=](const Frame& f, const Tensor&) {
        const Tensor h = pooled(f).h;
        return i < h.size(-2) ? select(h, -2, i < 0 ? h.size(-2) - 1 : i) : not_here;
    };
}
WrongValue largest(From pooled) {
    return [=](const Frame& f, const Tensor&) {
        const Pooled from = pooled(f);
        return max(masked_fill(from.h, from.real_or_all(), -INFINITY), -2);
    };
}
WrongValue mean_of(From pooled) {
    return [=](const Frame& f, const Tensor&) { return pooled(f).total() / pooled(f).count(); };
}

// The last row that the first query of the last block sees, (…, d).
Tensor last_real_row(const Frame& f, const Tensor&) {
    const Operation* masked = operation_in_last_block(f, scope_of(f.path()) + "encoder", "self_attn/masked");
    const Tensor& h = input(f, 0);
    if (!masked || h.rank() != 3 || masked->inputs[1].rank() < 3) return not_here;
    const Tensor& mask = masked->inputs[1];  // (B, …, n_q, n_k)
    if (mask.size(0) != h.size(0)) return not_here;
    const Tensor seen = reshape(contiguous(slice(mask, -2, 0, 1)), {mask.size(0), -1});  // (B, heads · n_k)
    std::vector<Tensor> rows;
    for (index_t b = 0; b < h.size(0); ++b) {
        const index_t count =
            static_cast<index_t>(sum(slice(select(seen, 0, b), -1, 0, mask.size(-1))).item());
        if (count < 1) return not_here;
        rows.push_back(slice(select(h, 0, b), 0, count - 1, count));
    }
    return concat(rows, 0);
}

// The i-th sequence has everything in it that was found for those before: `both` of two.
Tensor accumulated(const Tensor& each, Tensor (*both)(const Tensor& a, const Tensor& b)) {
    std::vector<Tensor> so_far;
    for (index_t i = 0; i < each.size(0); ++i) {
        const Tensor next = slice(each, 0, i, i + 1);
        so_far.push_back(so_far.empty() ? next : both(so_far.back(), next));
    }
    return concat(so_far, 0);
}
Tensor larger(const Tensor& a, const Tensor& b) { return where(a > b, a, b); }

std::vector<Mistake> of_cls() {
    return {
        {step::cls, "at-end", "h ‖ [CLS]",
         "The token is at the end; at the front its position is 0 for every length.",
         [](const Frame& f, const Tensor&) {
             return concat({input(f, 1), input(f, 0)}, -2);
         }},
        {step::cls, "with-positions", "[CLS] ‖ (h + PE)",
         "The elements after the token already have positions, which should be added later, to the token "
         "too.",
         [](const Frame& f, const Tensor&) {
             const Tensor& h = input(f, 1);
             return concat({input(f, 0), PositionalEncoding(h.size(-1))(h)}, -2);
         }},
        {step::cls, "zero", "0 ‖ h", "The token's row is 0 instead of learned.",
         [](const Frame& f, const Tensor&) {
             return concat({input(f, 0) * 0, input(f, 1)}, -2);
         }},
        {step::cls, "first-only", "[CLS] ‖ h, in the first sequence",
         "Only the first sequence has the token; every sequence should get it.",
         [](const Frame& f, const Tensor& made) {
             const Tensor none = concat({input(f, 0) * 0, input(f, 1)}, -2);
             return first_of_one(made, none, -3);
         }},
        {step::cls, "in-place-of-first", "[CLS] ‖ h without its first row",
         "The token replaces the first element, which is lost.",
         [](const Frame& f, const Tensor&) {
             const Tensor h = input(f, 1);
             return concat({input(f, 0), slice(h, -2, 1, h.size(-2))}, -2);
         }},
        {step::cls, "left-out", "h", "The token is missing: the first element is read instead.",
         [](const Frame& f, const Tensor&) { return input(f, 1); }},
    };
}

std::vector<Mistake> of_mean() {
    const WrongAt mean{"mean_pooled", {&step::mean}};
    return {
        {mean, "sum", "Σ_t h_t", "The sum instead of the mean: a long sequence counts more.",
         [](const Frame& f, const Tensor&) { return averaged(f).total(); }},
        {mean, "wrong-size", "Σ_t h_t / d", "Divided by the number of features, not of elements.",
         [](const Frame& f, const Tensor&) { return averaged(f).total() / size(averaged(f).h, -1); }},
        {mean, "not-encoded", "mean of the encoder's input",
         "The mean is of the encoder's input instead of its output, where every element has seen the others.",
         [](const Frame& f, const Tensor&) {
             Pooled from = averaged(f);
             const Tensor x = step_or_none(f, "positional/output");
             if (!x.defined() || x.shape() != from.h.shape()) return not_here;
             from.h = x;
             return from.total() / from.count();
         }},
        {mean, "root", "Σ_t h_t / √n", "Divided by the root of the number of elements.",
         [](const Frame& f, const Tensor&) { return averaged(f).total() / sqrt(averaged(f).count()); }},
        {mean, "one-less", "Σ_t h_t / (n − 1)", "Divided by one less than the number of elements.",
         [](const Frame& f, const Tensor&) { return averaged(f).total() / (averaged(f).count() - 1); }},
        {mean, "largest", "max_t h_t", "The largest value of each feature instead of the mean.",
         largest(averaged)},
        {mean, "first", "h_0", "Only the first element is used.", row(averaged, 0)},
        {mean, "last", "h_{T−1}", "Only the last element is used.", row(averaged, -1)},
        Mistake{mean, "all", "Σ over all T rows / T", "Padding is included in both the sum and the count.",
                [](const Frame& f, const Tensor&) {
                    const Pooled from = averaged(f);
                    return from.real_ones.defined() ? sum(from.h, -2) / size(from.h, -2) : not_here;
                }}
            .seen("https://github.com/dbiir/UER-py/pull/190"),
        {mean, "padded-length", "Σ over the real elements / T",
         "Divided by the padded length: short sequences fade next to long ones.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = averaged(f);
             return from.real_ones.defined() ? from.total() / size(from.h, -2) : not_here;
         }},
        {mean, "padding-in-sum", "Σ over all T rows / n",
         "Padding is included in the sum but not in the count.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = averaged(f);
             return from.real_ones.defined() ? sum(from.h, -2) / from.count() : not_here;
         }},
        {mean, "first-length", "Σ_t h_t / n of the first sequence",
         "Every sum is divided by the length of the first sequence.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = averaged(f);
             return from.real_ones.defined() ? from.total() / slice(from.count(), 0, 0, 1) : not_here;
         }},
        {mean, "all-lengths", "Σ_t h_t / n of all sequences together",
         "Divided by the number of real elements of the whole batch, not of the sequence.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = averaged(f);
             return from.real_ones.defined() ? from.total() / sum(from.count(), 0, true) : not_here;
         }},
        {mean, "not-reset", "Σ over this and all earlier sequences / n",
         "The sum of each sequence includes those of the sequences before it.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = averaged(f);
             if (from.h.rank() < 3) return not_here;
             return accumulated(from.total(), [](const Tensor& a, const Tensor& b) { return a + b; }) /
                    from.count();
         }},
    };
}

std::vector<Mistake> of_max() {
    const WrongAt max_over{"max_pooled", {&step::max}};
    return {
        {max_over, "padding", "max over all T rows", "Padding is included and may be the largest.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = searched(f);
             return from.real_ones.defined() ? max(from.h, -2) : not_here;
         }},
        {max_over, "from-zero", "max(0, max_t h_t)",
         "The search starts at 0, which is not an element: a feature without a positive value gives 0.",
         [](const Frame&, const Tensor& made) { return relu(made); }},
        {max_over, "zeroed-padding", "max over h ∘ real",
         "Padding is set to 0, which exceeds negative values.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = searched(f);
             return from.real_ones.defined() ? max(from.h * from.real_ones, -2) : not_here;
         }},
        {max_over, "batch", "max over this and all earlier sequences",
         "The maximum of one sequence carries over to the next.",
         [](const Frame&, const Tensor& made) {
             return has_several(made, -2) ? accumulated(made, larger) : not_here;
         }},
        {max_over, "all-sequences", "max over all sequences",
         "The largest value of the whole batch; each sequence has its own.",
         [](const Frame&, const Tensor& made) {
             return has_several(made, -2) ? broadcast_to(max(made, 0, true), made.shape()) : not_here;
         }},
        {max_over, "size", "the number that is farthest from 0",
         "The largest magnitude is used, but −3 is smaller than −1.",
         [](const Frame& f, const Tensor& made) {
             const Pooled from = searched(f);
             const Tensor lowest = min(masked_fill(from.h, from.real_or_all(), INFINITY), -2);
             return where(abs(lowest) > abs(made), lowest, made);
         }},
        {max_over, "absolute", "max |h_t|", "The largest magnitude is used, without its sign.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = searched(f);
             return max(masked_fill(abs(from.h), from.real_or_all(), -INFINITY), -2);
         }},
        {max_over, "smallest", "min_t h_t", "The smallest value instead of the largest.",
         [](const Frame& f, const Tensor&) {
             const Pooled from = searched(f);
             return min(masked_fill(from.h, from.real_or_all(), INFINITY), -2);
         }},
        {max_over, "mean", "(1/n) Σ_t h_t", "The mean instead of the largest value.", mean_of(searched)},
        {max_over, "first", "h_0", "Only the first element is used.", row(searched, 0)},
        {max_over, "last", "h_{T−1}", "Only the last element is used.", row(searched, -1)},
    };
}

std::vector<Mistake> of_first() {
    const WrongAt first{"cls_pooled", {&step::first}};
    return {
        {first, "last", "row T", "The last row is read; the token is at the front.", row(of_row, -1)},
        {first, "last-real", "row `length`",
         "The last real element's row is read; the token is at the front.", last_real_row},
        {first, "first-element", "row 1", "The first element's row is read; the token is row 0.",
         row(of_row, 1)},
        {first, "mean", "mean over positions", "The mean of all rows instead of the token's row alone.",
         mean_of(of_row)},
        {first, "without-token", "mean over positions from 1 on",
         "The mean of the elements' rows instead of the token's row.",
         [](const Frame& f, const Tensor&) {
             const Tensor h = of_row(f).h;
             return h.size(-2) > 1 ? glassbox::mean(slice(h, -2, 1, h.size(-2)), -2) : not_here;
         }},
        {first, "largest", "max over positions",
         "The largest value of each feature instead of the token's row.", largest(of_row)},
    };
}

std::vector<Mistake> of_last() {
    const WrongAt last{"last_pooled", {&step::last}};
    return {
        {last, "padding", "h_{T−1}", "The last row of the padded sequence is read, which is padding.",
         [](const Frame& f, const Tensor&) {
             const Tensor h = ended(f).h;
             return last_ones(f).defined() ? select(h, -2, h.size(-2) - 1) : not_here;
         }},
        {last, "one-before", "h_{n−2}", "The row before the last real one is read.",
         [](const Frame& f, const Tensor&) {
             const Tensor h = ended(f).h, ones = last_ones(f);
             const index_t T = h.size(-2);
             if (T < 2) return not_here;
             if (!ones.defined()) return select(h, -2, T - 2);
             return sum(slice(h, -2, 0, T - 1) * slice(ones, -2, 1, T), -2);
         }},
        {last, "first-length", "h_{n−1}, n of the first sequence",
         "The length of the first sequence is used for all of them.",
         [](const Frame& f, const Tensor&) {
             const Tensor ones = last_ones(f);
             return ones.defined() ? sum(ended(f).h * slice(ones, 0, 0, 1), -2) : not_here;
         }},
        {last, "first-sequence", "h_{n−1} of the first sequence", "Every sequence gets the first one's row.",
         [](const Frame&, const Tensor& made) {
             return has_several(made, -2) ? first_for_all(made, -2) : not_here;
         }},
        {last, "first", "h_0", "The first element is read, which in a causal model has seen only itself.",
         row(ended, 0)},
        {last, "mean", "(1/n) Σ_t h_t", "The mean of all elements instead of the last one.", mean_of(ended)},
        {last, "largest", "max_t h_t", "The largest value of each feature instead of the last element.",
         largest(ended)},
    };
}

}  // namespace

// One row for the sequence: the mean, the maximum, that of [CLS], or the last.
std::vector<Mistake> pooling() { return joined({of_cls(), of_mean(), of_max(), of_first(), of_last()}); }

}  // namespace glassbox::catalogue
