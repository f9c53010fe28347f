#include <glassbox/io/json.h>

#include <algorithm>

namespace glassbox {

int json_depth(std::string_view json) {
    int depth = 0, deepest = 0;
    bool is_in_text = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (is_in_text) {
            if (c == '\\') ++i;  // what follows does not end the text
            else is_in_text = c != '"';
        } else if (c == '"') {
            is_in_text = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

}  // namespace glassbox
