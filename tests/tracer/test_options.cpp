#include <glassbox/random/stream.h>

#include <fmt/format.h>

#include <limits>

#include "support/errors.h"
#include "tracer/cli/options.h"

using namespace glassbox;
using namespace glassbox::tracer;
using glassbox::UsageError;
using glassbox_test::check_error;

TEST_CASE("options: a line is split into words as a shell does, and a word's quotes are undone") {
    CHECK(shell_words("") == Arguments{});
    CHECK(shell_words("  a  b\tc\n") == Arguments{"a", "b", "c"});
    CHECK(shell_words("--text 'the cat' \"a 'b'\" c\\ d '' e'f'") ==
          Arguments{"--text", "the cat", "a 'b'", "c d", "", "ef"});
    for (const std::string word : {"plain", "two words", "it's", "\"", "\\", ""})
        CHECK(shell_words("x " + shell_word(word)) == Arguments{"x", word});
    for (const char* open : {"'a", "a \"b", "'a\"", "it's"}) CHECK_FALSE(shell_words(open));
}

namespace {

// Words that are counted when they are made.
struct CountedWord {
    std::string text;
    static inline int made = 0;
};

}  // namespace

template <>
struct glassbox::tracer::OptionValue<CountedWord> {
    static constexpr const char* value_name = "WORD";
    static CountedWord parse(const Typed& typed) { return {typed.text}; }
    static std::string text(const CountedWord& word) { return word.text; }
    static Values values(const OptionInfo&) {
        ++CountedWord::made;
        return {.words = {"one", "two"}, .words_only = true};
    }
};

TEST_CASE("options: the words of an option are made when somebody asks for them, and not before") {
    CountedWord word;
    std::int64_t other = 1;
    CountedWord::made = 0;
    Options options{"sample", "A sample.", {}};
    options.value("--word", word, {.help = "Which"});
    options.value("--other", other, {.help = "How many"});
    REQUIRE(options.parse({"--other", "3"}));
    CHECK(options.values().size() == 2);
    CHECK(options.command_line({}) == " --other 3");
    CHECK(CountedWord::made == 0);
    CHECK(options.help().find("--word WORD              Which: one or two\n") != std::string::npos);
    CHECK(CountedWord::made > 0);
    CHECK(options.described()[0].values().words == std::vector<std::string>{"one", "two"});
}

namespace {

struct Sample {
    std::int64_t seq = 3;
    glassbox::Rng rng = glassbox::Rng::jax;
    std::optional<glassbox::Rng> other;
    std::filesystem::path output;
    std::string Q, word;
    std::vector<std::int64_t> lengths;
    double rate = 0.5;
    bool grad = false;
    Options options{"sample", "A sample.", {{"tracer sample", "Runs it."}}};
    Sample() {
        options.value("--seq", seq, {.help = "How many", .min = 2, .max = 9});
        options.value("--rng", rng, {.help = "Whose", .words = {"jax", "torch"}});
        options.value("--other", other, {.help = "Whose else", .default_text = "as --rng"});
        options.value("--Q", Q, {.help = "Numbers", .value_name = "ROWS"});
        options.value("--lengths", lengths, {.help = "Lengths", .min = 0});
        options.value("--rate", rate, {.help = "How fast"});
        options.flag("--grad", grad, "Gradients");
        options.group("Shown");
        options.value("-o,--output", output, {.help = "There"});
        options.argument("WORD", word, {.help = "One word"});
    }
    std::string error(const Arguments& arguments) {
        try {
            options.parse(arguments);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "";
    }
};

}  // namespace

TEST_CASE("options: values, flags and an argument, in every notation") {
    Sample s;
    REQUIRE(s.options.parse({"hello", "--seq", "5", "--rng=torch", "--grad", "-ofile", "--Q", "-1 0; 0 -1"}));
    CHECK(s.seq == 5);
    CHECK(s.rng == glassbox::Rng::torch);
    CHECK(s.grad);
    CHECK(s.output == "file");
    CHECK(s.Q == "-1 0; 0 -1");
    CHECK(s.word == "hello");
    CHECK(s.options.given("--output"));
    Sample t;
    REQUIRE(t.options.parse({"-o", "a b", "--Q=[[1, 0], [0, 1]]"}));
    CHECK(t.output == "a b");
    CHECK(t.Q == "[[1, 0], [0, 1]]");
    CHECK_FALSE(t.options.given("--seq"));
    CHECK(t.seq == 3);
}

TEST_CASE("options: for an option with two names an error uses the one that was typed") {
    std::int64_t keys = 3;
    Options options{"sample", "A sample.", {}};
    options.value("--memory,--keys", keys, {.help = "How many"});
    check_error<UsageError>(
        [&] {
            options.parse({"--memory", "0"});
        },
        "--memory: expected at least 1, got 0");
    check_error<UsageError>([&] { options.parse({"--keys=0"}); }, "--keys: expected at least 1, got 0");
    CHECK(options.as_typed("--memory") == "--keys");
}

TEST_CASE("options: a value is parsed as its target's type, with errors at the command line") {
    Sample s;
    REQUIRE(s.options.parse({"--lengths", "5,0,3", "--rate", "0.25", "--other", "numpy"}));
    CHECK(s.lengths == std::vector<std::int64_t>{5, 0, 3});
    CHECK(s.rate == 0.25);
    CHECK(s.other == glassbox::Rng::numpy);
    CHECK(Sample().error({"--seq", "x"}) == "--seq: expected a whole number, got 'x'");
    CHECK(Sample().error({"--seq", "1"}) == "--seq: expected at least 2, got 1");
    CHECK(Sample().error({"--seq", "10"}) == "--seq: expected at most 9, got 10");
    CHECK(Sample().error({"--lengths", "5,-1"}) == "--lengths: expected at least 0, got -1");
    CHECK(Sample().error({"--lengths", "5,,1"}) == "--lengths: expected a whole number, got ''");
    CHECK(Sample().error({"--rate", "fast"}) == "--rate: expected a number, got 'fast'");
    CHECK(Sample().error({"--other", "numpi"}) ==
          "--other: expected jax, torch or numpy, got 'numpi'; did you mean 'numpy'?");
}

TEST_CASE("options: help, completion and parsing get an enum's words, and the default, from one place") {
    Sample s;
    const std::string help = s.options.help();
    for (const char* line : {"--seq N                  How many [default: 3]\n",
                             "--rng NAME               Whose: jax or torch [default: jax]\n",
                             "--other NAME             Whose else: jax, torch or numpy [default: as --rng]\n",
                             "--Q ROWS                 Numbers\n", "--lengths LIST           Lengths\n",
                             "--rate R                 How fast [default: 0.5]\n"}) {
        INFO(help << line);
        CHECK(help.find(line) != std::string::npos);
    }
    for (const Options::Described& option : s.options.described())
        if (option.name() == "--other") CHECK(option.values().words == glassbox::words<glassbox::Rng>());
    CHECK(s.options.values()[0] == std::pair<std::string, std::string>{"--seq", "3"});
    REQUIRE(s.options.parse({"--rng", "torch", "--lengths=1,2", "--grad"}));
    CHECK(s.options.command_line({"--grad"}) == " --rng torch --lengths 1,2");
}

TEST_CASE("options: a long line of help is wrapped between words") {
    std::string text;
    Options options("sample", "A sample.", {});
    options.value("--text", text,
                  {.help = std::string(12, 'a') + " " + std::string(40, 'b') + " " + std::string(5, 'c')});
    CHECK(options.help().find("  --text TEXT              " + std::string(12, 'a') + " " +
                              std::string(40, 'b') + "\n" + std::string(27, ' ') + "ccccc\n") !=
          std::string::npos);
}

TEST_CASE("options: of a repeated value the last counts") {
    Sample s;
    REQUIRE(s.options.parse({"--seq", "4", "--grad", "--seq=5", "--grad"}));
    CHECK(s.seq == 5);
    CHECK(s.grad);
}

TEST_CASE("options: errors name the option and the rule") {
    CHECK(Sample().error({"--seq"}) == "--seq: expected a value: --seq N");
    CHECK(Sample().error({"--seq", "--grad"}) == "--seq: expected a value: --seq N");
    CHECK(Sample().error({"--seq", ""}) == "--seq: expected a value, got nothing: --seq N");
    CHECK(Sample().error({"--seq="}) == "--seq: expected a value, got nothing: --seq N");
    CHECK(Sample().error({"-o"}) == "-o: expected a value: -o FILE");
    CHECK(Sample().error({"--grad=1"}) == "--grad: takes no value, got '1'");
    CHECK(Sample().error({"--sqe", "3"}) == "tracer sample: no option --sqe; did you mean '--seq'?");
    CHECK(Sample().error({"--torch"}) == "tracer sample: no option --torch; did you mean '--rng torch'?");
    CHECK(Sample().error({"--rng", "tocrh"}) ==
          "--rng: expected jax or torch, got 'tocrh'; did you mean 'torch'?");
    CHECK(Sample().error({"one", "two"}) == "tracer sample: unexpected argument 'two'");
    CHECK(Sample().error({"-1"}) == "tracer sample: no option -1");
}

TEST_CASE("options: a number that this build cannot hold is refused, not infinite or 0") {
    const std::string largest = fmt::format("{}", std::numeric_limits<glassbox::real>::max());
    const std::string least = fmt::format("{}", std::numeric_limits<glassbox::real>::denorm_min());
    Sample sample;
    CHECK(sample.error({"--rate", largest}) == "");
    CHECK(sample.error({"--rate", least}) == "");
    CHECK(sample.error({"--rate", "0"}) == "");
    CHECK(Sample().error({"--rate", "1e309"}) != "");
    if (sizeof(glassbox::real) == sizeof(double)) return;
    CHECK(Sample().error({"--rate", "1e39"}) ==
          "--rate: expected at most 3.4028235e+38, the largest number of this build, got 1e39");
    CHECK(Sample().error({"--rate", "1e-46"}) ==
          "--rate: expected at least 1e-45, the smallest number of this build above 0, got 1e-46");
}

TEST_CASE("options: two that write the same file are refused, whatever the file is called") {
    const auto error = [](const std::string& a, const std::string& b) {
        std::filesystem::path output, other;
        Options options{"sample", "A sample.", {}};
        options.value("-o,--output", output, {.help = "There"});
        options.value("--save", other, {.help = "There, too", .writes = true});
        try {
            options.parse({"--save", a, "-o", b});
        } catch (const UsageError& wrong) {
            return std::string(wrong.what());
        }
        return std::string();
    };
    CHECK(error("new.npz", "new.npz") == "--save: new.npz is also written by -o");
    CHECK(error("new.npz", "./a/../new.npz") == "--save: new.npz is also written by -o");
    CHECK(error("new.npz", std::filesystem::current_path() / "new.npz") ==
          "--save: new.npz is also written by -o");
    CHECK(error("new.npz", "newer.npz") == "");
    CHECK(error("-", "-") == "");
    CHECK(error("/dev/null", "/dev/null") == "");
}

TEST_CASE("options: several arguments are taken in order, and a repeated one takes the rest") {
    std::string task, color;
    std::vector<std::string> files;
    Options options("sample", "A sample.", {});
    options.argument("TASK", task, {.help = "Which", .words_only = true, .words = {"copy", "sort"}});
    options.arguments("FILE", files, {.help = "Some"});
    options.value("--color", color, {.help = "When"});
    REQUIRE(options.parse({"copy", "a", "--color", "always", "-", "b c"}));
    CHECK(task == "copy");
    CHECK(files == std::vector<std::string>{"a", "-", "b c"});
    CHECK(color == "always");
    CHECK(options.help().find("  FILE...  ") != std::string::npos);
    check_error<UsageError>(
        [&] {
            options.parse({"cpoy", "a"});
        },
        "tracer sample: expected copy or sort, got 'cpoy'; did you mean 'copy'?");

    std::vector<std::string> shells;
    Options each("sample", "A sample.", {});
    each.arguments("SHELL", shells, {.help = "Some", .words = {"bash", "zsh"}});
    REQUIRE(each.parse({}));
    CHECK(shells.empty());
    check_error<UsageError>(
        [&] {
            each.parse({"fsh", "zsh"});
        },
        "tracer sample: expected bash or zsh, got 'fsh'; did you mean 'zsh'?");
}

TEST_CASE("options: lists with commas, and words in a sentence") {
    CHECK(comma_list("a,b") == std::vector<std::string>{"a", "b"});
    CHECK(comma_list("") == std::vector<std::string>{""});
    CHECK(comma_list("a,") == std::vector<std::string>{"a", ""});
    CHECK(either({"a"}) == "a");
    CHECK(either({"a", "b", "c"}) == "a, b or c");
}

TEST_CASE("options: help starts with the command's purpose and its examples, and has every option") {
    const std::string help = Sample().options.help();
    CHECK(help.find("A sample.\n\nExamples:\n  tracer sample\n      Runs it.\n") == 0);
    for (const char* text :
         {"--seq N", "--rng NAME", "--grad", "Shown:", "-o, --output FILE", "WORD", "--help"})
        CHECK(help.find(text) != std::string::npos);
}

TEST_CASE("options: a text keeps its brackets, and after -- it may begin with a dash") {
    const auto read = [](const Arguments& arguments) {
        std::vector<std::string> texts;
        bool grad = false;
        Options options("say", "Says it.", {});
        options.flag("--grad", grad, "Gradients");
        options.arguments("TEXT", texts, {.help = "A text"});
        options.parse(arguments);
        return texts;
    };
    using Texts = std::vector<std::string>;
    CHECK(read({"[Musique]", "[a, b]", "[]"}) == Texts{"[Musique]", "[a, b]", "[]"});
    CHECK(read({"--grad", "--", "- Bonjour", "--grad", "-h", "--", "-5"}) ==
          Texts{"- Bonjour", "--grad", "-h", "--", "-5"});
    CHECK(read({"--"}) == Texts{});
    check_error<UsageError>(
        [&] { read({"- Bonjour"}); },
        "tracer say: no option - Bonjour; an argument that starts with - goes after --: -- '- "
        "Bonjour'");
    check_error<UsageError>(
        [&] { read({"-5 degrés=froid"}); },
        "tracer say: no option -5 degrés=froid; an argument that starts with - goes after --: -- "
        "'-5 degrés=froid'");
    check_error<UsageError>([&] { read({"--gard"}); },
                            "tracer say: no option --gard; did you mean '--grad'?");
    for (const char* typed : {"–grad", "—grad", "−−grad", "‑‑grad"})
        check_error<UsageError>(
            [&] { read({typed}); },
            fmt::format("tracer say: {} begins with a typographer's dash: type --grad", typed));
    CHECK(read({"– Bonjour", "—", "–non"}) == Texts{"– Bonjour", "—", "–non"});
    Sample sample;
    CHECK(sample.error({"–seq", "4"}) == "tracer sample: –seq begins with a typographer's dash: type --seq");
    CHECK(sample.error({"--seq", "4", "--", "[x]"}) == "");
    CHECK(sample.word == "[x]");
    CHECK(sample.error({"--", "one", "-2"}) == "tracer sample: unexpected argument '-2'");
}
