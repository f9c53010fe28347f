// --step on a real terminal: single keys, with the terminal's mode restored however the program ends.
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <algorithm>

#include <chrono>
#include <thread>

#include "command.h"
#include "support/terminals.h"
#include "tracer/cli/heartbeat.h"
#include "tracer/cli/text_width.h"

using namespace glassbox_test;

namespace {

using std::chrono::steady_clock;

// The command on a pseudo-terminal.
class OnTerminal {
  public:
    explicit OnTerminal(const std::vector<std::string>& arguments, const char* term = "xterm-256color",
                        const char* terminal_colors = nullptr, int columns = 0) {
        need_terminals();
        master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
        REQUIRE(::grantpt(master_) == 0);
        REQUIRE(::unlockpt(master_) == 0);
        const std::string name = ::ptsname(master_);
        slave_ = ::open(name.c_str(), O_RDWR | O_NOCTTY);
        std::vector<std::string> words{GLASSBOX_TRACER};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words) argv.push_back(word.data());
        argv.push_back(nullptr);
        child_ = ::fork();
        if (child_ == 0) {
            ::setsid();
            const int terminal = ::open(name.c_str(), O_RDWR);
            ::ioctl(terminal, TIOCSCTTY, 0);
            for (int fd : {0, 1, 2}) ::dup2(terminal, fd);
            winsize size{};
            size.ws_col = static_cast<unsigned short>(columns);
            ::ioctl(terminal, TIOCSWINSZ, &size);
            for (const char* variable : {"NO_COLOR", "FORCE_COLOR", "COLORTERM"}) ::unsetenv(variable);
            if (terminal_colors) ::setenv("COLORTERM", terminal_colors, 1);
            ::setenv("TERM", term, 1);
            ::setenv("GLASSBOX_PATIENCE", "0", 1);
            ::execv(argv[0], argv.data());
            ::_exit(127);
        }
    }
    ~OnTerminal() {
        if (child_ > 0) ::kill(child_, SIGKILL), ::waitpid(child_, nullptr, 0);
        ::close(slave_);
        ::close(master_);
    }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    // Reads until `text` arrives, for at most 20 s.
    bool shows(const std::string& text) {
        const auto end = steady_clock::now() + std::chrono::seconds(20);
        while (seen_.find(text) == std::string::npos && steady_clock::now() < end) read_for(100);
        return seen_.find(text) != std::string::npos;
    }
    void type(const std::string& keys) { REQUIRE(::write(master_, keys.data(), keys.size()) > 0); }
    bool takes_lines() const {
        termios now{};
        ::tcgetattr(slave_, &now);
        return (now.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO);
    }
    bool becomes(bool lines) const {
        const auto end = steady_clock::now() + std::chrono::seconds(20);
        while (takes_lines() != lines && steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return takes_lines() == lines;
    }
    // An exit code, or 1000 + the signal that ended it. Keeps reading, so that the command can finish
    // writing.
    int ended() {
        int status = 0;
        while (::waitpid(child_, &status, WNOHANG) == 0) read_for(5);
        while (read_for(0)) {
        }
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }
    const std::string& text() const { return seen_; }
    // The output so far, without colours and progress.
    std::vector<std::string> lines() const {
        std::vector<std::string> result(1);
        for (std::size_t i = 0; i < seen_.size(); ++i) {
            if (seen_[i] == '\x1b') i = std::min(seen_.find_first_of("mK", i), seen_.size());
            else if (seen_[i] == '\n') result.emplace_back();
            else if (seen_[i] != '\r') result.back() += seen_[i];
        }
        return result;
    }

  private:
    // Whether something came within that time.
    bool read_for(int milliseconds) {
        pollfd ready{master_, POLLIN, 0};
        if (::poll(&ready, 1, milliseconds) <= 0) return false;
        char buffer[4096];
        const ssize_t n = ::read(master_, buffer, sizeof buffer);
        if (n > 0) seen_.append(buffer, static_cast<std::size_t>(n));
        return n > 0;
    }

    int master_ = -1, slave_ = -1;
    pid_t child_ = -1;
    std::string seen_;
};

}  // namespace

TEST_CASE("terminal: --step takes single keys, and restores the terminal after q") {
    OnTerminal command({"attention", "--step", "--color", "never"});
    REQUIRE(command.shows("Press a key for the next step"));
    REQUIRE(command.becomes(false));
    command.type(" ");
    CHECK(command.shows("1  Q  (3, 2)"));
    command.type("x");
    CHECK(command.shows("2  K  (3, 2)"));
    command.type("q");
    CHECK(command.ended() == 0);
    CHECK(command.takes_lines());
}

TEST_CASE("terminal: Ctrl-C ends --step and restores the terminal") {
    OnTerminal command({"attention", "--step"});
    REQUIRE(command.becomes(false));
    command.type("\x03");
    CHECK(command.ended() == 1000 + SIGINT);
    CHECK(command.takes_lines());
}

TEST_CASE("a rough time has the unit that is easiest to read") {
    CHECK(glassbox::tracer::rough_time(40.2) == "40 s");
    CHECK(glassbox::tracer::rough_time(720) == "12 min");
    CHECK(glassbox::tracer::rough_time(5400) == "90 min");
    CHECK(glassbox::tracer::rough_time(7200) == "2.0 h");
}

TEST_CASE("terminal: after the last step the command exits") {
    OnTerminal command({"attention", "--step", "--only", "values"});
    REQUIRE(command.becomes(false));
    command.type(" ");
    CHECK(command.ended() == 0);
    CHECK(command.takes_lines());
}

TEST_CASE("terminal: --predict takes complete lines") {
    OnTerminal command({"attention", "--predict", "--color", "never"});
    REQUIRE(command.shows("which shape?"));
    CHECK(command.takes_lines());
    command.type("3 3\n");
    CHECK(command.shows("Right."));
    command.type("q\n");
    CHECK(command.ended() == 0);
}

TEST_CASE("terminal: a terminal gets colours, and no npz") {
    OnTerminal colored({"attention"});
    CHECK(colored.shows("\x1b[48;5;"));
    OnTerminal all({"attention"}, "xterm-256color", "truecolor");
    CHECK(all.shows("\x1b[48;2;"));
    OnTerminal refused({"attention", "--format", "npz"});
    CHECK(refused.shows("\x1b[1;31merror:\x1b[0m --format: npz is not for a terminal: add -o FILE.npz"));
    CHECK(refused.ended() == 2);
}

TEST_CASE("terminal: as many colours as COLORTERM and TERM allow, and no background with 16") {
    const auto output = [](const std::vector<std::string>& set) {
        Surroundings around;
        around.set = set;
        return tracer_run({"multihead", "--mask", "causal", "--color", "always"}, around).out;
    };
    const auto has = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos;
    };
    for (const char* terminal : {"TERM=xterm-256color", "TERM=xterm"})
        for (const char* colors : {"COLORTERM=truecolor", "COLORTERM=24bit"})
            CHECK(has(output({terminal, colors}), "\x1b[48;2;"));
    for (const char* terminal : {"TERM=xterm-256color", "TERM=screen-256color"}) {
        CHECK(has(output({terminal, "COLORTERM=yes"}), "\x1b[48;5;"));
        CHECK_FALSE(has(output({terminal}), "\x1b[48;2;"));
    }
    for (const char* terminal : {"TERM=xterm", "TERM=linux", "TERM="}) {
        const std::string text = output({terminal});
        CHECK(has(text, "\x1b[2m"));
        CHECK_FALSE(has(text, "\x1b[4"));
        CHECK_FALSE(has(text, ";4"));
    }
}

TEST_CASE("terminal: long lines are wrapped between words at its width, but not in a pipe") {
    const std::vector<std::string> arguments{"attention", "--color", "never"};
    OnTerminal narrow(arguments, "xterm", nullptr, 60);
    CHECK(
        narrow.shows("Scaled dot-product attention\r\n"
                     "  convention uva-jax (the JAX tutorial)\r\n"
                     "  random numbers as JAX draws them, seed 42\r\n"));
    CHECK(narrow.shows("   attention[0,0] = exp(-0.6308) / (exp(-0.6308)\r\n   + exp(0.0282)"));
    const Ran piped = tracer_run(arguments);
    CHECK(piped.out.find("(the JAX tutorial) · random numbers as JAX draws them, seed 42\n") !=
          std::string::npos);
}

TEST_CASE("terminal: a training step's report and the arithmetic of a number are no wider than it") {
    const std::vector<std::vector<std::string>> commands{
        {"attention", "--explain", "values[0,1]", "--color", "never"},
        {"train", "reverse", "--step", "1", "--examples", "64", "--batch", "8", "--seq", "6"}};
    for (const std::vector<std::string>& arguments : commands) {
        OnTerminal narrow(arguments, "xterm", nullptr, 64);
        CHECK(narrow.ended() == 0);
        for (const std::string& line : narrow.lines()) {
            CAPTURE(line);
            CHECK(glassbox::tracer::width_of(line) <= 64);
        }
    }
}

TEST_CASE("terminal: of every file it says that it was written, of a page what to do, and a script nothing") {
    const Folder folder;
    const std::string file = folder / "trace.html";
    OnTerminal here({"attention", "-o", file}, "xterm", nullptr, 300);
    CHECK(here.ended() == 0);
    CHECK(here.shows(file + ": written; open it in a browser\r\n"));
    const Ran script = tracer_run({"attention", "-o", file});
    CHECK((script.code == 0 && script.out.empty() && script.err.empty()));
    OnTerminal other({"attention", "-o", folder / "trace.json"}, "xterm", nullptr, 300);
    CHECK(other.ended() == 0);
    CHECK(other.shows("trace.json: written\r\n"));
}

TEST_CASE("terminal: traces, lists, comparisons, help and errors are no wider than it") {
    const glassbox_test::Folder folder;
    glassbox_test::write(folder / "values.txt", "[[0.3467 -0.1410] [-0.2356 -0.4582] [0.4021 -0.1099]]");
    const std::vector<std::vector<std::string>> commands{
        {"transformer", "--text", "je suis étudiant"},
        {"transformer", "--text", "je suis étudiant", "--scope", "decoder/0/self_attn"},
        {"encoder", "--seq", "30", "--dmodel", "24", "--heads", "3", "--layers", "1"},
        {"attention", "--grad"},
        {"encoder-block", "--diff", "uva-jax,report"},
        {"check", "attention", "--seq", "3", "--dk", "2", folder / "values.txt"},
        {"mistakes", "attention/over-queries"},
        {"power", "attention", "--seq", "3", "--dk", "2"},
        {"loss", "--mistake", "losses/softmax-twice"},
        {"--help"},
        {"encoder", "--help"},
        {"encoder", "--only", "no-such-step"}};
    for (const int width : {80, 100, 140})
        for (const std::vector<std::string>& arguments : commands) {
            OnTerminal command(arguments, "xterm-256color", nullptr, width);
            command.ended();
            for (const std::string& line : command.lines()) {
                if (line.find("https://") != std::string::npos) continue;  // an address is not broken
                CAPTURE(width, arguments, line);
                CHECK(glassbox::tracer::width_of(line) <= width);
            }
        }
}

TEST_CASE(
    "terminal: attention weights have four digits, no exponent, heads and words; a pipe has all digits") {
    const std::vector<std::string> arguments{
        "transformer", "--text", "je suis étudiant", "--only", "attention", "--color", "never"};
    OnTerminal command(arguments, "xterm", nullptr, 80);
    CHECK(command.ended() == 0);
    CHECK(command.text().find("\r\n   head 1\r\n") != std::string::npos);
    CHECK(command.text().find("   étudiant₂  ") != std::string::npos);
    for (std::string line : command.lines()) {
        if (!line.starts_with("   je₀  ")) continue;
        CAPTURE(line);
        CHECK(line.find("e-") == std::string::npos);
        CHECK(line.find('.') + 5 == line.find(' ', line.find('.')));
    }
    CHECK(command.text().find("╱") != std::string::npos);  // the decoder's mask
    CHECK(tracer_run(arguments).out.find("9.9317741e-01") != std::string::npos);
    const std::vector<std::string> precise{"attention", "--seq",       "3", "--dk",    "2",    "--only",
                                           "attention", "--precision", "8", "--color", "never"};
    OnTerminal eight(precise, "xterm", nullptr, 80);
    CHECK(eight.shows("[[0.27963293 0.54049295 0.17987415]"));
}

TEST_CASE("terminal: what the colours mean, and on which scale, is a line above the steps") {
    const auto legend = [](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"multihead", "--mask", "causal"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        OnTerminal command(arguments, "xterm-256color", "truecolor", 100);
        CHECK(command.ended() == 0);
        for (const std::string& line : command.lines())
            if (line.find("weights: ") != std::string::npos) return line;
        return std::string();
    };
    CHECK(legend({}).find(", the largest of all steps (--scale each)   weights: 0           1") !=
          std::string::npos);
    CHECK(legend({"--scale", "each"})
              .find("numbers: -largest     0     largest of each step   weights: 0           largest of "
                    "each step") == 0);
    CHECK(tracer_run({"multihead", "--mask", "causal", "--color", "always"}).out.find("--scale") ==
          std::string::npos);
}

TEST_CASE("terminal: --explain and --diff have their names in bold, errors and hints a red word") {
    OnTerminal explained({"attention", "--explain", "values[0,1]"}, "xterm-256color", nullptr, 100);
    CHECK(explained.shows("\x1b[1mvalues[0,1]\x1b[0m = "));
    OnTerminal differing({"encoder-block", "--diff", "uva-jax,report"}, "xterm-256color", nullptr, 100);
    CHECK(differing.shows("The first that differs: \x1b[1mnorm1\x1b[0m"));
    OnTerminal wrong({"attention", "--seq", "x"}, "xterm-256color", nullptr, 100);
    CHECK(wrong.shows("\x1b[1;31merror:\x1b[0m --seq: expected a whole number, got 'x'"));
    CHECK(tracer_run({"attention", "--seq", "x"}).err == "error: --seq: expected a whole number, got 'x'\n");
}

TEST_CASE(
    "terminal: --explain has four digits, each number's factors further in, in the colours of the trace") {
    OnTerminal command({"attention", "--explain", "values[0,1]"}, "xterm-256color", "truecolor", 120);
    CHECK(command.ended() == 0);
    const std::string text = without_colors(command.text());
    CHECK(text.find("0.2796·1.1051") != std::string::npos);
    CHECK(text.find("\r\n   attention[0,0] = ") != std::string::npos);
    CHECK(text.find("\r\n      scaled[0,0] = ") != std::string::npos);
    CHECK(command.text().find("m0.2796\x1b[0m·\x1b[48;2;") != std::string::npos);
    OnTerminal plain({"attention", "--explain", "values[0,1]", "--color", "never"}, "xterm", nullptr, 120);
    CHECK(plain.ended() == 0);
    CHECK(plain.text().find("\x1b[") == std::string::npos);
    CHECK(tracer_run({"attention", "--explain", "values[0,1]"}).out.find("\nattention[0,0] = ") !=
          std::string::npos);
}

TEST_CASE("terminal: a gradient and the expected numbers stand beside a step's own where both fit") {
    OnTerminal gradients({"attention", "--grad"}, "xterm", nullptr, 100);
    CHECK(gradients.ended() == 0);
    CHECK(gradients.text().find("   Q                        ∂sum(values)/∂Q\r\n") != std::string::npos);
    CHECK(gradients.text().find("the same by finite differences\r\n") == std::string::npos);  // they agree
    CHECK(gradients.text().find(" agree within") != std::string::npos);
    OnTerminal narrow({"multihead", "--grad"}, "xterm", nullptr, 40);
    CHECK(narrow.ended() == 0);
    CHECK(narrow.text().find("\r\n   ∂sum(output)/∂x\r\n") != std::string::npos);
    CHECK(tracer_run({"attention", "--grad"}).out.find("the same by finite differences\n   [[") !=
          std::string::npos);
    OnTerminal wrong({"attention", "--mistake", "scaled/no-root"}, "xterm", nullptr, 100);
    CHECK(wrong.ended() == 0);
    const std::string text = wrong.text();
    const std::size_t heading = text.find("   with the mistake");
    REQUIRE(heading != std::string::npos);
    CHECK(text.substr(heading, text.find('\r', heading) - heading).find("the expected numbers") !=
          std::string::npos);
}

TEST_CASE(
    "terminal: the colours of numbers that are never negative begin at 0, weak ones have no background") {
    OnTerminal mask({"mask"}, "xterm-256color", "truecolor", 100);
    CHECK(mask.ended() == 0);
    CHECK(without_colors(mask.text()).find("numbers: 0     1, ") != std::string::npos);
    OnTerminal attention({"attention"}, "xterm-256color", "truecolor", 100);
    CHECK(attention.ended() == 0);
    CHECK(attention.text().find("\x1b[38;2;204;74;60m-0.1466") != std::string::npos);
}

TEST_CASE("terminal: tracer alone shows what a trained model looks at, and what to type next") {
    OnTerminal first({}, "xterm-256color", nullptr, 80);
    CHECK(first.ended() == 0);
    CHECK(first.shows(
        "\x1b[1mtracer\x1b[0m: see through a Transformer: every step, every number, every gradient."));
    CHECK(first.shows("A Transformer that learned to reverse: \x1b[1m2 5 3 7 1 → 1 7 3 5 2\x1b[0m"));
    CHECK(first.shows("writes 1 "));  // rows and columns are named as in the map and the numbers
    CHECK(first.shows("2₀"));
    CHECK(first.shows("tracer predict reverse '2 5 3 7 1' --trained --map"));
    CHECK(first.shows("tracer predict reverse '2 5 3 7 1' --trained -o p.html"));
    for (const std::string& line : first.lines()) {
        CAPTURE(line);
        CHECK(glassbox::tracer::width_of(line) <= 80);
    }
    CHECK(tracer_run({}).out == tracer_run({"--help"}).out);  // not in a pipe
}

TEST_CASE("terminal: training's progress is one line of the terminal, and its table fits into 80 columns") {
    OnTerminal training({"train", "reverse", "--epochs", "2", "--examples", "4096", "--no-files"}, "xterm",
                        nullptr, 80);
    CHECK(training.ended() == 0);
    CHECK(training.shows(" left"));
    std::string line;
    int shown = 0;
    for (const char c : training.text() + "\n") {
        if (c != '\r' && c != '\n') {
            line += c;
            continue;
        }
        if (line.starts_with("\x1b[K")) line.erase(0, 3);  // written over the one before
        CAPTURE(line);
        CHECK(glassbox::tracer::width_of(line) <= 80);
        shown += !line.empty();
        line.clear();
    }
    CHECK(shown > 5);
}

TEST_CASE("terminal: a summary's rows fit into 80 columns, and no word or number is broken") {
    OnTerminal summary({"encoder", "--summary"}, "xterm", nullptr, 80);
    CHECK(summary.ended() == 0);
    for (const std::string& line : summary.lines()) {
        CAPTURE(line);
        CHECK(glassbox::tracer::width_of(line) <= 80);
    }
}

TEST_CASE("terminal: a training step's report has bold headings and a green mark") {
    OnTerminal books({"train", "reverse", "--step", "1", "--examples", "64", "--batch", "8", "--seq", "6"});
    CHECK(books.shows("\x1b[1m4  clipping\x1b[0m"));
    CHECK(books.shows("\x1b[32m✓\x1b[0m the optimiser's result"));
}
