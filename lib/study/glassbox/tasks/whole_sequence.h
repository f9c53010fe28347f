#pragma once
#include <string_view>

#include <glassbox/tasks/digits.h>
#include <glassbox/tensor/words.h>
#include <glassbox/train/examples.h>

namespace glassbox {

// A question about a sequence as a whole (report §7).
enum class Question {
    most_frequent,  // which number is most frequent? Sequences with a tie are excluded.
    parity          // is the number of zeros even (0) or odd (1)?
};
template <>
struct EnumWords<Question> {
    static constexpr const char* what = "question";
    static constexpr Word<Question> all[] = {{Question::most_frequent, "most-frequent"},
                                             {Question::parity, "parity"}};
};

// Random sequences, drawn as in ReversalData, with one label each. Arrays: x (n, T, categories), one-hot;
// labels (n).
class WholeSequenceData final : public DataSet {
  public:
    WholeSequenceData(Question question, const DigitsConfig& config, std::uint64_t seed);

    index_t size() const override { return digits_.config().count; }
    Examples at(const std::vector<index_t>& rows) const override;
    index_t classes() const { return question_ == Question::parity ? 2 : digits_.config().categories; }
    index_t label(index_t row) const { return labels_[static_cast<std::size_t>(row)]; }

    const Digits& digits() const { return digits_; }

  private:
    Question question_;
    Digits digits_;
    std::vector<std::uint8_t> labels_;
};

}  // namespace glassbox
