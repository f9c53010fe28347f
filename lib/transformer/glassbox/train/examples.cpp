#include <glassbox/train/examples.h>

#include <algorithm>

#include <glassbox/tensor/format.h>

namespace glassbox {

index_t Examples::size() const {
    if (arrays.empty()) return 0;
    const index_t count = arrays.front().second.size(0);
    for (const auto& [name, array] : arrays)
        if (array.size(0) != count)
            fail("examples: '{}' has {} of them, '{}' has {}", arrays.front().first, count, name,
                 array.size(0));
    return count;
}

bool Examples::has(std::string_view name) const {
    return std::any_of(arrays.begin(), arrays.end(),
                       [name](const auto& array) { return array.first == name; });
}

const Tensor& Examples::operator[](std::string_view name) const {
    for (const auto& [each, array] : arrays)
        if (each == name) return array;
    std::vector<std::string_view> names;
    for (const auto& [each, array] : arrays) names.push_back(each);
    fail("examples: no array '{}'; there are {}", name, fmt::join(names, ", "));
}

Examples Examples::part(index_t begin, index_t end) const {
    if (begin < 0 || end < begin || end > size())
        fail("examples: [{}, {}) is not within the {} there are", begin, end, size());
    Examples selected;
    for (const auto& [name, array] : arrays)
        selected.arrays.emplace_back(name, array.alias(array.shape().with(0, end - begin), array.strides(),
                                                       begin * array.strides()[0]));
    return selected;
}

Examples Examples::to(Device device) const {
    Examples moved;
    for (const auto& [name, array] : arrays) moved.arrays.emplace_back(name, array.to(device));
    return moved;
}

}  // namespace glassbox
