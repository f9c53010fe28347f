#include <glassbox/layers/online_softmax.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {
namespace online_softmax_cpp {

using namespace wrong;
namespace step = steps::online_softmax;

namespace {

// Block b of m or s (…, B, 1), and all of them in a row.
Tensor block(const Tensor& x, index_t b) { return slice(x, -2, b, b + 1); }

// The maxima and sums of the blocks in the scope beside this one.
Tensor of_blocks(const Frame& f, const char* name) {
    const std::string scope = f.path().substr(0, f.path().rfind("merged/"));
    return f.trace()[scope + "block/" + name];
}

// m and s merged block by block, from those of every block: the merged s.
using Merge = Tensor (*)(const Tensor& s, const Tensor& m_before, const Tensor& s_b, const Tensor& m_b,
                         const Tensor& m);
WrongValue merged_by(Merge merge) {
    return [=](const Frame& f, const Tensor& made) {
        const Tensor m_b = of_blocks(f, "m"), s_b = of_blocks(f, "s"), &m = f["m"];
        std::vector<Tensor> all{block(s_b, 0)};
        for (index_t b = 1; b < made.size(-2); ++b)
            all.push_back(merge(all.back(), block(m, b - 1), block(s_b, b), block(m_b, b), block(m, b)));
        return all.size() > 1 ? concat(all, -2) : not_here;
    };
}

// The last m and s are those by which the softmax was divided: exp(x − m) / s.
Tensor powers(const Frame& f) { return input(f, 0); }

}  // namespace
}  // namespace online_softmax_cpp

// m ← max(m, m_b),  s ← s exp(m_before − m) + s_b exp(m_b − m),  softmax(x) = exp(x − m) / s
std::vector<Mistake> online_softmax() {
    using namespace online_softmax_cpp;
    const WrongAt block_s{"block_s", {&step::block_s}}, merged_m{"merged_m", {&step::merged_m}},
        merged_s{"merged_s", {&step::merged_s}}, result{"online_softmax", {&step::softmax}};
    return {
        {block_s, "not-subtracted", "Σ_j exp(x_j), of each block",
         "The block's maximum is not subtracted, by which the sum is rescaled when it is merged.",
         [](const Frame& f, const Tensor& made) { return made * exp(f["m"]); }},
        {block_s, "largest-left-out", "Σ_j exp(x_j − m) − 1, of each block",
         "The largest number itself is left out of the sum, where its share is 1.",
         [](const Frame&, const Tensor& made) { return made - 1; }},
        {merged_m, "of-block", "the block's m", "The last block's maximum is kept, not the largest so far.",
         [](const Frame& f, const Tensor&) { return of_blocks(f, "m"); }},
        {merged_m, "first", "the first block's m", "The first block's maximum stays: larger ones follow.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, -2); }},
        {merged_s, "not-rescaled", "s before + the block's s",
         "The sums are added as they are, though each has another maximum subtracted.",
         merged_by([](const Tensor& s, const Tensor&, const Tensor& s_b, const Tensor&, const Tensor&) {
             return s + s_b;
         })},
        {merged_s, "old-not-rescaled", "s before + the block's s · exp(the block's m − m)",
         "The sum so far is not rescaled to the new maximum.",
         merged_by([](const Tensor& s, const Tensor&, const Tensor& s_b, const Tensor& m_b, const Tensor& m) {
             return s + s_b * exp(m_b - m);
         })},
        {merged_s, "new-not-rescaled", "s before · exp(m before − m) + the block's s",
         "The block's sum is not rescaled to the largest number so far.",
         merged_by([](const Tensor& s, const Tensor& before, const Tensor& s_b, const Tensor&,
                      const Tensor& m) { return s * exp(before - m) + s_b; })},
        Mistake{merged_s, "sign", "s before · exp(m − m before) + the block's s · exp(m − the block's m)",
                "The sign of the exponents is wrong: sums grow where they should shrink.",
                merged_by([](const Tensor& s, const Tensor& before, const Tensor& s_b, const Tensor& m_b,
                             const Tensor& m) { return s * exp(m - before) + s_b * exp(m - m_b); })}
            .seen("https://github.com/deepseek-ai/FlashMLA/pull/177"),
        {merged_s, "of-block", "the block's s", "The last block's sum is kept: the others are lost.",
         [](const Frame& f, const Tensor&) { return of_blocks(f, "s"); }},
        {result, "not-normalised", "exp(x − m)", "The division by the sum is missing.",
         [](const Frame& f, const Tensor&) { return powers(f); }},
        {result, "log", "x − m − ln s", "These are logarithms of the weights.",
         [](const Frame& f, const Tensor&) { return input_of(f, input(f, 0), 0) - log(input(f, 1)); }},
        {result, "m-not-subtracted", "exp(x) / s",
         "The maximum is subtracted in the sum, not in what it divides.",
         [](const Frame& f, const Tensor&) { return exp(f["x"]) / input(f, 1); }},
    };
}

}  // namespace glassbox::catalogue
