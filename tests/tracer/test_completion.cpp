// Completions and the manual page: generated from the options, tested in real shells.
#include <fmt/format.h>

#include "command.h"
#include "tracer/cli/command.h"
#include "tracer/cli/failure.h"

using namespace glassbox_test;

namespace {

bool has_program(const std::string& name) {
    Surroundings shell;
    shell.program = "bash";
    return run_program({"-c", "command -v " + name}, shell).code == 0;
}

// Bash's suggestions for the last of these words.
std::string offered(const std::vector<std::string>& line, const std::string& folder = ".") {
    std::string script =
        "cd '" + folder + "'; source <('" + std::string(GLASSBOX_TRACER) + "' completion bash); COMP_WORDS=(";
    for (const std::string& word : line) script += " '" + word + "'";
    script += "); COMP_CWORD=" + std::to_string(line.size() - 1) + "; _tracer; echo \"${COMPREPLY[*]}\"";
    Surroundings shell;
    shell.program = "bash";
    const Ran ran = run_program({"-c", script}, shell);
    CHECK(ran.err.empty());
    return ran.out.substr(0, ran.out.size() - 1);
}

}  // namespace

TEST_CASE("completion: bash suggests commands, options, and the values of options", "[exhaustive]") {
    if (!has_program("bash")) SKIP("there is no bash");
    CHECK(offered({"tracer", "att"}) == "attention");
    CHECK(offered({"tracer", "help", "compl"}) == "completion");
    CHECK(offered({"tracer", "help", "comp"}) == "compare completion");
    CHECK(offered({"tracer", "--v"}) == "--version");
    CHECK(offered({"tracer", "attention", "--prec"}) == "--precision");
    CHECK(offered({"tracer", "attention", "--rng", ""}) == "jax torch numpy");
    CHECK(offered({"tracer", "attention", "--seq", "3", "--rng", "t"}) == "torch");
    CHECK(offered({"tracer", "attention", "--rng", "=", "t"}) == "torch");
    CHECK(offered({"tracer", "attention", "--rng", "="}) == "jax torch numpy");
    CHECK(offered({"tracer", "attention", "--seq", ""}).empty());
    CHECK(offered({"tracer", "attention", "--convention", "uva-t"}) == "uva-torch");
    CHECK(offered({"tracer", "attention", "--only", "Q,val"}) == "Q,values");
    CHECK(offered({"tracer", "attention", "--grad", "--scala"}) == "--scalar");
    CHECK(offered({"tracer", "attention", "--scalar", "mean"}) == "mean\\(values\\)");
    CHECK(offered({"tracer", "completion", ""}) == "bash zsh fish");
    CHECK(offered({"tracer", "completion", "z"}) == "zsh");
    CHECK(offered({"tracer", "attention", "--"}).find("--seq --batch --dk --dv --memory --keys") !=
          std::string::npos);
    CHECK(offered({"tracer", "attention", "--", ""}).find("--seq") != std::string::npos);
}

TEST_CASE("completion: bash suggests files with a suitable ending, and folders") {
    if (!has_program("bash")) SKIP("there is no bash");
    const Folder folder;
    for (const char* name : {"a.npz", "b.npy", "c.txt", "d e.npz"}) write(folder / name, "");
    std::filesystem::create_directory(folder / "sub");
    const std::string here = folder / "";
    const auto sorted = [&](const std::string& flag, const std::string& begin) {
        return offered({"tracer", "attention", flag, begin}, here);
    };
    CHECK(sorted("--input", "a") == "a.npz");
    CHECK(sorted("--input", "b").empty());
    CHECK(sorted("--input", "d") == "d e.npz");
    CHECK(sorted("--input", "s") == "sub");
    CHECK(sorted("--mask", "b") == "b.npy");
    CHECK(sorted("--mask", "c") == "causal");
    CHECK(sorted("-o", "c") == "c.txt");
}

TEST_CASE("completion: each shell's script contains every command and every option") {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const Ran ran = tracer_run({"completion", shell});
        REQUIRE(ran.code == 0);
        for (const glassbox::tracer::Command& command : glassbox::tracer::all_commands()) {
            CHECK(ran.out.find(command.name) != std::string::npos);
            REQUIRE(command.options);
            const auto options = command.options();
            for (const auto& option : options->described()) {
                if (option.is_argument()) continue;
                const std::string flag = option.name(), bare = flag.substr(flag.find_first_not_of('-'));
                INFO(shell << " " << flag);
                CHECK(ran.out.find(std::string(shell) == "fish" ? "-l " + bare : flag) != std::string::npos);
            }
        }
    }
}

TEST_CASE("completion: each shell accepts its script") {
    const Folder folder;
    int accepted = 0;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        if (!has_program(shell)) continue;
        REQUIRE(tracer_run({"completion", shell, "-o", folder / shell}).code == 0);
        Surroundings around;
        around.program = shell;
        const Ran ran = run_program({"-n", folder / shell}, around);
        INFO(shell << ": " << ran.err);
        CHECK(ran.code == 0);
        CHECK(ran.err.empty());
        ++accepted;
    }
    if (accepted == 0) SKIP("there is no shell to ask");
}

TEST_CASE("manual: contains every command, option and exit code, and is roff without warnings") {
    const Ran ran = tracer_run({"manual"});
    REQUIRE(ran.code == 0);
    CHECK(ran.out.find(".TH TRACER 1 ") == 0);
    for (const glassbox::tracer::Command& command : glassbox::tracer::all_commands()) {
        std::string name = command.name;  // roff's hyphen is "\\-"
        for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2))
            name.replace(at, 1, "\\-");
        CHECK(ran.out.find(".SH TRACER " + name + "\n") != std::string::npos);
        const auto options = command.options();
        for (const auto& option : options->described()) {
            std::string roff;
            for (const char c : option.name()) roff += c == '-' ? std::string("\\-") : std::string(1, c);
            INFO(option.name());
            CHECK(ran.out.find(roff) != std::string::npos);
        }
    }
    for (const auto& [code, meaning] : glassbox::tracer::exit_codes()) {
        INFO(code);
        CHECK(ran.out.find(fmt::format(".B {}\n{}\n", code, meaning)) != std::string::npos);
    }
    if (!has_program("groff")) SKIP("there is no groff to ask");
    const Folder folder;
    write(folder / "tracer.1", ran.out);
    Surroundings groff;
    groff.program = "groff";
    const Ran set = run_program({"-man", "-Kutf8", "-Tutf8", "-ww", "-z", folder / "tracer.1"}, groff);
    CHECK(set.code == 0);
    CHECK(set.err.empty());
}
