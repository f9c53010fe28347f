#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassbox::grammar {

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list);
void append(Words& words, const Words& more);
Words split(std::string_view text);         // at single spaces; "" has no words
std::string capitalised(std::string text);  // sentences begin with a letter of ASCII

}  // namespace glassbox::grammar
