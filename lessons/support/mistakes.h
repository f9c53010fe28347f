#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace lesson {

struct Lesson;  // lesson_json.h

// A wrong solution, written as what is different in the right one. In a lesson's mistakes.txt:
//     no_scale: the division by √d_k is forgotten
//     hint: scaled/not-divided
//     - steps.scaled(i, j) = steps.logits(i, j) / std::sqrt(d_k);
//     + steps.scaled(i, j) = steps.logits(i, j);
// The old text must occur exactly once in solution.cpp, anywhere in a line or over several lines; indentation
// and blank lines do not count. A '+' alone deletes. The next '-' begins another edit of the same mistake. A
// blank line ends the mistake, and a line that begins with '#' is a comment.
struct WrongSolution {
    struct Edit {
        std::vector<std::string> old_text, new_text;
        int old_line = 0, new_line = 0;  // where they begin in mistakes.txt, counted from 1
    };
    std::string name, sentence, hint;
    int line = 0, hint_line = 0;
    std::vector<Edit> edits;
};

// Everything that is wrong with the file is a FileError: "FILE:LINE: error: no_scale: …".
std::vector<WrongSolution> read_mistakes(const std::filesystem::path& file);

// A line of code, and where it comes from: passed to compilers so that their messages point there.
struct CodeLine {
    std::string text;
    std::filesystem::path file;
    int number = 0;
};
using Code = std::vector<CodeLine>;

Code read_code(const std::filesystem::path& file);
// `file` is the mistakes.txt that `mistake` was read from.
Code with_mistake(const Code& solution, const WrongSolution& mistake, const std::filesystem::path& file);

// The solution and all wrong ones as one source, each in a namespace with its own copy of lesson.h: the
// headers are compiled once, which takes most of the time. Throws FileError if an edit does not fit or a hint
// is unknown.
std::string mistakes_source(const Lesson& lesson);

}  // namespace lesson
