#pragma once
#include <cctype>
#include <string>

#include <glassbox/mistakes/catalogue/lines.h>

// The words for wrong lines that take something from another scope of the model.
namespace glassbox::wrong {

// "encoder/0/mlp/hidden" → "encoder/0/mlp/"
inline std::string scope_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
// "encoder/0/mlp/hidden" → "encoder/0/"
inline std::string outer_scope(const Frame& f) {
    std::string scope = scope_of(f.path());
    if (!scope.empty()) scope.pop_back();
    return scope_of(scope);
}
inline Tensor step_at(const Frame& f, const std::string& path) {
    return f.trace().contains(path) ? f.trace()[path] : not_here;
}
// The op that computed the step at this path, or null.
inline const Operation* operation_at(const Frame& f, const std::string& path) {
    const index_t at = f.trace().position_of(path);
    return at < 0 ? nullptr : f.trace().operation_of(f.trace().steps()[static_cast<std::size_t>(at)].made);
}
// The op that computed a value, or the step whose submitted value it is; null for an input.
inline const Operation* operation_behind(const Frame& f, const Tensor& value) {
    const Trace::Step* step = f.trace().step_of(value);
    return f.trace().operation_of(step ? step->made : value);
}
// The i-th input of that op, or an undefined tensor.
inline Tensor input_at(const Frame& f, const std::string& path, std::size_t i) {
    const Operation* operation = operation_at(f, path);
    return operation && i < operation->inputs.size() ? operation->inputs[i] : not_here;
}

// The path's number of a block, "encoder/1/norm2" → 1, and its position; −1 outside a stack.
struct BlockNumber {
    int value = -1;
    std::size_t at = 0, length = 0;
};
inline BlockNumber block_of(const std::string& path) {
    for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
        std::size_t end = at + 1;
        while (end < path.size() && std::isdigit(static_cast<unsigned char>(path[end]))) ++end;
        if (end > at + 1 && end < path.size() && path[end] == '/')
            return {std::stoi(path.substr(at + 1, end - at - 1)), at + 1, end - at - 1};
    }
    return {};
}
// The path of the same step in the first block: "encoder/1/norm2" → "encoder/0/norm2".
inline std::string in_first_block(std::string path) {
    const BlockNumber block = block_of(path);
    return block.value < 0 ? path : path.replace(block.at, block.length, "0");
}
// The steps of the last block before this place: "encoder/1/norm2". Undefined without one.
inline const Operation* operation_in_last_block(const Frame& f, const std::string& stack,
                                                const std::string& step) {
    const Operation* last = nullptr;
    for (int i = 0; f.trace().contains(stack + "/" + std::to_string(i) + "/" + step); ++i)
        last = operation_at(f, stack + "/" + std::to_string(i) + "/" + step);
    return last;
}

}  // namespace glassbox::wrong
