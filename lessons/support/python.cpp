#include "python.h"

#include <regex>
#include <utility>

namespace lesson {
namespace {

// The words of the exercises in C++, and a NumPy user's. In this order: the longer ones first.
const std::pair<const char*, const char*> words[] = {
    {R"(Give (?:it|them) (?:a|their|its) size(?: first)?, (?=Matri|Vector))", "It has the "},
    {R"(; all numbers are 0 then)", ""},
    {R"(, and give the mean its size first, Vector\(1\))", ""},
    {R"(in C\+\+ \(n \+ size - 1\) / size)", "-(-n // size)"},
    {R"(\b(?:gradients|schedule)\.)", ""},
    {R"(add\(([\w.\[\]]+), (\w+\([^()]*\))\))", "$1 + $2"},
    {R"(row_of\(([\w.]+), b\))", "$1[b]"},
    {R"((\w+)\[0\]\.)", "$1."},
    {R"((\w+)\.rows\(\))", "$1.shape[-2]"},
    {R"((\w+)\.columns\(\))", "$1.shape[-1]"},
    {R"(([\w.]+)\.(?:size|count)\(\))", "len($1)"},
    {R"(Vector\(1\))", "one number"},
    {R"(is Matri(?:x|ces)\()", "has the shape ("},
    {R"(Matri(?:x|ces)\()", "shape ("},
    {R"(Vector\(([^(),]*(?:\([^()]*\)[^(),]*)*)\))", "shape ($1,)"},
    {R"(a Matrix of)", "an array of"},
    {R"(-std::numeric_limits<double>::infinity\(\))", "-np.inf"},
    {R"(std::numeric_limits<double>::min\(\))", "np.finfo(float).tiny"},
    {R"(std::pow\((\w+), ([^)]*)\))", "$1 ** ($2)"},
    {R"(std::m(ax|in)\()", "np.m$1imum("},
    {R"(std::)", "np."},
    {R"(lesson\.h)", "lesson.py"},
};

}  // namespace

std::string in_python_words(const std::string& text) {
    std::string result = text;
    for (const auto& [from, to] : words) result = std::regex_replace(result, std::regex(from), to);
    return result;
}

Lesson in_python(Lesson lesson) {
    for (auto& [name, text] : lesson.hints) {
        const auto own = lesson.python_hints.find(name);
        text = own == lesson.python_hints.end() ? in_python_words(text) : own->second;
    }
    return lesson;
}

std::vector<Outcome> check_python(const Lesson& lesson, const Check& check, const std::filesystem::path& file,
                                  const std::vector<std::string>& stopped) {
    std::map<std::string, Ended> reasons;
    for (std::size_t i = 0; i + 2 < stopped.size(); i += 3)
        reasons[stopped[i]] = {stopped[i + 2], stop_of(stopped[i + 1])};
    return check_arrays(lesson, check, file, &reasons);
}

}  // namespace lesson
