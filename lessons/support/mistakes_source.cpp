#include "mistakes.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <glassbox/mistakes/mistake.h>
#include <glassbox/tensor/format.h>

#include "exercise.h"
#include "lesson_json.h"

namespace lesson {
namespace {

bool is_include(const std::string& line) { return line.rfind("#include", 0) == 0; }
bool is_pragma(const std::string& line) { return line.rfind("#pragma once", 0) == 0; }

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The functions that lesson.h declares as extern "C", each in a line that has its name.
std::vector<std::string> exported_functions(const Code& header, const std::filesystem::path& file) {
    const std::string mark = "extern \"C\" ";
    std::vector<std::string> names;
    for (const CodeLine& line : header) {
        const std::size_t end = line.text.find('(');
        if (line.text.rfind(mark, 0) != 0 || end == std::string::npos) continue;
        std::size_t begin = end;
        while (begin > mark.size() && is_part_of_name(line.text[begin - 1])) --begin;
        names.push_back(line.text.substr(begin, end - begin));
    }
    if (names.empty())
        glassbox::fail<glassbox::FileError>("{}: no line declares a function as extern \"C\"", file.string());
    return names;
}

// "scaled/no-root + masked/ignored in head 0 | …": each of them, without its place.
std::vector<std::string> names_in(const std::string& hint) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < hint.size();) {
        const std::size_t end = std::min(hint.find_first_of("+|", at), hint.size());
        const std::string name = hint.substr(at, std::min(hint.find(" ", at + 1), end) - at);
        names.push_back(name);
        at = std::min(hint.find_first_not_of("+| ", end), hint.size());
    }
    return names;
}

bool is_in_catalogue(const std::string& name) {
    const auto& all = glassbox::all_mistakes();
    return std::any_of(all.begin(), all.end(),
                       [&](const glassbox::Mistake& each) { return each.key == name; });
}

class SourceWriter {
  public:
    explicit SourceWriter(std::vector<std::string> functions) : functions_(std::move(functions)) {}

    // Everything that the sources include, but lesson.h.
    void includes(const Code& code) {
        for (const CodeLine& line : code)
            if (is_include(line.text) && line.text.find("\"lesson.h\"") == std::string::npos &&
                included_.insert(line.text).second)
                text_ += line.text + "\n";
    }
    void solution(const std::string& name, const Code& header, const Code& solution) {
        text_ += "namespace mistake_" + name + " {\n";
        for (const std::string& function : functions_)
            text_ += fmt::format("#define {} {}\n", function, name_of_wrong(function, name));
        code(header);
        code(solution);
        for (const std::string& function : functions_) text_ += "#undef " + function + "\n";
        text_ += "}\n";
    }
    const std::string& text() const { return text_; }

  private:
    void code(const Code& code) {
        CodeLine next;  // where the compiler believes the next line to come from
        for (const CodeLine& line : code) {
            if (is_include(line.text) || is_pragma(line.text)) continue;
            if (line.file != next.file || line.number != next.number)
                text_ += fmt::format("#line {} \"{}\"\n", line.number, line.file.string());
            text_ += line.text + "\n";
            next = {"", line.file, line.number + 1};
        }
    }

    std::vector<std::string> functions_;
    std::string text_;
    std::set<std::string> included_;
};

}  // namespace

std::string mistakes_source(const Lesson& lesson) {
    const std::filesystem::path file = lesson.folder / "mistakes.txt";
    const Code header = read_code(lesson.folder / "lesson.h");
    std::vector<std::pair<std::string, Code>> solutions = {
        {"solution", read_code(lesson.folder / "solution.cpp")}};
    for (const WrongSolution& wrong : read_mistakes(file)) {
        for (const std::string& name : names_in(wrong.hint))
            if (!lesson.hints.count(name) && !is_in_catalogue(name))
                glassbox::fail<glassbox::FileError>("{}:{}: error: {}: lesson.json has no hint '{}'",
                                                    file.string(), wrong.hint_line, wrong.name, name);
        solutions.emplace_back(wrong.name, with_mistake(solutions[0].second, wrong, file));
    }
    SourceWriter writer(exported_functions(header, lesson.folder / "lesson.h"));
    writer.includes(header);
    for (const auto& [name, code] : solutions) writer.includes(code);
    for (const auto& [name, code] : solutions) writer.solution(name, header, code);
    return writer.text();
}

}  // namespace lesson
