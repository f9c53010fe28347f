#include "support/errors.h"
#include "tracer/cli/options.h"

using namespace tracer;
using glassbox::UsageError;
using glassbox_test::check_error;

namespace {

struct Sample {
    std::string seq = "3", rng = "jax", output, Q, word;
    bool grad = false;
    Options options{"sample", "A sample.", {{"tracer sample", "Runs it."}}};
    Sample() {
        options.value("--seq", seq, "N", "How many.");
        options.value("--rng", rng, "NAME", "Whose.", Values::one_of({"jax", "torch"}));
        options.value("--Q", Q, "ROWS", "Numbers.");
        options.flag("--grad", grad, "Gradients.");
        options.group("Shown");
        options.value("-o,--output", output, "FILE", "There.", Values::file({""}));
        options.argument("WORD", word, "One word.");
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

TEST_CASE("options: values, flags and an argument, in every way of writing them") {
    Sample s;
    REQUIRE(s.options.parse({"hello", "--seq", "5", "--rng=torch", "--grad", "-ofile", "--Q", "-1 0; 0 -1"}));
    CHECK(s.seq == "5");
    CHECK(s.rng == "torch");
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
    CHECK(t.seq == "3");
}

TEST_CASE("options: of a value that is given twice the last counts") {
    Sample s;
    REQUIRE(s.options.parse({"--seq", "4", "--grad", "--seq=5", "--grad"}));
    CHECK(s.seq == "5");
    CHECK(s.grad);
}

TEST_CASE("options: what is wrong is named, with the rule") {
    CHECK(Sample().error({"--seq"}) == "--seq: a value expected: --seq N");
    CHECK(Sample().error({"--seq", "--grad"}) == "--seq: a value expected: --seq N");
    CHECK(Sample().error({"--seq", ""}) == "--seq: a value expected, got nothing: --seq N");
    CHECK(Sample().error({"--seq="}) == "--seq: a value expected, got nothing: --seq N");
    CHECK(Sample().error({"-o"}) == "-o: a value expected: -o FILE");
    CHECK(Sample().error({"--grad=1"}) == "--grad: takes no value, got '1'");
    CHECK(Sample().error({"--sqe", "3"}) == "tracer sample: no option --sqe; did you mean '--seq'?");
    CHECK(Sample().error({"--rng", "tocrh"}) ==
          "--rng: jax or torch expected, got 'tocrh'; did you mean 'torch'?");
    CHECK(Sample().error({"one", "two"}) == "tracer sample: an argument too many: 'two'");
    CHECK(Sample().error({"-1"}) == "tracer sample: no option -1");
}

TEST_CASE("options: several arguments are taken in order, and a repeated one takes the rest") {
    std::string task, color;
    std::vector<std::string> files;
    Options options("sample", "A sample.", {});
    options.argument("TASK", task, "Which.", Values::one_of({"copy", "sort"}));
    options.arguments("FILE", files, "Some.");
    options.value("--color", color, "WHEN", "When.");
    REQUIRE(options.parse({"copy", "a", "--color", "always", "-", "b c"}));
    CHECK(task == "copy");
    CHECK(files == std::vector<std::string>{"a", "-", "b c"});
    CHECK(color == "always");
    CHECK(options.help().find("  FILE...  ") != std::string::npos);
    check_error<UsageError>(
        [&] {
            options.parse({"cpoy", "a"});
        },
        "tracer sample: copy or sort expected, got 'cpoy'; did you mean 'copy'?");

    std::vector<std::string> shells;
    Options each("sample", "A sample.", {});
    each.arguments("SHELL", shells, "Some.", Values::one_of({"bash", "zsh"}));
    REQUIRE(each.parse({}));
    CHECK(shells.empty());
    check_error<UsageError>(
        [&] {
            each.parse({"fsh", "zsh"});
        },
        "tracer sample: bash or zsh expected, got 'fsh'; did you mean 'zsh'?");
}

TEST_CASE("options: lists with commas, and words in a sentence") {
    CHECK(comma_list("a,b") == std::vector<std::string>{"a", "b"});
    CHECK(comma_list("") == std::vector<std::string>{""});
    CHECK(comma_list("a,") == std::vector<std::string>{"a", ""});
    CHECK(either({"a"}) == "a");
    CHECK(either({"a", "b", "c"}) == "a, b or c");
}

TEST_CASE("options: help begins with what the command is for and its examples, and has every option") {
    const std::string help = Sample().options.help();
    CHECK(help.find("A sample.\n\nExamples:\n  tracer sample\n      Runs it.\n") == 0);
    for (const char* text :
         {"--seq N", "--rng NAME", "--grad", "Shown:", "-o, --output FILE", "WORD", "--help"})
        CHECK(help.find(text) != std::string::npos);
}
