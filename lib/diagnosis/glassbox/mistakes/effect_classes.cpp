#include <glassbox/mistakes/mistake.h>

#include <algorithm>

namespace glassbox {

const std::vector<EffectClass>& effect_classes() {
    static const std::vector<EffectClass> all = {
        // attention
        {"a hidden score of 0", "The score of a hidden key is 0, or too near to it to matter."},
        {"a hidden score that is not low enough", "A hidden key keeps some weight, whatever the constant.",
         false, true},
        {"another low hidden score",
         "Every finite score that is low enough hides a key, and a query without keys attends to all "
         "equally."},
        {"a weight of 0 for hidden keys",
         "Hidden keys have no part in the sum, and a query without keys gets 0/0, NaN."},
        {"a mask after the softmax", "Whether the masked scores are there and not used, or are not there."},
        {"weights and values in opposite orders", "It is the same which of the two is reversed."},
        {"heads or a batch", "Of three axes the first may be the heads or a batch."},
        {"one head's weights", "All heads average their values by the first head's weights."},
        {"queries without effect",
         "A term of the scores that is the same for all keys: the softmax ignores it."},
        {"powers of another base", "The softmax of scores times ln of the base, whatever the base.", false,
         true},
        {"a bias of K", "It adds one constant, q · b_K, to each row of scores, which the softmax ignores.",
         true},
        {"a position that does not see itself", "The first, which sees nothing else, may.", false, true},
        {"equal weights", "Whether the weights are equal or not used, the mean of the values is the same."},
        // positions
        {"an embedding times d_model", "√d_model twice is d_model, before the positions or with them."},
        {"another base of the frequencies", "10, 1000, 100000 or e for 10000.", false, true},
        {"one position for all", "The same row is added everywhere, whether the encoding or the sum has it."},
        {"the only block left out",
         "In a stack of one block the first one is all blocks, and these are the encoder."},
        {"a causal mask too many", "Where the mask hides nothing, it does not show whether it is kept."},
        {"a shift backwards", "The transposed of a rotation is the rotation by the negative angle."},
        {"hardly an epsilon", "An ε far smaller than the variance cannot be told from none."},
        {"a sample variance", "They differ in where ε is added, which shows only beside a small variance."},
        {"a factor before a norm",
         "A norm divides by the size of its rows, so that all but ε forgets a factor."},
        {"a step without corrections",
         "Whether the averages are not corrected, or the step is made with those before the correction."},
        {"far below the norm", "An ε far smaller than the norm of a gradient does not show.", true},
        {"a factor without its limit", "They differ in ε, which shows only beside a small norm."},
        // series
        {"a mean of the whole series", "Whether the deviation is of the whole series, too.", false, true},
        {"times from the first on", "They are counted so in τ, or where τ is used."},
        {"a deviation of the whole series", "Whether about the whole series' mean or the training part's.",
         false, true},
        {"only the training part scaled", "Whether what comes after it is left as it was, or at 0.", false,
         true},
        {"a scale that knows the test", "Whether it is of the test part alone or of the whole series.", false,
         true},
        {"a last window lost", "Of the series, or of its training part.", false, true},
        {"parts moved by one", "To a later time, or to an earlier one.", false, true},
        {"targets inside the window", "One of them, or all.", false, true},
        {"one value in every place", "The newest value, or the oldest.", false, true},
        {"one target for all", "The first value to come, or the last.", false, true},
        {"by another forecast's error", "Of the first of the forecasts, or of the second.", false, true},
        {"a scale of the test", "Whether pairs may reach back into the training part.", false, true},
        {"a scale of the whole series",
         "Whether it is divided by all pairs, or by those of the training part.", false, true},
        {"the oldest place last",
         "Attention takes the window for a bag: the last place then holds what the first one does."},
        {"differences that cancel", "They differ in the sign of what is left."},
        {"the sign of an error", "Sizes and squares of errors have no sign.", true},
        {"an overflow", "It shows only where logits are so large that their exponentials overflow.", true},
        {"an overflow, with hidden blocks",
         "They differ in what becomes of a hidden block: nothing, or 0/0."},
        {"uphill", "Without momentum it is the same which of the two signs is wrong."},
        {"no velocity", "Whether the velocity is forgotten or not used, the step is the gradient's."},
        {"a mask for each head",
         "With as many sequences as heads, each head gets the mask of one sequence in all of these."},
        // tokens
        {"letters with the ids of special tokens", "The first letter has the id 0, 1 or 2.", false, true},
        {"pairs with padding", "One place of padding behind a word counts, or all.", false, true},
        {"targets that are the labels", "Whatever stands where there is no word.", false, true},
        {"targets without a start", "It is left out, or has become padding.", false, true},
        {"labels that are the targets", "Whatever stands at <end> and where there is no word.", false, true},
        {"labels without an end", "Whatever stands in its place.", false, true},
        {"special tokens left out", "All of them, or some.", false, true},
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
