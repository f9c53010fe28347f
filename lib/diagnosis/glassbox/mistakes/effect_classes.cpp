#include <glassbox/mistakes/mistake.h>

#include <algorithm>

namespace glassbox {

const std::vector<EffectClass>& effect_classes() {
    static const std::vector<EffectClass> all = {
        // attention
        {"a hidden score of 0", "The score of a hidden key is 0 or negligibly close to it."},
        {"a hidden score that is not low enough", "A hidden key keeps some weight, whatever the constant.",
         false, true},
        {"another low hidden score",
         "Every finite score that is low enough hides a key, and a query without keys attends to all "
         "equally."},
        {"a weight of 0 for hidden keys",
         "Hidden keys do not enter the sum, and a query without keys gets 0/0, NaN."},
        {"a mask after the softmax", "The masked scores are either unused or missing."},
        {"weights and values in opposite orders", "It does not matter which of the two is reversed."},
        {"heads or a batch", "The first of three axes may be heads or a batch."},
        {"one head's weights", "All heads average their values with the first head's weights."},
        {"queries without effect", "The softmax ignores a term of the scores that is the same for all keys."},
        {"powers of another base",
         "This is the softmax of the scores times ln of the base, whatever the base.", false, true},
        {"keys for values", "The keys become the values, or are averaged in their place."},
        {"a bias of K", "It adds one constant, q · b_K, to each row of scores, which the softmax ignores.",
         true},
        {"a position that does not see itself", "The first, which sees nothing else, may be an exception.",
         false, true},
        {"equal weights", "Equal or unused weights give the same mean of the values."},
        // positions
        {"an embedding times d_model", "√d_model applied twice is d_model, before or after the positions."},
        {"another base of the frequencies", "10, 1000, 100000 or e for 10000.", false, true},
        {"one position for all", "The same row is added everywhere, in the encoding or in the sum."},
        {"the only block left out",
         "In a stack of one block the first block is all; in one of two, the last is all that is left."},
        {"a causal mask too many", "A mask that hides nothing does not show whether it is kept."},
        {"a shift backwards", "The transpose of a rotation is the rotation by the negative angle."},
        {"hardly an epsilon", "An ε far below the variance looks like none."},
        {"a sample variance", "They differ in where ε is added, which shows only with a small variance."},
        {"a factor before a norm",
         "A norm divides by the size of its rows, so a factor shows only through ε."},
        {"a step without corrections",
         "The averages are not corrected, or the step uses the uncorrected ones."},
        {"far below the norm", "An ε far below the norm of a gradient does not show.", true},
        {"a factor without its limit", "They differ in ε, which shows only with a small norm."},
        // series
        {"a mean of the whole series",
         "They differ in the deviation: of the training part or the whole series.", false, true},
        {"times from the first on", "They are counted so either in τ or where τ is used."},
        {"a deviation of the whole series",
         "They differ in the mean: the whole series' or the training part's.", false, true},
        {"only the training part scaled", "The rest is left unscaled or at 0.", false, true},
        {"a scale that knows the test", "The scale is the test part's or the whole series'.", false, true},
        {"a last window lost",
         "It is the last of the series or of its training part, or all are moved by one, so that one has no "
         "place.",
         false, true},
        {"targets inside the window", "One target, or all.", false, true},
        {"one value in every place", "It is the newest or the oldest value.", false, true},
        {"one target for all", "It is the first or the last value to come.", false, true},
        {"by another forecast's error", "It is the error of the first or of the second of the forecasts.",
         false, true},
        {"a scale of the test", "They differ in whether pairs may reach back into the training part.", false,
         true},
        {"a scale of the whole series",
         "They differ in the divisor: all pairs, or those of the training part.", false, true},
        {"the oldest place last",
         "Attention treats the window as a bag: the last position then holds what the first should."},
        {"differences that cancel", "They differ in the sign of the remainder."},
        {"the sign of an error", "Absolute and squared errors have no sign.", true},
        {"an overflow", "It shows only where logits are large enough for their exponentials to overflow.",
         true},
        {"an overflow, with hidden blocks", "They differ in the result for a hidden block: nothing, or 0/0."},
        {"uphill", "Without momentum it does not matter which of the signs is wrong."},
        {"no velocity", "Whether the velocity is forgotten or unused, the step is the gradient's."},
        {"a mask for each head",
         "With as many sequences as heads, each head gets the mask of one sequence in all of these."},
        // tokens
        {"letters with the ids of special tokens", "The first letter has the id 0, 1 or 2.", false, true},
        {"pairs with padding", "One padding position after a word counts, or all.", false, true},
        {"targets that are the labels", "They differ in the padding.", false, true},
        {"targets without a start", "It is left out or became padding.", false, true},
        {"labels that are the targets", "They differ at <end> and in the padding.", false, true},
        {"labels without an end", "They differ in what replaces it.", false, true},
        {"special tokens left out", "All or some of them.", false, true},
        {"what all sequences share", "What is added to all sequences alike does not change which is best."},
        {"how large, not which", "The largest score, or its probability.", false, true},
    };
    return all;
}

const EffectClass* effect_class_of(const Mistake& mistake) {
    const auto& all = effect_classes();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const EffectClass& each) { return each.name == mistake.effect; });
    return mistake.effect.empty() || found == all.end() ? nullptr : &*found;
}

}  // namespace glassbox
