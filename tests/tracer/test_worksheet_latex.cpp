// A worksheet as LaTeX: formulas and any text convert to ASCII, and LaTeX typesets it.
#include <algorithm>
#include <regex>

#include "command.h"
#include "support/catch.h"
#include "tracer/worksheet/latex_text.h"

using namespace glassbox_test;
using glassbox::tracer::latex_math;
using glassbox::tracer::latex_sentence;
using glassbox::tracer::latex_text;

namespace {

bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Braces pair up, escaped ones aside.
bool is_balanced(const std::string& latex) {
    int depth = 0;
    for (std::size_t i = 0; i < latex.size(); ++i) {
        if (latex[i] == '\\') ++i;
        else if (latex[i] == '{') ++depth;
        else if (latex[i] == '}' && --depth < 0) return false;
    }
    return depth == 0;
}

bool has_program(const std::string& name) {
    Surroundings shell;
    shell.program = "sh";
    return run_program({"-c", "command -v " + name}, shell).code == 0;
}

// The string literals of every StepInfo in the library: layer apart, a name, a formula and a sentence.
std::vector<std::string> declared_texts() {
    std::vector<std::string> texts;
    const std::regex declaration(R"re(StepInfo\s+\w+\s*(=\s*)?[\w:]*\{([^;]*)\};)re"),
        literal(R"re("((?:[^"\\]|\\.)*)")re");
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(GLASSBOX_SOURCE) / "lib")) {
        const std::string ending = entry.path().extension().string();
        if (ending != ".h" && ending != ".cpp") continue;
        const std::string source = content(entry.path().string());
        for (std::sregex_iterator each(source.begin(), source.end(), declaration), end; each != end; ++each) {
            const std::string inside = (*each)[2];
            std::string joined = std::regex_replace(inside, std::regex(R"re("\s*\n\s*")re"), "");
            for (std::sregex_iterator text(joined.begin(), joined.end(), literal); text != end; ++text)
                texts.push_back((*text)[1]);
        }
    }
    return texts;
}

// A letter may also be set as it is: \text{é}; but no formula of the library should need that.
void check_formula(const std::string& formula) {
    const std::string latex = latex_math(formula);
    INFO(formula << " → " << latex);
    CHECK(is_ascii(latex));
    CHECK(is_balanced(latex));
    CHECK(!has(latex, "\\uni{"));
}

}  // namespace

TEST_CASE("worksheet: formulas become LaTeX's mathematics") {
    CHECK(latex_math("Q Kᵀ") == R"(Q\,K^{\mathsf{T}})");
    CHECK(latex_math("logits / √d_k") == R"(\mathrm{logits}\,/\,\sqrt{d_{k}})");
    CHECK(latex_math("x W_qkvᵀ + b") == R"(x\,W_{\mathrm{qkv}}^{\mathsf{T}}+b)");
    CHECK(latex_math("softmax(scaled)") == R"(\operatorname{softmax}(\mathrm{scaled}))");
    CHECK(latex_math("Concat(head_1, …, head_h)") ==
          R"(\operatorname{Concat}(\mathrm{head}_{1},\ \allowbreak \dots,\ \allowbreak \mathrm{head}_{h}))");
    CHECK(latex_math("√(E[x²] + ε)") == R"(\sqrt{E[x^{2}]+\varepsilon})");
    CHECK(latex_math("10000^(−2i/d)") == R"(10000^{-2i/d})");
    CHECK(latex_math("β₁ᵗ") == R"(\beta_{1}^{t})");
    CHECK(latex_math("m̂ / (√v̂ + ε)") == R"(\hat{m}\,/\,(\sqrt{\hat{v}}+\varepsilon))");
    CHECK(latex_math("d_model^−½") == R"(d_{\mathrm{model}}^{-\tfrac{1}{2}})");
    CHECK(latex_math("Σ_j exp(x_j − m)") == R"(\sum_{j}\,\exp(x_{j}-m))");
    CHECK(latex_math("W_Q,i") == R"(W_{Q,i})");
    CHECK(latex_math("scaled, but −9e15") ==
          R"(\mathrm{scaled},\ \allowbreak \mathrm{but}\ \allowbreak {-}9\cdot 10^{15})");
    CHECK(latex_math("exp(-0.63) / 2e-06") == R"(\exp(-0.63)\,/\,2\cdot 10^{-6})");
    CHECK(latex_math("self_attn/log_probability[0,1]") ==
          R"(\mathrm{self\_attn}/\mathrm{log\_probability}[0,1])");
    CHECK(latex_math("K_Σ_a") == R"(K_{\sum a})");
    CHECK(latex_math("post-norm, a-1") == R"(\mathrm{post}\text{-}\mathrm{norm},\ \allowbreak a-1)");
    CHECK(latex_math("Q's part") == R"(Q\text{'s}\ \allowbreak \mathrm{part})");
}

TEST_CASE("worksheet: every formula and sentence of the library's steps converts") {
    const std::vector<std::string> texts = declared_texts();
    CHECK(texts.size() > 500);  // some 180 steps
    CHECK(std::count(texts.begin(), texts.end(), "logits / √d_k") == 1);
    for (const std::string& text : texts) {
        check_formula(text);
        const std::string sentence = latex_sentence(text);
        INFO(text << " → " << sentence);
        CHECK(is_ascii(sentence));
        CHECK(is_balanced(sentence));
        CHECK(!has(sentence, "\\uni{"));
    }
}

TEST_CASE("worksheet: anybody's text is text for LaTeX") {
    CHECK(latex_text("$x$ % # & ~ ^ _ {}") == R"(\char36{}x\char36{} \% \# \& \~{} \^{} \_ \{\})");
    CHECK(latex_text("\\input{/etc/passwd}") == R"($\backslash$input\{/etc/passwd\})");
    CHECK(latex_text("Müller, Dvořák, Nguyễn") == R"(M\"{u}ller, Dvo\v{r}\'{a}k, Nguy\~{\^{e}}n)");
    CHECK(latex_text("Mu\xcc\x88ller") == R"(M\"{u}ller)");  // u and a diaeresis
    CHECK(latex_text("Łukasz Dąb") == R"(\L{}ukasz D\uni{0105}{a}b)");
    CHECK(latex_text("李") == R"(\uni{674E}{[U+674E]})");
    CHECK(latex_text("a\x1b[31mb\xff") == R"(a$\backslash$x1b[31mb$\backslash$xff)");
    CHECK(!glassbox::tracer::needs_unicode_fonts("Zoë"));
    CHECK(glassbox::tracer::needs_unicode_fonts("李小龍"));
    for (const char* text : {"√√√√√√", "x_1_2_{3}^4^5", "^^^^41", "√(((", "_", "^", "{", "}", "a^{b}c}",
                             "\\\\", "$$", "é_é", "x̂̂ᵀᵀ", "%", "\t"}) {
        INFO(text);
        for (const std::string& latex :
             {latex_math(text), latex_text(text), latex_sentence(text), glassbox::tracer::latex_code(text)}) {
            CHECK(is_ascii(latex));
            CHECK(is_balanced(latex));
        }
    }
}

TEST_CASE("worksheet: pdflatex and xelatex typeset every model's sheet and key, within the lines") {
    const bool is_key = GENERATE(false, true);
    const Folder folder;
    write(
        folder / "names.txt",
        "Anna M\xc3\xbcller\n\\input{/etc/passwd} \\end{document} $x$ %% #1 & ~ ^ _ {} `id` \"q\" <b> ^^5c\n"
        "\xe6\x9d\x8e\xe5\xb0\x8f\xe9\xbe\x8d\nD\xc4\x85"
        "browski\n\xf0\x9f\x99\x82\n");
    bool any = false;
    for (const std::string latex : {"pdflatex", "xelatex"}) {
        if (!has_program(latex)) continue;
        any = true;
        for (const std::string model :
             {"attention --seq 30 --dk 20 --blank attention", "attention --mask causal",
              "multihead --batch 2", "encoder-block", "predictor --scope encoder/0/mlp", "loss", "adam",
              "schedule", "shift", "attention --text é_√x_$a_李"}) {
            INFO(latex << " " << model);
            std::vector<std::string> line{"worksheet"};
            for (const std::string& word : words(model)) line.push_back(word);
            const std::string tex = folder / "sheet.tex";
            line.insert(line.end(), {"--students", folder / "names.txt", "-o", tex});
            if (is_key) line.push_back("--key");
            REQUIRE(tracer_run(line).code == 0);
            CHECK(is_ascii(content(tex)));
            Surroundings shell;
            shell.program = "sh";
            const Ran ran =
                run_program({"-c", "cd '" + folder / "" + "' && " + latex +
                                       " -no-shell-escape -interaction=nonstopmode -halt-on-error "
                                       "sheet.tex"},
                            shell);
            INFO(ran.out);
            CHECK(ran.code == 0);
            CHECK(!has(ran.out, "Overfull"));
            CHECK(content(folder / "sheet.pdf").starts_with("%PDF-"));
        }
    }
    if (!any) SKIP("there is no pdflatex and no xelatex");
}

TEST_CASE("worksheet: room to work is beside a matrix, below a wide one or one in parts, and in no key") {
    const Folder folder;
    const auto tex = [&](const std::string& model) {
        std::vector<std::string> line = words("worksheet " + model);
        line.insert(line.end(), {"-o", folder / "sheet.tex"});
        REQUIRE(tracer_run(line).code == 0);
        const std::string all = content(folder / "sheet.tex");
        return all.substr(all.find("\\begin{document}"));
    };
    const std::string one = tex("attention --seq 3 --dk 2 --blank scaled,attention --questions 0");
    CHECK(has(one, "mm}{$\\displaystyle \\mathrm{scaled} = "));
    CHECK(!has(one, "\\work{"));
    CHECK(has(one, "\\points{18 points}, one for each number"));
    CHECK(has(one, "\\points{9 points}"));
    const std::string parts = tex("multihead --seq 3 --blank qkv --convention paper");
    CHECK(has(parts, "\\mathrm{qkv} = \\overset{\\rule{0pt}{3.4ex}\\text{\\small Q, columns 0--3}}{\\;"));
    CHECK(has(parts, "\n$\\displaystyle \\overset{\\rule{0pt}{3.4ex}\\text{\\small K, columns 4--7}}{\\;"));
    const std::string heads = tex("multihead --seq 3 --heads 2 --blank attention");
    CHECK(has(heads, "mm}{$\\displaystyle \\mathrm{attention}[1]"));
    for (const std::string model : {"attention --seq 8 --blank scaled", "multihead --seq 3 --blank qkv"}) {
        INFO(model);
        CHECK(has(tex(model), "\\work{"));
        CHECK(!has(tex(model), "\\withwork"));
    }
    const std::string key = tex("attention --blank scaled --key");
    CHECK(!has(key, "\\withwork"));
    CHECK(has(key, "9 points"));
}

TEST_CASE("worksheet: the worked example is one sheet of paper, with room to work") {
    if (!has_program("pdflatex")) SKIP("there is no pdflatex");
    const Folder folder;
    for (const std::string more :
         {" --questions 0", " --questions 0 --key", " --blank scaled,attention --questions 1"}) {
        std::vector<std::string> line = words("worksheet attention --seq 3 --dk 2" + more);
        line.insert(line.end(), {"-o", folder / "sheet.tex"});
        REQUIRE(tracer_run(line).code == 0);
        Surroundings shell;
        shell.program = "sh";
        const Ran ran = run_program(
            {"-c", "cd '" + folder / "" + "' && pdflatex -interaction=nonstopmode sheet.tex"}, shell);
        INFO(ran.out);
        CHECK((has(ran.out, "sheet.pdf (1 page,") || has(ran.out, "sheet.pdf (2 pages,")));
        CHECK(!has(ran.out, "Overfull"));
    }
}

TEST_CASE("worksheet: -o sheet.pdf is typeset by the LaTeX that is installed") {
    if (!has_program("pdflatex") && !has_program("xelatex")) SKIP("there is no pdflatex and no xelatex");
    const Folder folder;
    const std::string pdf = folder / "sheet.pdf";
    const Ran ran = tracer_run({"worksheet", "attention", "--students", "2", "-o", pdf},
                               {.set = {"TMPDIR=" + folder / ""}});
    INFO(ran.err);
    CHECK(ran.code == 0);
    CHECK(content(pdf).starts_with("%PDF-"));
    CHECK(std::distance(std::filesystem::directory_iterator(folder / ""), {}) ==
          1);  // and nothing left behind
    const Ran nowhere = tracer_run({"worksheet", "attention", "-o", folder / "none/sheet.pdf"});
    CHECK(nowhere.code == 4);
    CHECK(has(nowhere.err, "none/sheet.pdf"));
}

TEST_CASE("worksheet: a signal stops LaTeX, leaves no folder behind and writes no sheet") {
    const Folder folder;
    for (const char* name : {"bin", "tmp"}) std::filesystem::create_directory(folder / name);
    const std::string latex = folder / "bin/pdflatex";
    write(latex, "#!/bin/sh\n: >'" + (folder / "started") + "'\nexec sleep 60\n");
    std::filesystem::permissions(latex, std::filesystem::perms::owner_all);
    const Ran ran =
        run_program({"-c", "cd '" + (folder / "") +
                               "' && { '" GLASSBOX_TRACER "' worksheet attention -o sheet.pdf & "
                               "while [ ! -e started ]; do sleep 0.05; done; kill -TERM $!; wait $!; }"},
                    {.set = {"PATH=" + (folder / "bin") + ":/usr/bin:/bin", "TMPDIR=" + (folder / "tmp")},
                     .program = "/bin/sh"});
    CHECK(ran.code == 128 + SIGTERM);
    CHECK(has(ran.err, "stopped by SIGTERM; no sheet is written\n"));
    CHECK(std::filesystem::is_empty(folder / "tmp"));
    CHECK(!std::filesystem::exists(folder / "sheet.pdf"));
}

TEST_CASE("worksheet: without LaTeX the error says what to install, and one that fails is quoted") {
    const Folder folder;
    const std::string pdf = folder / "sheet.pdf", bin = folder / "bin";
    const Ran none = tracer_run({"worksheet", "attention", "-o", pdf}, {.set = {"PATH=/nonexistent"}});
    CHECK(none.code == 4);
    CHECK(has(none.err, "none of pdflatex, xelatex, lualatex and tectonic is installed"));
    CHECK(has(none.err, "apt install texlive-latex-recommended"));
    CHECK(!std::filesystem::exists(pdf));
    std::filesystem::create_directory(bin);
    write(bin + "/lualatex", "#!/bin/sh\necho 'This is not TeX'\necho '! Emergency stop.'\nexit 1\n");
    std::filesystem::permissions(bin + "/lualatex", std::filesystem::perms::owner_all);
    const Ran broken = tracer_run({"worksheet", "attention", "-o", pdf}, {.set = {"PATH=" + bin}});
    CHECK(broken.code == 4);
    CHECK(has(broken.err, "lualatex could not typeset the sheet: ! Emergency stop."));
    CHECK(!std::filesystem::exists(pdf));
}
