#include <glassbox/text/detail/pair_columns.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <utility>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

namespace glassbox::detail {

namespace {

constexpr std::size_t max_pairs = 20000;  // pairs examined

using Words = std::vector<std::size_t>;  // by their numbers

// Words of a letter at least, which are on one side of this pair only.
struct Sides {
    Words source, target;
};

class WordNumbers {
  public:
    Words of(const std::string& sentence) {
        Words words;
        std::string word;
        const auto end = [&] {
            if (!word.empty()) words.push_back(numbers_.try_emplace(word, numbers_.size()).first->second);
            word.clear();
        };
        for (const char c : sentence) {
            const bool is_upper = c >= 'A' && c <= 'Z', is_letter = is_upper || (c >= 'a' && c <= 'z');
            if (is_letter || (c & 0x80) != 0) word += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
            else end();
        }
        end();
        std::sort(words.begin(), words.end());
        words.erase(std::unique(words.begin(), words.end()), words.end());
        return words;
    }
    std::size_t size() const { return numbers_.size(); }

  private:
    std::unordered_map<std::string, std::size_t> numbers_;
};

Words without(const Words& words, const Words& taken) {
    Words left;
    std::set_difference(words.begin(), words.end(), taken.begin(), taken.end(), std::back_inserter(left));
    return left;
}

// Which pairs have their languages the other way round than the rest: 1 and -1, 0 where it is unclear.
std::vector<int> directions(const std::vector<Sides>& pairs, std::size_t words) {
    // From the first pair on: those that share words with it have its direction or the opposite one.
    std::vector<double> direction(pairs.size(), 0), weight(words, 0);
    const auto scored = [&](const Sides& pair) {
        double sum = 0;
        for (const std::size_t word : pair.source) sum += weight[word];
        for (const std::size_t word : pair.target) sum -= weight[word];
        const double count = static_cast<double>(pair.source.size() + pair.target.size());
        return count > 0 ? sum / count : 0;
    };
    const auto weigh = [&] {
        std::vector<double> sum(words, 0), count(words, 0);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            for (const std::size_t word : pairs[i].source) sum[word] += direction[i], ++count[word];
            for (const std::size_t word : pairs[i].target) sum[word] -= direction[i], ++count[word];
        }
        for (std::size_t word = 0; word < words; ++word)
            weight[word] = count[word] > 1 ? sum[word] / count[word] : 0;
    };
    const auto seed = std::find_if(pairs.begin(), pairs.end(), [](const Sides& each) {
        return each.source.size() > 1 && each.target.size() > 1;
    });
    if (seed == pairs.end()) return {};
    direction[static_cast<std::size_t>(seed - pairs.begin())] = 1;
    constexpr int rounds = 12;
    for (int round = 0; round < rounds; ++round) {
        weigh();
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const double score = scored(pairs[i]);
            direction[i] = score > 0 ? 1 : score < 0 ? -1 : 0;
        }
    }
    weigh();
    constexpr double clear = 0.5;
    std::vector<int> found;
    for (const Sides& each : pairs) {
        const double score = scored(each);
        found.push_back(score > clear ? 1 : score < -clear ? -1 : 0);
    }
    return found;
}

std::string note_on_exchanged(const std::vector<std::string>& source,
                              const std::vector<std::string>& target) {
    WordNumbers numbers;
    std::vector<Sides> pairs;
    for (std::size_t i = 0; i < std::min(max_pairs, source.size()); ++i) {
        const Words first = numbers.of(source[i]), second = numbers.of(target[i]);
        pairs.push_back({without(first, second), without(second, first)});
    }
    const std::vector<int> found = directions(pairs, numbers.size());
    const auto forward = std::count(found.begin(), found.end(), 1),
               back = std::count(found.begin(), found.end(), -1);
    const auto fewer = std::min(forward, back), all = static_cast<std::ptrdiff_t>(pairs.size());
    // Most pairs have a clear direction if the sides differ in language.
    if (fewer < 3 || 100 * fewer < all || 4 * (forward + back) < 3 * all) return "";
    const int which = back <= forward ? -1 : 1;
    const auto example =
        static_cast<std::size_t>(std::find(found.begin(), found.end(), which) - found.begin());
    return fmt::format(
        "{} of {} pairs have their languages swapped, such as '{}' and '{}': they are learned as they are",
        fewer, all, printable(source[example], 40), printable(target[example], 40));
}

}  // namespace

std::vector<std::string> notes_on_sides(const std::vector<std::string>& source,
                                        const std::vector<std::string>& target) {
    std::vector<std::string> notes;
    std::size_t same = 0;
    for (std::size_t i = 0; i < source.size(); ++i) same += source[i] == target[i];
    constexpr std::size_t few = 5;
    if (same >= few && 5 * same >= source.size())
        notes.push_back(fmt::format("{} of {} pairs have the same text on both sides", same, source.size()));
    if (std::string note = note_on_exchanged(source, target); !note.empty()) notes.push_back(std::move(note));
    return notes;
}

}  // namespace glassbox::detail
