// Runs the commands that a document shows and compares what they print: see docs/documentation.md.
//   run_docs [--update] --repo DIR --bin DIR --examples DIR --scratch DIR DOCUMENT.md
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

struct Options {
    bool update = false;
    fs::path repo, bin, examples, scratch, document;
};

// A command or an example program, and the document's lines with its expected output.
struct Shown {
    std::string command;
    std::size_t first = 0, last = 0;  // its expected lines in the document: [first, last)
    Lines expected;
    int exit_code = 0;
    std::string indent;
};

struct Result {
    Lines output;
    int exit_code = 0;
};

static Lines read_lines(std::istream& in) {
    Lines lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

static void drop_blank_end(Lines& lines) {
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
}

// The number that starts here, with its length in `length`; 0 if there is none.
static double number_at(const std::string& line, std::size_t at, std::size_t& length) {
    length = 0;
    const auto is_digit = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
    if (!is_digit(at) && !(line[at] == '-' && is_digit(at + 1))) return 0;
    char* end = nullptr;
    const double value = std::strtod(line.c_str() + at, &end);
    length = static_cast<std::size_t>(end - (line.c_str() + at));
    return value;
}

// One unit of the last digit shown; nothing with fewer than four decimals.
static double last_digit(const std::string& number) {
    const std::size_t point = number.find('.'), exponent = number.find('e');
    if (point == std::string::npos) return 0;
    const std::size_t decimals = std::min(exponent, number.size()) - point - 1;
    if (decimals < 4) return 0;
    const int power = exponent == std::string::npos ? 0 : std::atoi(number.c_str() + exponent + 1);
    return 1.01 * std::pow(10.0, power - static_cast<int>(decimals));
}

// Equal, up to the last digits of float numbers, which differ between processors (order of sums, fused
// multiply-add), and the spaces that align them.
static bool same_line(const std::string& expected, const std::string& printed) {
    if (expected == printed) return true;
    const double float_rounding = 1e-6;
    const auto skip_spaces = [](const std::string& line, std::size_t at) {
        return std::min(line.find_first_not_of(' ', at), line.size());
    };
    std::size_t e = skip_spaces(expected, 0), p = skip_spaces(printed, 0);
    while (e < expected.size() && p < printed.size()) {
        std::size_t e_length = 0, p_length = 0;
        const double a = number_at(expected, e, e_length), b = number_at(printed, p, p_length);
        if (e_length > 0 && p_length > 0) {
            const double last = last_digit(expected.substr(e, e_length));
            if (!(std::abs(a - b) <= float_rounding * std::max(1.0, std::abs(a)) + last)) return false;
        } else if (expected[e] != printed[p]) {
            return false;
        }
        e = skip_spaces(expected, e + std::max<std::size_t>(e_length, 1));
        p = skip_spaces(printed, p + std::max<std::size_t>(p_length, 1));
    }
    return e == expected.size() && p == printed.size();
}

// "start ..." matches any line that starts with it.
static bool same_start(const std::string& expected, const std::string& printed) {
    const std::size_t start = expected.size() - std::min<std::size_t>(expected.size(), 3);
    return start > 0 && expected.compare(start, 3, "...") == 0 &&
           printed.compare(0, start, expected, 0, start) == 0;
}

// A line `...` matches any number of lines, including none.
static bool matches(const Lines& expected, std::size_t e, const Lines& output, std::size_t o) {
    if (e == expected.size()) return o == output.size();
    if (expected[e] == "...") {
        for (std::size_t next = o; next <= output.size(); ++next)
            if (matches(expected, e + 1, output, next)) return true;
        return false;
    }
    return o < output.size() && (same_line(expected[e], output[o]) || same_start(expected[e], output[o])) &&
           matches(expected, e + 1, output, o + 1);
}

// One fenced block: its info string ("console exit 2") and the position of its lines.
struct Block {
    std::string info, indent;
    std::size_t first = 0, last = 0;
};

static std::vector<Block> find_blocks(const Lines& document) {
    std::vector<Block> blocks;
    for (std::size_t at = 0; at < document.size(); ++at) {
        const std::size_t start = document[at].find_first_not_of(' ');
        if (start == std::string::npos || document[at].compare(start, 3, "```") != 0) continue;
        const std::size_t info = std::min(document[at].find_first_not_of('`', start), document[at].size());
        const std::string end = document[at].substr(0, info);  // the same number of backticks and indentation
        Block block{document[at].substr(info), std::string(start, ' '), at + 1, at + 1};
        while (block.last < document.size() && document[block.last] != end) ++block.last;
        if (block.last == document.size())
            throw std::runtime_error("line " + std::to_string(at + 1) + ": this block has no end");
        blocks.push_back(block);
        at = block.last;
    }
    return blocks;
}

static std::string without_indent(const std::string& line, const std::string& indent) {
    return line.compare(0, indent.size(), indent) == 0 ? line.substr(indent.size()) : line;
}

// "$ command" lines, "> " continuation lines, and the output below each.
static void add_console(const Lines& document, const Block& block, std::vector<Shown>& shown) {
    const std::size_t before = shown.size();
    for (std::size_t at = block.first; at < block.last; ++at) {
        const std::string line = without_indent(document[at], block.indent);
        const bool printing = shown.size() > before;
        if (line.rfind("$ ", 0) == 0) {
            shown.push_back({line.substr(2), at + 1, at + 1, {}, 0, block.indent});
        } else if (printing && shown.back().expected.empty() && line.rfind("> ", 0) == 0) {
            shown.back().command += "\n" + line.substr(2);
            shown.back().first = shown.back().last = at + 1;
        } else if (printing) {
            shown.back().expected.push_back(line);
            shown.back().last = at + 1;
        } else {
            throw std::runtime_error("line " + std::to_string(at + 1) +
                                     ": a console block begins with a line \"$ command\"");
        }
    }
    if (shown.size() > before && block.info.rfind("console exit ", 0) == 0)
        shown.back().exit_code = std::stoi(block.info.substr(13));
}

// A block "console if COMMAND" is for systems on which that command succeeds: a sandbox, say, is not allowed
// everywhere.
static bool is_for_this_system(const Block& block) {
    if (block.info.rfind("console if ", 0) != 0) return false;
    const std::string needed = block.info.substr(11);
    if (std::system(("( " + needed + " ) >/dev/null 2>&1").c_str()) == 0) return true;
    std::cout << "line " << block.first << ": skipped, since this fails here: " << needed << "\n";
    return false;
}

static std::vector<Shown> find_shown(const Options& options, const Lines& document) {
    std::vector<Shown> shown;
    std::map<std::string, bool> printed;  // example → its output is shown
    for (const Block& block : find_blocks(document)) {
        if (block.info == "console" || block.info.rfind("console exit ", 0) == 0 || is_for_this_system(block))
            add_console(document, block, shown);
        if (block.info.rfind("cpp run ", 0) == 0) printed.emplace(block.info.substr(8), false);
        if (block.info.rfind("text prints ", 0) != 0) continue;
        const std::string example = block.info.substr(12);
        printed[example] = true;
        Shown one{(options.examples / example).string(), block.first, block.last, {}, 0, block.indent};
        for (std::size_t at = block.first; at < block.last; ++at)
            one.expected.push_back(without_indent(document[at], block.indent));
        shown.push_back(one);
    }
    for (const auto& [example, has_output] : printed)
        if (!has_output)
            throw std::runtime_error("the example " + example + " has no block ```text prints " + example);
    return shown;
}

static std::string quoted(const std::string& text) {
    std::string quote = "'";
    for (const char c : text) quote += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quote + "'";
}

// In a folder that looks like the repository but is writable; as on a terminal, messages are shown too.
static Result run(const Options& options, const std::string& command) {
    const std::string line =
        "cd " + quoted(options.scratch) + " && bash -c " + quoted(command) + " 2>&1 </dev/null";
    FILE* pipe = popen(line.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run bash");
    std::string text;
    char buffer[4096];
    for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
    const int status = pclose(pipe);
    std::istringstream stream(text);
    return {read_lines(stream), WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

// Links to everything in the repository; `./dev tracer` is the built tracer.
static void prepare_scratch(const Options& options) {
    fs::remove_all(options.scratch);
    fs::create_directories(options.scratch);
    for (const fs::directory_entry& entry : fs::directory_iterator(options.repo)) {
        const fs::path name = entry.path().filename();
        if (name != "dev" && name != ".git" && name != "build")
            fs::create_symlink(entry.path(), options.scratch / name);
    }
    std::ofstream(options.scratch / "dev")
        << "#!/bin/bash\n"
        << "if [ \"$1\" = tracer ]; then shift; exec tracer \"$@\"; fi\n"
        << "export GLASSBOX_BUILD=" << quoted(options.bin) << "\n"
        << "if [ \"$1\" = lesson ]; then shift; exec lessons/run \"$@\"; fi\n"
        << "exec " << quoted(options.repo / "dev") << " \"$@\"\n";
    fs::permissions(options.scratch / "dev", fs::perms::owner_all);
    setenv("PATH", (options.bin.string() + ":" + getenv("PATH")).c_str(), 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    setenv("GLASSBOX_PATIENCE", "0", 1);  // progress messages on a slow machine are not compared
    setenv("COLUMNS", "100", 1);
    for (const char* name : {"FORCE_COLOR", "NO_COLOR", "CLICOLOR_FORCE"}) unsetenv(name);
}

static void print_difference(const Options& options, const Shown& shown, const Result& result) {
    std::cout << options.document.string() << ":" << shown.first << ": $ " << shown.command << "\n";
    if (result.exit_code != shown.exit_code)
        std::cout << "  ends with exit code " << result.exit_code << ", not " << shown.exit_code << "\n";
    const fs::path expected = options.scratch / ".expected", printed = options.scratch / ".printed";
    std::ofstream expected_file(expected), printed_file(printed);
    for (const std::string& line : shown.expected) expected_file << line << "\n";
    for (const std::string& line : result.output) printed_file << line << "\n";
    expected_file.close();
    printed_file.close();
    std::cout << "  - the document, + the command" << std::endl;
    if (std::system(("diff -u " + quoted(expected) + " " + quoted(printed) + " | tail -n +3").c_str()) != 0)
        std::cout << "diff failed\n";
}

static void write_updated(const Options& options, const Lines& document, const std::vector<Shown>& shown,
                          const std::vector<Result>& results) {
    std::ofstream file(options.document);
    std::size_t at = 0;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        for (; at < shown[i].first; ++at) file << document[at] << "\n";
        if (matches(shown[i].expected, 0, results[i].output, 0)) continue;
        for (const std::string& line : results[i].output)
            file << (line.empty() ? "" : shown[i].indent) << line << "\n";
        at = shown[i].last;
        if (at < document.size() && document[at].find("$ ") != std::string::npos) file << "\n";
    }
    for (; at < document.size(); ++at) file << document[at] << "\n";
}

static Options parse(int argc, char* argv[]) {
    Options options;
    std::map<std::string, fs::path*> paths{{"--repo", &options.repo},
                                           {"--bin", &options.bin},
                                           {"--examples", &options.examples},
                                           {"--scratch", &options.scratch}};
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--update") options.update = true;
        else if (paths.count(argument) && i + 1 < argc) *paths[argument] = argv[++i];
        else options.document = argument;
    }
    return options;
}

static int run_document(const Options& options) {
    std::ifstream file(options.document);
    if (!file) throw std::runtime_error("cannot be read");
    const Lines document = read_lines(file);
    std::vector<Shown> shown = find_shown(options, document);
    prepare_scratch(options);
    std::vector<Result> results;
    int wrong = 0;
    for (Shown& one : shown) {
        results.push_back(run(options, one.command));
        drop_blank_end(one.expected);
        drop_blank_end(results.back().output);
        if (matches(one.expected, 0, results.back().output, 0) && results.back().exit_code == one.exit_code)
            continue;
        print_difference(options, one, results.back());
        wrong += 1;
    }
    if (options.update) write_updated(options, document, shown, results);
    std::cout << options.document.string() << ": " << shown.size() << " commands, " << wrong
              << " not as shown\n";
    return wrong == 0 ? 0 : 1;
}

int main(int argc, char* argv[]) {
    const Options options = parse(argc, argv);
    try {
        return run_document(options);
    } catch (const std::exception& error) {
        std::cout << options.document.string() << ": " << error.what() << "\n";
        return 1;
    }
}
