// Every mistake that a user can make on the command line: the exit code, and the full message.
#include <glassbox/conventions/convention.h>
#include <glassbox/io/numpy.h>

#include "command.h"
#include "tracer/cli/options.h"
#include "tracer/report/renderer.h"

using namespace glassbox_test;
using glassbox::Tensor;

namespace {

struct Mistake {
    std::vector<std::string> arguments;
    int code;
    std::string message;  // "DIR" is the test's folder; a message that ends in … is a prefix
};

const std::string the_steps = "the steps are Q, K, V, logits, scaled, attention, values";

const std::vector<Mistake> mistakes = {
    // commands
    {{"atention"}, 2, "tracer: no command 'atention'; tracer --help lists them; did you mean 'attention'?"},
    {{"help", "atention"},
     2,
     "tracer: no command 'atention'; tracer --help lists them; did you mean 'attention'?"},
    {{"banana"}, 2, "tracer: no command 'banana'; tracer --help lists them"},
    {{""}, 2, "tracer: no command ''; tracer --help lists them"},
    {{"--versoin"}, 2, "tracer: no command '--versoin'; tracer --help lists them; did you mean '--version'?"},
    // options
    {{"attention", "--sqe", "3"}, 2, "tracer attention: no option --sqe; did you mean '--seq'?"},
    {{"multihead", "--causal"}, 2, "tracer multihead: no option --causal; did you mean '--mask causal'?"},
    {{"attention", "--convention", "pytorch"},
     2,
     "--convention: expected uva-jax, uva-torch, report or paper, got 'pytorch'; did you mean 'uva-torch'?"},
    {{"attention", "--banana"}, 2, "tracer attention: no option --banana"},
    {{"attention", "--seq"}, 2, "--seq: expected a value: --seq N"},
    {{"attention", "--seq", "--dk", "2"}, 2, "--seq: expected a value: --seq N"},
    {{"attention", "--dv", ""}, 2, "--dv: expected a value, got nothing: --dv N"},
    {{"attention", "--only="}, 2, "--only: expected a value, got nothing: --only NAME,NAME"},
    {{"attention", "-o"}, 2, "-o: expected a value: -o FILE"},
    {{"attention", "-o", "DIR/a.npz", "--output=DIR/b.npz"},
     2,
     "-o: expected one file, got two: DIR/a.npz and DIR/b.npz"},
    {{"attention", "-o", ""}, 2, "--output: expected a value, got nothing: --output FILE"},
    {{"attention", "seq", "3"}, 2, "tracer attention: expected an option, got 'seq'; did you mean '--seq'?"},
    {{"attention", ""}, 2, "tracer attention: expected an option, got ''"},
    {{"attention", "--grad=yes"}, 2, "--grad: takes no value, got 'yes'"},
    // sizes
    {{"attention", "--seq", "0"}, 2, "--seq: expected at least 1, got 0"},
    {{"attention", "--seq", "-1"}, 2, "--seq: expected at least 1, got -1"},
    {{"attention", "--seq", "abc"}, 2, "--seq: expected a whole number, got 'abc'"},
    {{"attention", "--seq", "1e3"}, 2, "--seq: expected a whole number, got '1e3'"},
    {{"attention", "--seq", "3.0"}, 2, "--seq: expected a whole number, got '3.0'"},
    {{"attention", "--seq", "9999999999"},
     2,
     "attention: 9999999999 queries, 9999999999 keys, d_k 2, d_v 2 need…"},
    {{"attention", "--seq", "99999999999999999999"},
     2,
     "--seq: expected at most 9223372036854775807, got 99999999999999999999"},
    {{"attention", "--keys", "9999999999"}, 2, "attention: 3 queries, 9999999999 keys, d_k 2, d_v 2 need…"},
    {{"attention", "--dk", "9223372036854775807"},
     2,
     "attention: 3 queries, 3 keys, d_k 9223372036854775807…"},
    {{"attention", "--batch", "9999999999", "--heads", "9999999999"},
     2,
     "--heads: expected at most 922337203, got 9999999999"},
    {{"attention", "--dk", "0"}, 2, "--dk: expected at least 1, got 0"},
    {{"attention", "--keys", "0"}, 2, "--keys: expected at least 1, got 0"},
    {{"attention", "--batch", "0"}, 2, "--batch: expected at least 1, got 0"},
    {{"attention", "--heads", "x"}, 2, "--heads: expected a whole number, got 'x'"},
    {{"attention", "--da", "3"}, 2, "--da: requires the additive score: add --score additive"},
    // words
    {{"attention", "--rng", "troch"},
     2,
     "--rng: expected jax, torch or numpy, got 'troch'; did you mean 'torch'?"},
    {{"attention", "--convention", "uva-jaxx"},
     2,
     "--convention: expected " + glassbox::tracer::either(glassbox::convention_names()) +
         ", got 'uva-jaxx'; did you mean 'uva-jax'?"},
    {{"attention", "--score", "scale"},
     2,
     "--score: expected scaled, unscaled or additive, got 'scale'; did you mean 'scaled'?"},
    {{"attention", "--format", "jsn"},
     2,
     "--format: expected " +
         glassbox::tracer::either(
             glassbox::tracer::OptionValue<const glassbox::tracer::Renderer*>::values({}).words) +
         ", got 'jsn'; did you mean 'json'?"},
    {{"attention", "--color", "sometimes"}, 2, "--color: expected auto, always or never, got 'sometimes'"},
    {{"attention", "--compare", "cpu"},
     2,
     "--compare: cpu with itself; name two backends, --backend cuda --compare cpu"},
    {{"encoder", "--compare", "cpu"},
     2,
     "--compare: cpu with itself; name two backends, --backend cuda --compare cpu"},
    {{"attention", "--compare", "cuda", "--grad"}, 2, "--grad: cannot be combined with --compare"},
    {{"encoder-block", "--diff", "paper,report", "--epsilon", "1e-5"},
     2,
     "--epsilon: cannot be combined with --diff paper,report, whose conventions have their own"},
    {{"attention", "--compare", "cuda", "--format", "json"}, 2, "--compare: writes text, not json"},
    {{"attention", "--compare", "cuda", "--input", "-"},
     2,
     "--compare: reads the input twice, not possible with --input -"},
    {{"train", "reverse", "--eager"}, 2, "--eager: requires --backend cuda; on the cpu nothing is recorded"},
    {{"train", "reverse", "--pieces", "2"},
     2,
     "--pieces: requires --backend cuda; on the cpu it follows from the size of the batch"},
    {{"attention", "--products", "tf32"}, 2, "--products: tf32 needs a GPU: add --backend cuda"},
    {{"encoder", "--products", "bf16"}, 2, "--products: bf16 needs a GPU: add --backend cuda"},
    {{"train", "reverse", "--products", "bf16"}, 2, "--products: bf16 needs a GPU: add --backend cuda"},
    {{"attention", "--products", "fp16", "--backend", "cuda"},
     2,
     "--products: expected fp32, tf32 or bf16, got 'fp16'"},
    {{"attention", "--backend", "gpu"},
     2,
     "--backend: expected cpu, cuda or xtensor, got 'gpu'; did you mean 'cpu'?"},
    {{"attention", "--seed", "-1"},
     2,
     "--seed: expected a whole number from 0 to 18446744073709551615, got '-1'"},
    {{"attention", "--seed", "18446744073709551616"},
     2,
     "--seed: expected a whole number from 0 to 18446744073709551615, got '18446744073709551616'"},
    {{"attention", "--precision", "18"}, 2, "--precision: expected at most 17, got 18"},
    // --explain
    {{"attention", "--explain", "values"},
     2,
     "--explain: expected a step and a position, such as 'values[0,1]', got 'values'"},
    {{"attention", "--explain", "values[0,1"},
     2,
     "--explain: expected a step and a position, such as 'values[0,1]', got 'values[0,1'"},
    {{"attention", "--explain", "values]"},
     2,
     "--explain: expected a step and a position, such as 'values[0,1]', got 'values]'"},
    {{"attention", "--explain", "values[0,1]x"},
     2,
     "--explain: expected a step and a position, such as 'values[0,1]', got 'values[0,1]x'"},
    {{"attention", "--explain", "valuse[0,1]"},
     2,
     "--explain: no step 'valuse'; " + the_steps + "; did you mean 'values'?"},
    {{"attention", "--explain", "[0,1]"}, 2, "--explain: no step ''; " + the_steps},
    {{"attention", "--explain", "values[]"},
     2,
     "--explain: values has shape (3, 2): expected 2 indices, got 0"},
    {{"attention", "--explain", "values[0]"},
     2,
     "--explain: values has shape (3, 2): expected 2 indices, got 1"},
    {{"attention", "--explain", "values[0,1,2]"},
     2,
     "--explain: values has shape (3, 2): expected 2 indices, got 3"},
    {{"attention", "--explain", "values[0,,1]"},
     2,
     "--explain: expected whole numbers in 'values[0,,1]', got ''"},
    {{"attention", "--explain", "values[0,1,]"},
     2,
     "--explain: expected whole numbers in 'values[0,1,]', got ''"},
    {{"attention", "--explain", "values[0;1]"},
     2,
     "--explain: expected whole numbers in 'values[0;1]', got '0;1'"},
    {{"attention", "--explain", "values[a,b]"},
     2,
     "--explain: expected whole numbers in 'values[a,b]', got 'a'"},
    {{"attention", "--explain", "values[[0,1]]"},
     2,
     "--explain: expected whole numbers in 'values[[0,1]]', got '[0'"},
    {{"attention", "--explain", "values[0.5,1]"},
     2,
     "--explain: expected whole numbers in 'values[0.5,1]', got '0.5'"},
    {{"attention", "--explain", "values[99999999999999999999,0]"},
     2,
     "--explain: expected whole numbers in 'values[99999999999999999999,0]', got '99999999999999999999'"},
    {{"attention", "--explain", "values[0,9]"},
     2,
     "--explain: values[0,9] is outside values, which has shape (3, 2)"},
    {{"attention", "--explain", "values[-4,0]"},
     2,
     "--explain: values[-4,0] is outside values, which has shape (3, 2)"},
    {{"attention", "--explain", "values[0,1]", "--depth", "0"}, 2, "--depth: expected at least 1, got 0"},
    {{"attention", "--explain", "values[0,1]", "--grad"}, 2, "--grad: cannot be combined with --explain"},
    {{"attention", "--explain", "values[0,1]", "--only", "Q"},
     2,
     "--only: cannot be combined with --explain"},
    {{"attention", "--explain", "values[0,1]", "--format", "json"}, 2, "--explain: writes text, not json"},
    // options without effect
    {{"attention", "--precision", "3", "--format", "json"},
     2,
     "--precision: applies to text only; json has every digit"},
    {{"encoder", "--precision", "3", "-o", "x.npz"},
     2,
     "--precision: applies to text only; npz has every digit"},
    {{"encoder", "--precision", "3", "--summary"}, 2, "--precision: cannot be combined with --summary"},
    {{"attention", "--format", "json", "-o", "x.npz"},
     2,
     "-o x.npz: its extension says npz, but the output is json"},
    {{"encoder", "--format", "npz", "-o", "x.json"},
     2,
     "-o x.json: its extension says json, but the output is npz"},
    {{"encoder", "--format", "text", "-o", "x.png"},
     2,
     "-o x.png: its extension says png, but the output is text"},
    {{"encoder", "-o", "x.docx"},
     2,
     "-o x.docx: expected a name that ends in .txt, .json, .npz, .html, .xlsx, .svg, .png, .pdf or .gif, got "
     ".docx"},
    {{"attention", "-o", "x.bmp"},
     2,
     "-o x.bmp: expected a name that ends in .txt, .json, .npz, .html, .xlsx, .svg, .png, .pdf or .gif, got "
     ".bmp"},
    {{"attention", "--format", "json", "-o", "x.bmp"},
     2,
     "-o x.bmp: expected a name that ends in .txt, .json, .npz, .html, .xlsx, .svg, .png, .pdf or .gif, got "
     ".bmp"},
    {{"plot", "--schedule", "cosine", "-o", "x.bmp"},
     2,
     "-o x.bmp: expected a name that ends in .txt, .json, .html, .svg, .png, .pdf or .gif, got .bmp"},
    {{"mistakes", "-o", "x.bmp"}, 2, "-o x.bmp: expected a name that ends in .txt or .json, got .bmp"},
    {{"train", "reverse", "-o", "x.bmp"},
     2,
     "-o x.bmp: expected a name that ends in .txt, .json, .npz or .html, got .bmp"},
    {{"probe", "attention", "-o", "x.bmp"}, 2, "-o x.bmp: expected a name that ends in .npz, got .bmp"},
    {{"attention", "--scale", "each", "-o", "a.svg"},
     2,
     "--scale: is for a terminal and for --map, not for svg: leave it out, or add --map without -o"},
    {{"scaling", "--format", "text", "-o", "x.json"},
     2,
     "-o x.json: its extension says json, but the output is text"},
    {{"plot", "--schedule", "cosine", "--format", "svg", "-o", "x.png"},
     2,
     "-o x.png: its extension says png, but the output is svg"},
    {{"plot", "--schedule", "cosine", "--dmodel", "8"},
     2,
     "--dmodel: requires inverse-sqrt, got --schedule cosine"},
    {{"plot", "--schedule", "constant", "--warmup", "8"},
     2,
     "--warmup: requires a schedule with a warm-up, got constant"},
    {{"plot", "x.jsonl", "--only", "accuracy", "--log"},
     2,
     "--log: applies to loss and gradient-norm, got --only accuracy"},
    {{"encoder", "--convention", "report", "--dff", "5"},
     2,
     "--dff: convention report always has d_ff = 2·d_model = 8, got 5"},
    {{"predict", "reverse", "1 2", "--steps", "--map"}, 2, "--steps: cannot be combined with --map"},
    {{"transformer", "--input", "x.npz", "--target", "i am"},
     2,
     "--target: sizes and numbers come from the --input file: leave it out"},
    // --grad, --only, --step
    {{"attention", "--grad", "--scalar", "max(values)"},
     2,
     "--scalar: expected sum(values), mean(values), sumsq(values) or values[0,1], got 'max(values)'"},
    {{"attention", "--grad", "--scalar", "sum(value)"},
     2,
     "--scalar: no step 'value'; " + the_steps + "; did you mean 'values'?"},
    {{"attention", "--grad", "--scalar", "values[9,9]"},
     2,
     "--scalar: values[9,9] is outside values, which has shape (3, 2)"},
    {{"attention", "--scalar", "sum(values)"}, 2, "--scalar: sets what --grad differentiates: add --grad"},
    {{"attention", "--only", "value"},
     2,
     "--only: no step 'value'; " + the_steps + "; did you mean 'values'?"},
    {{"attention", "--only", ","}, 2, "--only: no step ''; " + the_steps},
    {{"attention", "--only", "masked"}, 2, "--only: no step 'masked'; " + the_steps},
    {{"attention", "--step", "-o", "x"}, 2, "--step: goes to the terminal, and cannot be combined with -o x"},
    {{"attention", "--predict", "--format", "json"}, 2, "--predict: writes text, not json"},
    {{"attention", "--step", "--input", "-"},
     2,
     "--step: reads keys from standard input, and cannot be combined with --input -"},
    // numbers typed in
    {{"attention", "--Q", "1 0"}, 2, "--Q, --K and --V are needed together: add --K and --V"},
    {{"attention", "--Q", "1 0; 0", "--K", "1 0", "--V", "1"},
     2,
     "--Q: rows differ in length: row 0 has 2 numbers, row 1 has 1"},
    {{"attention", "--Q", "1 x", "--K", "1 0", "--V", "1"},
     2,
     "--Q: expected numbers, rows separated by ';', such as '1 0; 0 1', got 'x'"},
    {{"attention", "--Q", "[[1, 0]", "--K", "1 0", "--V", "1"},
     2,
     "--Q: brackets do not match: expected rows such as '[[1, 0], [0, 1]]', got '[[1, 0]'"},
    {{"attention", "--Q", "1 0", "--K", "1 0 0", "--V", "1"},
     2,
     "scaled_dot_product: Q and K differ in d_k, their last size: (1, 2) and (1, 3)"},
    {{"attention", "--Q", "1", "--K", "1; 2", "--V", "1"},
     2,
     "scaled_dot_product: K and V differ in the number of keys: (2, 1) and (1, 1)"},
    {{"attention", "--Q", "1", "--K", "1", "--V", "1", "--seq", "3"},
     2,
     "--seq: sizes and numbers come from --Q, --K and --V: leave it out"},
    {{"attention", "--Q", "1", "--K", "1", "--V", "1", "--input", "x.npz"},
     2,
     "--input: cannot be combined with --Q, --K and --V"},
    {{"attention", "--Q", "1", "--K", "1", "--V", "1", "--score", "additive"},
     2,
     "--score: additive needs W_q, W_k and v: give them by --input"},
    // masks
    {{"attention", "--mask", "casual"},
     2,
     "--mask: expected none, causal, window:N, or an .npy or .npz file, got 'casual'; did you mean "
     "'causal'?"},
    {{"attention", "--mask", "DIR/none.npy"}, 4, "DIR/none.npy: cannot open: No such file or directory"},
    {{"attention", "--mask", "DIR/text.npy"}, 3, "DIR/text.npy: at byte 0: not an .npy file…"},
    {{"attention", "--mask", "DIR/short.npy"}, 3, "DIR/short.npy: at byte…"},
    {{"attention", "--mask", "DIR/large.npy"},
     2,
     "--mask DIR/large.npy: a mask of shape (4, 4) does not broadcast to (3, 3)"},
    {{"attention", "--mask", "DIR/twos.npy"},
     3,
     "DIR/twos.npy: mask: expected only 0 (hidden) and 1 (seen), got 2"},
    {{"attention", "--mask", "DIR/row.npy"}, 3, "DIR/row.npy: mask: expected 2, 3 or 4 axes…"},
    {{"attention", "--mask", "DIR/two.npz"}, 3, "DIR/two.npz: expected an array named mask; it holds a, b"},
    {{"attention", "--lengths", "1,2"},
     2,
     "--lengths 1,2: 2 lengths for a batch of 1: scores have shape (3, 3)"},
    {{"attention", "--lengths", "9"}, 2, "--lengths 9: length 9 exceeds the 3 keys"},
    {{"attention", "--lengths", "-1"}, 2, "--lengths: expected at least 0, got -1"},
    {{"attention", "--lengths", "1,"}, 2, "--lengths: expected a whole number, got ''"},
    // files of arrays
    {{"attention", "--input", "DIR/none.npz"}, 4, "DIR/none.npz: cannot open: No such file or directory"},
    {{"attention", "--input", "DIR"}, 4, "DIR: cannot read: it is a folder"},
    {{"attention", "--input", "DIR/text.npz"}, 3, "DIR/text.npz: at byte 0: not a zip…"},
    {{"attention", "--input", "DIR/two.npz"},
     3,
     "DIR/two.npz: neither Q, K, V nor x, W_Q, W_K, W_V; it holds a, b"},
    {{"attention", "--input", "DIR/shapes.npz"},
     3,
     "DIR/shapes.npz: scaled_dot_product: Q and K differ in d_k, their last size: (1, 2) and (1, 3)"},
    {{"attention", "--input", "DIR/rows.npz"},
     3,
     "DIR/rows.npz: scaled_dot_product: Q, K and V need at least 2 axes: (2,), (2,), (2,)"},
    {{"attention", "--input", "DIR/rows.npz", "--score", "additive"},
     3,
     "DIR/rows.npz: the additive score needs W_q, W_k and v"},
    {{"attention", "--input", "DIR/rows.npz", "--seq", "3"},
     2,
     "--seq: sizes and numbers come from the --input file: leave it out"},
    // completions and the manual
    {{"completion"}, 2, "tracer completion: expected bash, zsh or fish, got nothing"},
    {{"completion", "bsh"},
     2,
     "tracer completion: expected bash, zsh or fish, got 'bsh'; did you mean 'bash'?"},
    {{"completion", "bash", "zsh"}, 2, "tracer completion: unexpected argument 'zsh'"},
    {{"manual", "me"}, 2, "tracer manual: expected an option, got 'me'"},
};

void make_files(const Folder& folder) {
    write(folder / "text.npy", "hello");
    write(folder / "text.npz", "hello");
    glassbox::write_npy(folder / "large.npy", Tensor::ones({4, 4}));
    glassbox::write_npy(folder / "twos.npy", Tensor::full({3, 3}, 2));
    glassbox::write_npy(folder / "row.npy", Tensor({1, 1, 1}));
    const std::string whole = content(folder / "large.npy");
    write(folder / "short.npy", whole.substr(0, whole.size() - 5));
    glassbox::write_npz(folder / "two.npz", {{"a", Tensor{1}}, {"b", Tensor{1}}});
    glassbox::write_npz(folder / "shapes.npz",
                        {{"Q", Tensor({{1, 0}})}, {"K", Tensor({{1, 0, 0}})}, {"V", Tensor({{1, 1}})}});
    glassbox::write_npz(folder / "rows.npz",
                        {{"Q", Tensor({1, 0})}, {"K", Tensor({1, 0})}, {"V", Tensor({1, 1})}});
}

std::string in_folder(std::string text, const Folder& folder) {
    const std::string path = folder / "";
    for (std::size_t at = 0; (at = text.find("DIR", at)) != std::string::npos; at += path.size())
        text.replace(at, 3, path.substr(0, path.size() - 1));
    return text;
}

}  // namespace

TEST_CASE("mistakes: each has its exit code and a message that names it, and prints nothing else") {
    const Folder folder;
    make_files(folder);
    for (const Mistake& mistake : mistakes) {
        std::vector<std::string> arguments;
        std::string line = "tracer";
        for (const std::string& argument : mistake.arguments) {
            arguments.push_back(in_folder(argument, folder));
            line += " '" + argument + "'";
        }
        INFO(line);
        const Ran ran = tracer_run(arguments);
        CHECK(ran.code == mistake.code);
        CHECK(ran.out.empty());
        std::string expected = "error: " + in_folder(mistake.message, folder);
        const std::string more = "…";
        if (expected.size() > more.size() && expected.substr(expected.size() - more.size()) == more) {
            expected.resize(expected.size() - more.size());
            CHECK(ran.err.substr(0, expected.size()) == expected);
        } else {
            CHECK(ran.err == expected + "\n");
        }
    }
    CHECK(mistakes.size() >= 90);
}
