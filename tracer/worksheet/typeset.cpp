#include "worksheet/sheet.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>

#include "cli/failure.h"
#include "cli/heartbeat.h"

namespace glassbox::tracer {

namespace fs = std::filesystem;

namespace {

// Its place in PATH; "" if missing.
std::string path_of(const std::string& program) {
    const char* path = std::getenv("PATH");
    const std::string folders = path ? path : "";
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        const std::string file = fs::absolute(folders.substr(begin, end - begin) + "/" + program).string();
        if (end > begin && ::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file)) return file;
        begin = end + 1;
    }
    return "";
}

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern = (fs::temp_directory_path() / "tracer-worksheet-XXXXXX").string();
        if (!::mkdtemp(pattern.data()))
            fail<IoError>("{}: cannot make a folder: {}", pattern, std::strerror(errno));
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    fs::path operator/(const char* name) const { return path_ / name; }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

// For execve, which takes no const.
std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

// This program's, with what keeps TeX to its folder.
std::vector<std::string> environment_of_tex() {
    std::vector<std::string> all = {
        "openout_any=p", "openin_any=r",  // it writes into this folder only, and reads no hidden files
        "MKTEXTFM=0"};                    // a font that is not installed is not looked for elsewhere
    for (char** each = environ; *each; ++each) {
        const std::string_view entry = *each, name = entry.substr(0, entry.find('='));
        if (name != "openout_any" && name != "openin_any" && name != "MKTEXTFM") all.emplace_back(entry);
    }
    return all;
}

// Runs it in the folder, without input, and with its messages in messages.txt. The exit code; −1 if it was
// killed. Other threads may hold locks when this one forks: the child makes system calls only.
int run_in(const fs::path& folder, std::vector<std::string> words) {
    const std::string program = path_of(words[0]), messages = (folder / "messages.txt").string();
    std::vector<std::string> variables = environment_of_tex();
    const std::vector<char*> arguments = pointers(words), environment = pointers(variables);
    const pid_t child = ::fork();
    if (child < 0) fail<IoError>("{}: cannot start it: {}", words[0], std::strerror(errno));
    if (child == 0) {
        const int in = ::open("/dev/null", O_RDONLY);
        const int out = ::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const bool is_ready = in >= 0 && out >= 0 && ::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 &&
                              ::dup2(out, 2) >= 0 && ::chdir(folder.c_str()) == 0;
        if (is_ready) ::execve(program.c_str(), arguments.data(), environment.data());
        ::_exit(127);
    }
    int status = 0;
    for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
        if (caught_signal()) ::kill(child, SIGKILL);
        ended = ::waitpid(child, &status, WNOHANG);
        if (ended == 0) ::usleep(10000);
    }
    if (caught_signal()) throw Interrupted();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string text_of(const fs::path& file) {
    const Bytes bytes = read_file(file);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "! Undefined control sequence.", the first of its errors.
std::string first_error(const fs::path& messages) {
    const std::string text = fs::exists(messages) ? text_of(messages) : "";
    const std::size_t at = text.starts_with("!") ? 0 : text.find("\n!");
    if (at == text.npos) return "it says nothing about why";
    const std::size_t begin = at + (text[at] == '\n');
    return printable(text.substr(begin, text.find('\n', begin) - begin));
}

}  // namespace

std::string installed_latex(bool needs_fonts) {
    std::vector<std::string> known = {"pdflatex", "xelatex", "tectonic", "lualatex"};
    if (needs_fonts) std::rotate(known.begin(), known.begin() + 1, known.end());
    for (const std::string& each : known)
        if (!path_of(each).empty()) return each;
    fail<IoError>(
        "a PDF is typeset by LaTeX, and none of pdflatex, xelatex, lualatex and tectonic is installed: "
        "install "
        "one (on Debian and Ubuntu: apt install texlive-latex-recommended), or write a .tex or .md file");
}

std::string typeset(const std::string& document, const std::string& latex) {
    const TemporaryFolder folder;
    const Activity doing("running " + latex);
    write_file_atomically(folder / "sheet.tex", std::string_view(document));
    std::vector<std::string> words = {latex, "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error",
                                      "sheet.tex"};
    if (latex == "tectonic") words = {latex, "--untrusted", "sheet.tex"};
    const int code = run_in(folder.path(), words);
    if (code != 0 || !fs::exists(folder / "sheet.pdf"))
        fail<IoError>("{} could not typeset the sheet: {}", latex, first_error(folder / "messages.txt"));
    return text_of(folder / "sheet.pdf");
}

}  // namespace glassbox::tracer
