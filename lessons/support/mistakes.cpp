#include "mistakes.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <utility>

#include <glassbox/tensor/format.h>

namespace lesson {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, int line, const std::string& reason) {
    glassbox::fail<glassbox::FileError>("{}:{}: error: {}", file.string(), line, reason);
}

std::string indentation_of(const std::string& line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string trimmed(const std::string& line) {
    const std::size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
    return first == std::string::npos ? "" : line.substr(first, last + 1 - first);
}

bool is_name(const std::string& text) {
    const auto is_part = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
           std::all_of(text.begin(), text.end(), is_part);
}

// mistakes.txt, line by line.
class MistakesReader {
  public:
    explicit MistakesReader(const fs::path& file) : file_(file) {}

    std::vector<WrongSolution> read() {
        for (const CodeLine& line : read_code(file_)) {
            line_ = line.number;
            if (line.text.rfind('#', 0) != 0) take(line.text);
        }
        end();
        return all_;
    }

  private:
    void take(const std::string& text) {
        if (trimmed(text).empty()) return end();
        if (!is_open_) return begin(text);
        WrongSolution& mistake = all_.back();
        if (mistake.hint.empty()) return take_hint(text);
        if (text[0] != '-' && text[0] != '+') wrong("a line of an edit begins with '-' or '+'");
        if (text.size() > 1 && text[1] != ' ') wrong(fmt::format("a space belongs after '{}'", text[0]));
        const std::string code = text.substr(std::min<std::size_t>(2, text.size()));
        if (text[0] == '-') {
            if (trimmed(code).empty()) wrong("there is no old text after '-'");
            if (mistake.edits.empty() || mistake.edits.back().new_line)
                mistake.edits.push_back({{}, {}, line_, 0});
            mistake.edits.back().old_text.push_back(trimmed(code));
        } else {
            if (mistake.edits.empty()) wrong("the old text, '-', comes before the new text, '+'");
            WrongSolution::Edit& edit = mistake.edits.back();
            if (!edit.new_line) edit.new_line = line_;
            if (!trimmed(code).empty()) edit.new_text.push_back(code);
        }
    }

    void begin(const std::string& text) {
        const std::size_t colon = text.find(": ");
        const std::string name = text.substr(0, colon);
        if (colon == std::string::npos || !is_name(name))
            refuse(file_, line_,
                   "a mistake begins with \"name: what is wrong\", the name of letters, digits and _");
        if (name == "solution") refuse(file_, line_, "solution: this is the name of the right solution");
        for (const WrongSolution& other : all_)
            if (other.name == name)
                refuse(file_, line_,
                       fmt::format("{}: this name is already used in line {}", name, other.line));
        all_.push_back({name, trimmed(text.substr(colon + 2)), "", line_, 0, {}});
        is_open_ = true;
        if (all_.back().sentence.empty()) wrong("expected what is wrong after the name");
    }

    void take_hint(const std::string& text) {
        if (text.rfind("hint: ", 0) != 0)
            wrong("the second line is \"hint: \" and a name of lesson.json's hints");
        all_.back().hint = trimmed(text.substr(6));
        all_.back().hint_line = line_;
        if (all_.back().hint.empty()) wrong("there is no hint after \"hint: \"");
    }

    void end() {
        if (!is_open_) return;
        const WrongSolution& mistake = all_.back();
        line_ = mistake.line;
        if (mistake.hint.empty()) wrong("it has no hint");
        if (mistake.edits.empty()) wrong("it has no edit");
        for (const WrongSolution::Edit& edit : mistake.edits) {
            line_ = edit.old_line;
            if (!edit.new_line) wrong("there is no new text; '+' alone deletes the old text");
        }
        is_open_ = false;
    }

    [[noreturn]] void wrong(const std::string& reason) {
        refuse(file_, line_, all_.back().name + ": " + reason);
    }

    fs::path file_;
    int line_ = 0;
    bool is_open_ = false;  // within the entry of the last mistake
    std::vector<WrongSolution> all_;
};

using Place = std::pair<std::size_t, std::size_t>;  // line and column, counted from 0

// A solution as one text in which indentation and blank lines do not count.
class Text {
  public:
    explicit Text(const Code& code) : code_(code) {
        for (std::size_t i = 0; i < code.size(); ++i) {
            const std::string line = trimmed(code[i].text);
            if (line.empty()) continue;
            starts_.push_back({text_.size(), i, indentation_of(code[i].text).size()});
            text_ += line + "\n";
        }
    }

    const Code& code() const { return code_; }
    Place place_of(std::size_t at) const {
        const auto after = [](std::size_t position, const Start& start) { return position < start.at; };
        const Start& start = *std::prev(std::upper_bound(starts_.begin(), starts_.end(), at, after));
        return {start.line, start.indentation + at - start.at};
    }
    std::vector<std::size_t> find(const std::string& part) const {
        std::vector<std::size_t> found;
        for (std::size_t at = text_.find(part); at != std::string::npos; at = text_.find(part, at + 1))
            found.push_back(at);
        return found;
    }

  private:
    struct Start {
        std::size_t at, line, indentation;
    };
    const Code& code_;
    std::string text_;
    std::vector<Start> starts_;
};

struct FoundEdit {
    Place first, end;
    const WrongSolution::Edit* edit;
};

FoundEdit find_once(const Text& text, const WrongSolution& mistake, const WrongSolution::Edit& edit,
                    const fs::path& file) {
    const std::string old_text = fmt::format("{}", fmt::join(edit.old_text, "\n"));
    const std::vector<std::size_t> found = text.find(old_text);
    if (found.empty())
        refuse(file, edit.old_line, mistake.name + ": the old text does not occur in solution.cpp");
    if (found.size() > 1) {
        std::vector<int> lines;
        for (const std::size_t at : found) lines.push_back(text.code()[text.place_of(at).first].number);
        refuse(
            file, edit.old_line,
            fmt::format(
                "{}: the old text occurs {} times in solution.cpp, in lines {}; it must occur exactly once",
                mistake.name, found.size(), fmt::join(lines, ", ")));
    }
    const auto [line, column] = text.place_of(found[0] + old_text.size() - 1);
    return {text.place_of(found[0]), {line, column + 1}, &edit};
}

// Goes through a solution from its beginning to its end, and makes another of it.
class Rewriting {
  public:
    explicit Rewriting(const Code& solution) : solution_(solution) {}

    const Place& place() const { return place_; }
    void copy_until(const Place& end) {
        for (; place_.first < end.first; place_ = {place_.first + 1, 0}) copy(std::string::npos);
        copy(end.second);
    }
    // With the indentation of the place.
    void insert(const WrongSolution::Edit& edit, const fs::path& file) {
        const std::string indentation = indentation_of(solution_[place_.first].text);
        int line = edit.new_line;
        for (const std::string& text : edit.new_text) code_.push_back({indentation + text, file, line++});
    }
    void skip_to(const Place& place) { place_ = place; }
    Code with_the_rest() {
        for (; place_.first < solution_.size(); place_ = {place_.first + 1, 0}) copy(std::string::npos);
        return code_;
    }

  private:
    // Of the line of the place, the text from the place to column `end`.
    void copy(std::size_t end) {
        const CodeLine& line = solution_[place_.first];
        const std::string part = line.text.substr(place_.second, end - place_.second);
        const bool is_part = part.size() < line.text.size();
        if (!is_part || !trimmed(part).empty()) code_.push_back({part, line.file, line.number});
    }

    const Code& solution_;
    Place place_ = {0, 0};
    Code code_;
};

}  // namespace

std::vector<WrongSolution> read_mistakes(const fs::path& file) { return MistakesReader(file).read(); }

Code read_code(const fs::path& file) {
    std::ifstream stream(file);
    if (!stream) glassbox::fail<glassbox::IoError>("{}: cannot be read", file.string());
    Code code;
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();  // as some editors end lines
        code.push_back({line, file, static_cast<int>(code.size()) + 1});
    }
    return code;
}

Code with_mistake(const Code& solution, const WrongSolution& mistake, const fs::path& file) {
    const Text text(solution);
    std::vector<FoundEdit> places;
    for (const WrongSolution::Edit& edit : mistake.edits)
        places.push_back(find_once(text, mistake, edit, file));
    std::sort(places.begin(), places.end(),
              [](const FoundEdit& a, const FoundEdit& b) { return a.first < b.first; });
    Rewriting rewriting(solution);
    for (const FoundEdit& found : places) {
        if (found.first < rewriting.place())
            refuse(file, found.edit->old_line, mistake.name + ": two edits of the mistake overlap");
        rewriting.copy_until(found.first);
        rewriting.insert(*found.edit, file);
        rewriting.skip_to(found.end);
    }
    return rewriting.with_the_rest();
}

}  // namespace lesson
