#include <glassbox/tasks/copying.h>

#include <algorithm>

#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

void check(const CopyingConfig& c) {
    const char* task = name(c.writing);
    if (c.symbols < 2 || c.symbols > 253) fail<UsageError>("{}: 2 to 253 symbols, got {}", task, c.symbols);
    if (c.shortest < 1 || c.longest < c.shortest || c.longest > 255)
        fail<UsageError>("{}: lengths with 1 ≤ shortest ≤ longest ≤ 255, got {} and {}", task, c.shortest,
                         c.longest);
    if (c.count < 0 || c.count > index_t{1} << 24)
        fail<UsageError>("{}: 0 to {} sequences, got {}", task, index_t{1} << 24, c.count);
}

}  // namespace

CopyingData::CopyingData(const CopyingConfig& config) : config_(config) {
    check(config);
    NumpyGenerator generator(config.seed);
    std::vector<std::int64_t> drawn;
    for (index_t i = 0; i < config.count; ++i) {
        drawn.resize(1);
        generator.integers(drawn, config.shortest, config.longest + 1);
        lengths_.push_back(static_cast<std::uint8_t>(drawn[0]));
        drawn.resize(lengths_.back());
        generator.integers(drawn, 0, config.symbols);
        symbols_.insert(symbols_.end(), drawn.begin(), drawn.end());
        symbols_.resize(static_cast<std::size_t>((i + 1) * config.longest));
    }
}

std::vector<index_t> CopyingData::tokens(index_t row) const {
    if (row < 0 || row >= size())
        fail("{}: no sequence {}: there are {}", name(config_.writing), row, size());
    const auto begin = symbols_.begin() + row * config_.longest;
    std::vector<index_t> tokens(begin, begin + lengths_[static_cast<std::size_t>(row)]);
    for (index_t& token : tokens) token += first_symbol;
    return tokens;
}

std::vector<index_t> CopyingData::source(index_t row) const {
    std::vector<index_t> source = tokens(row);
    source.push_back(Vocabulary::end);
    return source;
}

std::vector<index_t> CopyingData::answer(index_t row) const {
    std::vector<index_t> answer = tokens(row);
    if (config_.writing == Writing::sort) std::sort(answer.begin(), answer.end());
    answer.push_back(Vocabulary::end);
    return answer;
}

Examples CopyingData::at(const std::vector<index_t>& rows) const {
    const index_t n = static_cast<index_t>(rows.size());
    Tensor source = Tensor::full({n, width()}, Vocabulary::padding),
           target = Tensor::full({n, width()}, Vocabulary::padding), labels = Tensor::full({n, width()}, -1),
           lengths = Tensor::empty({n});
    real *from = source.writable().data, *to = target.writable().data, *label = labels.writable().data,
         *length = lengths.writable().data;
    for (const index_t row : rows) {
        const std::vector<index_t> read = this->source(row), written = answer(row);
        std::copy(read.begin(), read.end(), from);
        to[0] = Vocabulary::start;
        std::copy(written.begin(), written.end() - 1, to + 1);
        std::copy(written.begin(), written.end(), label);
        *length++ = static_cast<real>(read.size());
        from += width(), to += width(), label += width();
    }
    return {{{"source", source},
             {"target", target},
             {"labels", labels},
             {"source_lengths", lengths},
             {"target_lengths", lengths}}};
}

std::string token_text(const std::vector<index_t>& tokens) {
    static const char* const special[] = {"<pad>", "<start>", "<end>"};
    std::vector<std::string> words;
    for (const index_t token : tokens)
        words.push_back(token < CopyingData::first_symbol
                            ? special[token]
                            : std::to_string(token - CopyingData::first_symbol));
    return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace glassbox
