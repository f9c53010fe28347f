#include <glassbox/distributed/communicator.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

// The value of this name, or null.
const std::string* find(const Common& common, const std::string& name) {
    const auto at =
        std::find_if(common.begin(), common.end(), [&](const auto& each) { return each.first == name; });
    return at == common.end() ? nullptr : &at->second;
}

// Names and values, each terminated by a NUL, which none of them contains.
std::string joined(const Common& common) {
    std::string text;
    for (const auto& [name, value] : common) (((text += name) += '\0') += value) += '\0';
    return text;
}

Common split(const std::string& text) {
    Common common;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t middle = text.find('\0', at), end = text.find('\0', middle + 1);
        common.emplace_back(text.substr(at, middle - at), text.substr(middle + 1, end - middle - 1));
        at = end + 1;
    }
    return common;
}

std::string shown(const std::string* value) { return !value || value->empty() ? "nothing" : *value; }

void compare(const Common& first, std::size_t rank, const Common& other) {
    for (const Common* names : {&first, &other})
        for (const auto& [name, value] : *names) {
            const std::string *const a = find(first, name), *const b = find(other, name);
            if (!a || !b || *a != *b)
                fail("{}: rank 0 has {}, and rank {} has {}", name, shown(a), rank, shown(b));
        }
}

}  // namespace

std::vector<std::string> gather_texts(Communicator& ranks, const std::string& own) {
    const std::vector<double> lengths = ranks.gather({static_cast<double>(own.size())});
    const std::vector<double> bytes = ranks.gather({own.begin(), own.end()});
    std::vector<std::string> texts;
    auto at = bytes.begin();
    for (const double length : lengths) {
        const auto end = at + static_cast<std::ptrdiff_t>(length);
        std::string& text = texts.emplace_back();
        std::transform(at, end, std::back_inserter(text),
                       [](double byte) { return static_cast<char>(byte); });
        at = end;
    }
    return texts;
}

void check_ranks_agree(Communicator& ranks, const Common& own) {
    if (ranks.size() == 1) return;
    const std::vector<std::string> all = gather_texts(ranks, joined(own));
    for (std::size_t rank = 1; rank < all.size(); ++rank) compare(split(all[0]), rank, split(all[rank]));
}

}  // namespace glassbox
