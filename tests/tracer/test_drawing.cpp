// `-o pass.svg`: the steps as a picture, which moves with --play.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include <glassbox/io/numpy.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/figures/palette.h"

using namespace glassbox_test;
using namespace glassbox::tracer;

namespace {

std::string drawn(const std::string& line) {
    std::vector<std::string> arguments = words(line);
    arguments.insert(arguments.end(), {"--format", "svg"});
    const Ran ran = tracer_run(arguments);
    REQUIRE(ran.err.empty());
    REQUIRE(ran.code == 0);
    return ran.out;
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
}

// The texts of an SVG in their order, with entities as they are; what is below the line as the rest.
std::vector<std::string> texts(const std::string& svg) {
    std::vector<std::string> found;
    const std::regex text("<text[^>]*>(([^<]|</?tspan[^>]*>)*)</text>"), below("</?tspan[^>]*>");
    for (std::sregex_iterator at(svg.begin(), svg.end(), text), end; at != end; ++at)
        found.push_back(std::regex_replace((*at)[1].str(), below, ""));
    return found;
}

// The beat at which a text of a movie appears; 0: it is there from the beginning.
int beat_of(const std::string& svg, const std::string& text) {
    const std::size_t at = svg.find(">" + text + "<");
    REQUIRE(at != svg.npos);
    const std::size_t group = svg.rfind("<g class=\"m s", at), end = svg.rfind("</g>", at);
    if (group == svg.npos || (end != svg.npos && end > group)) return 0;
    return std::atoi(svg.c_str() + group + 13);
}

double width_of(const std::string& svg) { return std::atof(svg.c_str() + svg.find(" width=\"") + 8); }
double height_of(const std::string& svg) { return std::atof(svg.c_str() + svg.find(" height=\"") + 9); }

bool has(const std::vector<std::string>& all, const std::string& wanted) {
    return std::find(all.begin(), all.end(), wanted) != all.end();
}

// Whether each element that is opened is closed, in the right order.
bool is_nested(const std::string& svg) {
    std::vector<std::string> open;
    const std::regex tag("<(/?)([a-z]+)[^>]*?(/?)>");
    for (std::sregex_iterator at(svg.begin(), svg.end(), tag), end; at != end; ++at) {
        if ((*at)[1] == "/") {
            if (open.empty() || open.back() != (*at)[2]) return false;
            open.pop_back();
        } else if ((*at)[3] != "/") {
            open.push_back((*at)[2]);
        }
    }
    return open.empty();
}

// Numbers as cells show them.
std::string shown(glassbox::real value) {
    const std::string text = fmt::format("{:.4f}", value);
    return text.starts_with("-") ? "−" + text.substr(1) : text;
}

}  // namespace

TEST_CASE("drawing: has every number of every step, with its name and formula") {
    const Folder folder;
    REQUIRE(tracer_run({"attention", "--seq", "3", "--dk", "2", "-o", folder / "a.npz"}).code == 0);
    const std::string svg = drawn("attention --seq 3 --dk 2");
    const std::vector<std::string> all = texts(svg);
    const glassbox::Npz steps(folder / "a.npz");
    for (const std::string name : {"Q", "K", "V", "logits", "scaled", "attention", "values"})
        for (const glassbox::real value : steps.read(name).values()) CHECK(has(all, shown(value)));
    for (const char* text : {"Q", "Kᵀ", "V", "logits", "Q Kᵀ", "softmax(scaled)", "attention V"})
        CHECK(has(all, text));
    CHECK(is_nested(svg));
    CHECK(count(svg, "<svg ") == 1);
    CHECK(svg.find("role=\"img\"") != svg.npos);
    CHECK(count(svg, "<desc>") == 1);
    CHECK(svg.find("animation") == svg.npos);
}

TEST_CASE("drawing: a matrix of the palette's colours: weights by their own") {
    const std::string svg = drawn("attention --Q 0;0 --K 0;0 --V 1;-1");
    const auto has_color = [&](Color color) { return svg.find("fill=\"" + hex(color)) != svg.npos; };
    CHECK(has_color(color_at(Palette::cividis, 0.5)));   // weights of 0.5
    CHECK(has_color(color_at(Palette::red_blue, 0.5)));  // scores of 0
    CHECK(has_color(color_at(Palette::red_blue, 1)));
}

TEST_CASE("drawing: what is small keeps its digits, what is large has a power of ten, and only 0 is 0") {
    const std::vector<std::string> all = texts(drawn("attention --Q 0;0.00001 --K 1;1 --V 0.00025;-0.0052"));
    for (const char* number : {"0", "10⁻⁵", "0.00025", "−0.0052"}) CHECK(has(all, number));
    CHECK_FALSE(has(all, "0.0003"));
    const std::vector<std::string> masked = texts(drawn("attention --mask causal"));
    for (const char* text : {"−9·10¹⁵", "hidden scores are set to −9·10¹⁵", "scaled, but −9·10¹⁵"})
        CHECK(std::any_of(masked.begin(), masked.end(),
                          [&](const std::string& each) { return each.starts_with(text); }));
    CHECK(has(texts(drawn("schedule")), "0.00025"));
}

TEST_CASE("drawing: equal numbers have one colour in every matrix, up to the limit that the legend says") {
    const std::string svg = drawn("attention --Q 1;2 --K 4;0.5 --V 4;2");
    CHECK(has(texts(svg), "−8 to 8 in every matrix"));  // a product of them
    const std::string color = hex(color_at(Palette::red_blue, 0.5 + std::sqrt(4. / 8) / 2));
    CHECK(count(svg, "fill=\"" + color) >= 3);  // 4 in K, V and logits
    // What would be without a colour has a scale of its own.
    CHECK(has(texts(drawn("schedule")), "to ±0.0005, ±1 or ±500: the first that holds its matrix"));
}

TEST_CASE("drawing: indices are below the line, names keep their underscores, a bias has its plus") {
    const std::string svg = drawn("multihead");
    const auto below = [](const std::string& text) { return ">" + text + "</tspan>"; };
    CHECK(svg.find("<tspan dy=\"3\" font-size=\"9\">Q,i</tspan><tspan dy=\"-3\">") != svg.npos);
    for (const char* index : {"model", "h", "1"}) CHECK(svg.find(below(index)) != svg.npos);
    CHECK(svg.find(">qkv_proj.weightᵀ<") != svg.npos);
    CHECK(svg.find(">d_model") == svg.npos);
    CHECK(count(drawn("linear"), ">+</text>") == 1);
    CHECK(count(drawn("attention"), ">+</text>") == 0);
}

TEST_CASE("drawing: a tall picture has columns, as a slide; one that moves is a slide wide") {
    const std::string still = drawn("encoder-block"), moving = drawn("encoder-block --play");
    for (const std::string& each : {still, moving}) {
        const double shape = width_of(each) / height_of(each);
        CHECK((shape > 1.4 && shape < 2.1));
    }
    CHECK(width_of(moving) < 960);  // so that its type is large on a slide
}

TEST_CASE("drawing --play: moves, and stands still where nothing may move") {
    const std::string svg = drawn("attention --seq 3 --dk 2 --play");
    CHECK(svg.find("@media (prefers-reduced-motion:reduce){.m{animation:none}}") != svg.npos);
    CHECK(is_nested(svg));
    // What passes is unseen without animation; each other group is seen.
    const std::regex passing("<g class=\"m s[0-9]+-[0-9]+f?\"( opacity=\"0\")?>"),
        staying("<g class=\"m s[0-9]+\">");
    std::size_t lights = 0;
    for (std::sregex_iterator at(svg.begin(), svg.end(), passing), end; at != end; ++at, ++lights)
        CHECK((*at)[1].matched);
    const auto fills =
        std::distance(std::sregex_iterator(svg.begin(), svg.end(), staying), std::sregex_iterator());
    CHECK(count(svg, "<g class=\"m ") == lights + static_cast<std::size_t>(fills));
    // 3 products and 2 rows of them, each after its first, 1 division and the others, 3 rows of the softmax,
    // each after its two stages, 2 products and 2 rows of them;
    // each with its lights, and with its arithmetic, which begins before the first; the step's name five
    // times; what they stand on.
    CHECK(fills == 18);
    CHECK(lights == 24 + 25 + 5 + 1);
    CHECK(count(svg, "<g class=\"m view\">") == 0);  // it fits a screen
    for (const char* steps : {">0 of 4<", ">1 of 4<", ">4 of 4<"}) CHECK(svg.find(steps) != svg.npos);
    // Nothing is lost without motion.
    std::vector<std::string> still = texts(drawn("attention --seq 3 --dk 2")), moving = texts(svg);
    for (const std::string& text : still) CHECK(has(moving, text));
}

TEST_CASE("drawing --play: one number comes first, with its arithmetic, then those like it") {
    const std::string svg = drawn("attention --seq 3 --dk 2 --play");
    const int first = beat_of(svg, "−0.6308");  // scaled[0,0]
    CHECK(first > 0);
    CHECK(beat_of(svg, "scaled[0,0] = −0.8921 / √2 = −0.6308") == first);
    CHECK(beat_of(svg, "0.0282") == first + 1);
    CHECK(has(texts(svg), "each: scaled = logits / √dk"));
}

TEST_CASE("drawing --play: a softmax fills in stages, below what the step means") {
    const std::string svg = drawn("attention --seq 3 --dk 2 --play");
    const int exponentials = beat_of(svg, "1. exp of each: 0.5322, 1.0286, 0.3423");
    CHECK(exponentials > 0);
    CHECK(beat_of(svg, "2. their sum: 0.5322 + 1.0286 + 0.3423 ≈ 1.9030") == exponentials + 1);
    CHECK(beat_of(svg,
                  "3. each by the sum: attention[0,0] = exp(−0.6308) / (exp(−0.6308) + exp(0.0282) + "
                  "exp(−1.072)) = 0.2796") == exponentials + 2);
    CHECK(beat_of(svg, "0.5322") == exponentials);  // in its cell
    CHECK(beat_of(svg, "0.2796") == exponentials + 2);
    const std::size_t means = svg.find(">Each row becomes weights"), next = svg.find(">1. exp of each");
    const auto y_before = [&](std::size_t at) { return std::atof(svg.c_str() + svg.rfind(" y=\"", at) + 4); };
    REQUIRE(means != svg.npos);
    CHECK(y_before(means) < y_before(next));
}

TEST_CASE("drawing --play: what a mask hides is counted, and the result is always there") {
    const std::string svg = drawn("attention --mask causal --seq 6 --dk 2 --play");
    CHECK(svg.find(" + 5 hidden: 0) = 1<") != svg.npos);
    CHECK(svg.find("exp(−9e+15)") == svg.npos);
    for (const std::string line : {"attention --mask causal --seq 12 --dk 2 --play",
                                   "attention --seq 12 --dk 12 --play", "encoder-block --play"}) {
        const std::vector<std::string> all = texts(drawn(line));
        CHECK(std::none_of(all.begin(), all.end(), [](const std::string& text) {
            return text.ends_with("…") && !text.ends_with("terms) …");  // where a line is broken
        }));
    }
    // Of a long row: what is seen and not written, and what is hidden.
    const auto says = [&](const std::string& number, const std::string& what) {
        std::string all;
        for (const std::string& text : texts(drawn(
                 "attention --mask causal --seq 12 --dk 2 --depth 1 --explain attention[" + number + "]")))
            all += text.substr(text.find_first_not_of(' ')) + " ";
        return all.find(what) != all.npos;
    };
    CHECK(says("8,0", "… (3 more terms) … + 3 hidden: 0) = "));
    CHECK(says("11,0", "… (5 more terms) … + exp("));
}

TEST_CASE("drawing --play: a mistake is shown from its first wrong step, what was expected after it") {
    const std::string svg = drawn("attention --seq 3 --dk 2 --mistake scaled/no-root --play");
    CHECK(beat_of(svg, "−0.8921") == 0);  // logits, which are right
    CHECK(svg.find(">1 of 4<") != svg.npos);
    CHECK(svg.find(">0 of 4<") == svg.npos);
    const int wrong = beat_of(svg, "−0.4461"), rest = beat_of(svg, "0.0199"),
              expected = beat_of(svg, "−0.6308"), off = beat_of(svg, "0.1848");
    CHECK(wrong == 1);
    CHECK(rest == 2);
    CHECK(expected == 3);
    CHECK(off == 3);
    CHECK(beat_of(svg, "0.3007") > 3);  // attention
}

TEST_CASE("drawing --explain: a norm's mean and variance have lines of their own, within the view") {
    const std::string svg = drawn("encoder-block --explain norm1[0,1]");
    const std::vector<std::string> all = texts(svg);
    CHECK(has(all, "μ = (−1.0393 + 1.9701 − 0.6015 + 0.3114) / 4 = 0.1602"));
    CHECK(has(all, "σ² = ((−1.0393)² + 1.9701² + (−0.6015)² + 0.3114²) / 4 − 0.1602² = 1.3294"));
    CHECK(svg.find("\uFFFD") == svg.npos);  // no line feed in its description
}

TEST_CASE("drawing --play: of a picture taller than a screen a part is seen, which follows the numbers") {
    const std::string svg = drawn("encoder-block --play");
    CHECK(count(svg, "<g class=\"m view\">") == 1);
    CHECK(has(texts(svg), "self_attn · head 1 · attention"));  // where one is
    CHECK(is_nested(svg));
    const std::string frames =
        svg.substr(svg.find("@keyframes view{0%{transform:translate(0px,0px) scale(1)}"));
    const std::string places = frames.substr(0, frames.find("}}"));
    CHECK(count(places, "transform:") > 8);
    CHECK(count(places, "scale(1)") == count(places, "transform:"));  // and stays there
    CHECK(drawn("encoder-block").find("class=\"m view\"") == std::string::npos);
}

TEST_CASE("drawing --explain: the numbers that one was made from, with their arithmetic") {
    const std::vector<std::string> all = texts(drawn("attention --seq 3 --dk 2 --explain values[0,1]"));
    const auto begins = [&](const std::string& text) {
        return std::count_if(all.begin(), all.end(),
                             [&](const std::string& each) { return each.starts_with(text); });
    };
    CHECK(begins("values[0,1] = ") == 1);
    CHECK(begins("values[") == 1);
    for (const char* step : {"logits[0,", "scaled[0,", "attention[0,"}) CHECK(begins(step) == 3);
    CHECK(begins("logits[1,") == 0);
}

TEST_CASE("drawing: what is given stands where it is used, once") {
    const std::vector<std::string> all = texts(drawn("attention --score additive"));
    for (const char* given : {"Q", "K", "V", "Wq", "Wk", "v"})
        CHECK(std::count(all.begin(), all.end(), given) == 1);
    const std::vector<std::string> alone = texts(drawn("attention --only Q,K,V"));
    for (const char* given : {"Q", "K", "V"}) CHECK(has(alone, given));
}

TEST_CASE("drawing: a mask is hatched, a mistake has the expected numbers below") {
    const std::vector<std::string> masked = texts(drawn("attention --seq 3 --dk 2 --mask causal"));
    CHECK(has(masked, "hidden by the mask"));
    CHECK_FALSE(has(texts(drawn("attention --seq 3 --dk 2")), "hidden by the mask"));
    const std::vector<std::string> wrong =
        texts(drawn("attention --seq 3 --dk 2 --mistake attention/over-queries"));
    CHECK(has(wrong, "expected"));
    CHECK(has(wrong, "not as expected"));
    CHECK(has(wrong, "0.2139"));  // with the mistake
    CHECK(has(wrong, "0.2796"));  // without it
    CHECK(has(wrong, "weights, 0 to 1"));
    const std::vector<std::string> negative =
        texts(drawn("attention --seq 3 --dk 2 --mistake attention/log"));  // which are no weights
    CHECK_FALSE(has(negative, "weights, 0 to 1"));
}

TEST_CASE(
    "drawing: words stand on rows and columns, upwards where they are wider than a cell, and on V's rows") {
    const auto of_attention = [](const std::string& sentence) {
        return tracer_run({"attention", "--text", sentence, "--only", "K,V,logits,values", "--format", "svg"})
            .out;
    };
    const std::string narrow = of_attention("the cat"), wide = of_attention("the internationally");
    CHECK(count(narrow, ">cat₁</text>") == 4);  // rows of logits, V and values, columns of Kᵀ
    CHECK(narrow.find("rotate(") == narrow.npos);
    CHECK(count(wide, ">internation…₁</text>") == 4);
    CHECK(count(wide, "rotate(-90") == 2);
}

TEST_CASE("drawing: heads one below the other, words on rows, escaped") {
    const Ran ran = tracer_run({"multihead", "--text", "a<b \"c\" d&e", "--format", "svg"});
    REQUIRE(ran.code == 0);
    CHECK(is_nested(ran.out));
    const std::vector<std::string> all = texts(ran.out);
    CHECK(has(all, "head 0"));
    CHECK(has(all, "head 1"));
    CHECK(has(all, "a&lt;b₀"));
    CHECK(has(all, "&quot;c&quot;₁"));
    CHECK(has(all, "d&amp;e₂"));
}

TEST_CASE("drawing: a model that is too large for its numbers is drawn whole, on a slide, with small maps") {
    for (const std::string line : {"transformer", "transformer --layers 6", "transformer --play"}) {
        INFO(line);
        const std::string svg = drawn(line);
        CHECK(is_nested(svg));
        const bool is_small = line.find("--layers") == line.npos;  // others have the shape of a slide
        CHECK(width_of(svg) <= (is_small ? 1280 : 2000));
        CHECK(height_of(svg) <= (is_small ? 720 : 1000));
        const std::vector<std::string> all = texts(svg);
        for (const char* part : {"source", "encoder/0", "decoder/0", "target", "cross_attn", "softmax"})
            CHECK(has(all, part));
        // What a residual adds meets in ⊕: twice in the encoder, three times in the decoder, and positions.
        const std::size_t layers = is_small ? 1 : 6;
        CHECK(count(svg, "<circle ") == 5 * layers + 2);
    }
    CHECK(has(texts(drawn("transformer --layers 6")), "decoder/5"));
    // What it says to type for the numbers of a part can be typed.
    const std::string svg = drawn("transformer --layers 6"), begins = "with its numbers a part: --scope ";
    const std::size_t scope = svg.find(begins) + begins.size();
    CHECK(
        has(texts(drawn("transformer --layers 6 --scope " + svg.substr(scope, svg.find(',', scope) - scope))),
            "logits"));
    // Of what is too wide for a map it says how much there is.
    CHECK(has(texts(drawn("transformer --dmodel 512 --heads 4")), "first 64 of 512"));
}

TEST_CASE("drawing: the attention of a trained model is a large map, its rows named by place and answer") {
    const std::string line = "predict reverse 2,5,3,7,1 --trained --only attention";
    const std::vector<std::string> all = texts(drawn(line)), moving = texts(drawn(line + " --play"));
    for (const char* name : {"15 → 2", "11 → 1", "0 → ∅", "2₀", "1₄", "∅₁₅"}) {
        CHECK(has(all, name));
        CHECK(has(moving, name));
    }
    CHECK(count(drawn(line), "width=\"27\" height=\"27\"") == 256);
    CHECK_FALSE(has(all, "0.0000"));  // what is small is a colour alone
    CHECK(std::any_of(moving.begin(), moving.end(), [](const std::string& text) {
        return text.starts_with("row 15 → 2: most from 2₀, 0.");
    }));
    const Folder folder;
    REQUIRE(tracer_run({"predict", "reverse", "2,5,3,7,1", "--trained", "--map", folder / "map.svg"}).code ==
            0);
    for (const char* name : {"15 → 2", "∅₁₅"}) CHECK(has(texts(content(folder / "map.svg")), name));
}

TEST_CASE("drawing: the row that a token reads and the number that it was chosen by are marked") {
    const auto rings = [](const std::string& line) { return count(drawn(line), "stroke=\"#d65600\""); };
    CHECK(rings("decode") == 6);  // 3 rows read, 3 tokens chosen
    CHECK(rings("attention") == 0);
    CHECK(rings("decode --beam 2 --tokens 2") >= 5);
}

TEST_CASE("drawing: the same bytes again") {
    for (const std::string line : {"encoder-block --play", "decoder-block"})
        CHECK(drawn(line) == drawn(line));
}

TEST_CASE("drawing: what does not fit says what to type") {
    const auto error = [](const std::string& line) {
        const Ran ran = tracer_run(words(line));
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        return ran.err;
    };
    CHECK(error("attention --seq 60 --dk 16 --format svg")
              .find("are more than one picture shows (at most 2500)") != std::string::npos);
    CHECK(error("attention --seq 300 --format svg").find("at most 128 rows and columns") !=
          std::string::npos);
    CHECK(error("attention --grad --format svg") ==
          "error: --grad: svg shows the pass forward; write a page: -o trace.html\n");
    CHECK(error("attention --play") ==
          "error: --play: only SVG and GIF move, got text: -o pass.svg, or -o pass.gif\n");
    CHECK(error("attention --explain Q[0,0] --format svg") ==
          "error: --explain: Q[0,0] is given: expected a number that is computed, for a picture\n");
}

TEST_CASE("drawing: as GIF it has a frame for each beat, and goes round") {
    const Folder folder;
    const std::string file = folder / "a.gif";
    const Ran ran = tracer_run({"attention", "--seq", "2", "--dk", "2", "-o", file});
    if (ran.code == 4 || ran.err.find("this build cannot draw GIF") != std::string::npos) {
        WARN("no GIF: this build has no Cairo or no giflib");
        return;
    }
    CHECK(ran.err.empty());
    const std::string gif = content(file);
    CHECK(gif.starts_with("GIF89a"));
    CHECK(gif.find("NETSCAPE2.0") != gif.npos);
    // The given numbers, 4 products, 1 division and the others, 2 rows of the softmax in three stages, 4
    // products; at last all of it.
    CHECK(count(gif, std::string("\x21\xF9\x04\x05", 4)) == 18);
    CHECK(gif.back() == ';');
    REQUIRE(tracer_run({"attention", "--seq", "2", "--dk", "2", "-o", folder / "b.gif"}).code == 0);
    CHECK(content(folder / "b.gif") == gif);
}

TEST_CASE("drawing: as PNG and PDF it stands still") {
    const Folder folder;
    for (const auto& [ending, begins] : {std::pair{"png", "\x89PNG"}, std::pair{"pdf", "%PDF"}}) {
        const std::string file = folder / ("a." + std::string(ending));
        const Ran ran = tracer_run({"attention", "--seq", "2", "--dk", "2", "-o", file});
        if (ran.err.find("this build cannot draw it") != std::string::npos) {
            WARN("no PNG and PDF: this build has no Cairo");
            return;
        }
        CHECK(ran.err.empty());
        CHECK(content(file).starts_with(begins));
        CHECK(tracer_run({"attention", "--play", "-o", file}).err ==
              fmt::format("error: --play: only SVG and GIF move, got {}: -o pass.svg, or -o pass.gif\n",
                          ending));
    }
}

TEST_CASE("pictures: those of the documents are what their commands draw, and small") {
    const Folder folder;
    const std::string pictures = GLASSBOX_SOURCE "/docs/pictures", made = folder / "";
    REQUIRE(std::system((pictures + "/make " GLASSBOX_TRACER " '" + made + "' .svg").c_str()) == 0);
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(made)) {
        const std::string name = file.path().filename();
        CAPTURE(name);
        const std::string svg = content(file.path());
        CHECK(svg == content(pictures + "/" + name));
        CHECK(svg.size() < 300'000);
        ++count;
    }
    CHECK(count >= 7);
}
