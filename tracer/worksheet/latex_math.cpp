#include "worksheet/latex_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include <glassbox/io/text.h>

#include "cli/text_width.h"

namespace glassbox::tracer {

namespace {

enum class TokenKind { none, symbol, word, relation, divided, comma, open, close };

struct Symbol {
    char32_t character;
    const char* latex;
    TokenKind part = TokenKind::symbol;
};

constexpr Symbol symbols[] = {{U'α', "\\alpha"},
                              {U'β', "\\beta"},
                              {U'γ', "\\gamma"},
                              {U'δ', "\\delta"},
                              {U'ε', "\\varepsilon"},
                              {U'ζ', "\\zeta"},
                              {U'η', "\\eta"},
                              {U'θ', "\\theta"},
                              {U'ι', "\\iota"},
                              {U'κ', "\\kappa"},
                              {U'λ', "\\lambda"},
                              {U'μ', "\\mu"},
                              {U'ν', "\\nu"},
                              {U'ξ', "\\xi"},
                              {U'π', "\\pi"},
                              {U'ρ', "\\rho"},
                              {U'σ', "\\sigma"},
                              {U'τ', "\\tau"},
                              {U'φ', "\\varphi"},
                              {U'χ', "\\chi"},
                              {U'ψ', "\\psi"},
                              {U'ω', "\\omega"},
                              {U'Γ', "\\Gamma"},
                              {U'Δ', "\\Delta"},
                              {U'Θ', "\\Theta"},
                              {U'Λ', "\\Lambda"},
                              {U'Π', "\\Pi"},
                              {U'Σ', "\\sum"},
                              {U'Φ', "\\Phi"},
                              {U'Ψ', "\\Psi"},
                              {U'Ω', "\\Omega"},
                              {U'½', "\\tfrac{1}{2}"},
                              {U'¼', "\\tfrac{1}{4}"},
                              {U'∂', "\\partial"},
                              {U'∞', "\\infty"},
                              {U'…', "\\dots"},
                              {U'∇', "\\nabla"},
                              {U'ℓ', "\\ell"},
                              {U'·', "\\cdot", TokenKind::relation},
                              {U'∘', "\\circ", TokenKind::relation},
                              {U'×', "\\times", TokenKind::relation},
                              {U'−', "-", TokenKind::relation},
                              {U'±', "\\pm", TokenKind::relation},
                              {U'‖', "\\mathbin{\\|}", TokenKind::relation},
                              {U'→', "\\to", TokenKind::relation},
                              {U'≤', "\\le", TokenKind::relation},
                              {U'≥', "\\ge", TokenKind::relation},
                              {U'≠', "\\ne", TokenKind::relation},
                              {U'≈', "\\approx", TokenKind::relation},
                              {U'∈', "\\in", TokenKind::relation},
                              {U'+', "+", TokenKind::relation},
                              {U'-', "-", TokenKind::relation},
                              {U'=', "=", TokenKind::relation},
                              {U'<', "<", TokenKind::relation},
                              {U'>', ">", TokenKind::relation},
                              {U'*', "*", TokenKind::relation},
                              {U'/', "/", TokenKind::divided},
                              {U',', ",", TokenKind::comma},
                              {U';', ";", TokenKind::comma},
                              {U':', "\\colon", TokenKind::comma},
                              {U'(', "(", TokenKind::open},
                              {U'[', "[", TokenKind::open},
                              {U'{', "\\{", TokenKind::open},
                              {U'⌈', "\\lceil", TokenKind::open},
                              {U'⌊', "\\lfloor", TokenKind::open},
                              {U')', ")", TokenKind::close},
                              {U']', "]", TokenKind::close},
                              {U'}', "\\}", TokenKind::close},
                              {U'⌉', "\\rceil", TokenKind::close},
                              {U'⌋', "\\rfloor", TokenKind::close},
                              {U'|', "|"},
                              {U'.', "."},
                              {U'!', "!"},
                              {U'?', "?"},
                              {U'%', "\\%"},
                              {U'#', "\\#"},
                              {U'&', "\\&"},
                              {U'$', "\\$"},
                              {U'\\', "\\backslash"},
                              {U'~', "\\sim", TokenKind::relation},
                              {U'@', "@"}};

// A small letter or digit above or below the line.
struct Script {
    char32_t character;
    bool is_above;
    const char* latex;
};

constexpr Script scripts[] = {
    {U'ᵀ', true, "\\mathsf{T}"}, {U'ᵗ', true, "t"},  {U'ⁿ', true, "n"},  {U'ⁱ', true, "i"},
    {U'ˣ', true, "x"},           {U'⁰', true, "0"},  {U'¹', true, "1"},  {U'²', true, "2"},
    {U'³', true, "3"},           {U'⁴', true, "4"},  {U'⁵', true, "5"},  {U'⁶', true, "6"},
    {U'⁷', true, "7"},           {U'⁸', true, "8"},  {U'⁹', true, "9"},  {U'⁻', true, "-"},
    {U'⁺', true, "+"},           {U'₀', false, "0"}, {U'₁', false, "1"}, {U'₂', false, "2"},
    {U'₃', false, "3"},          {U'₄', false, "4"}, {U'₅', false, "5"}, {U'₆', false, "6"},
    {U'₇', false, "7"},          {U'₈', false, "8"}, {U'₉', false, "9"}, {U'ᵢ', false, "i"},
    {U'ⱼ', false, "j"},          {U'ₖ', false, "k"}, {U'ₜ', false, "t"}, {U'ₙ', false, "n"}};

const Symbol* symbol_of(char32_t c) {
    const auto* found = std::find_if(std::begin(symbols), std::end(symbols),
                                     [&](const Symbol& each) { return each.character == c; });
    return found == std::end(symbols) ? nullptr : found;
}

const Script* script_of(char32_t c) {
    const auto* found = std::find_if(std::begin(scripts), std::end(scripts),
                                     [&](const Script& each) { return each.character == c; });
    return found == std::end(scripts) ? nullptr : found;
}

constexpr char32_t hat = 0x302;  // above the letter before it

bool is_latin(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_numeral(char32_t c) { return c >= '0' && c <= '9'; }

class MathWriter {
  public:
    explicit MathWriter(std::vector<char32_t> text) : text_(std::move(text)) {}

    std::string all() {
        while (at_ < text_.size()) next();
        return out_;
    }

  private:
    char32_t peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : char32_t(0);
    }
    // A command needs a space before a letter.
    void add(const std::string& latex, TokenKind part) {
        if (!out_.empty() && is_latin(static_cast<unsigned char>(latex[0])) && ends_in_command()) out_ += ' ';
        out_ += latex;
        before_ = part;
    }
    bool ends_in_command() const {
        const std::size_t slash = out_.rfind('\\');
        return slash != out_.npos && slash + 1 < out_.size() &&
               std::all_of(out_.begin() + static_cast<std::ptrdiff_t>(slash) + 1, out_.end(),
                           [](char c) { return is_latin(static_cast<unsigned char>(c)); });
    }

    void next() {
        const char32_t c = peek();
        if (c == ' ' || c == '\n' || c == '\t') return space();
        if (is_latin(c)) return with_scripts(identifier());
        if (is_numeral(c)) return with_scripts({numeral(), TokenKind::symbol});
        if (c == U'√') return root();
        if (c == '\'') return apostrophe();
        if (c == '^' || c == '_' || script_of(c)) return with_scripts({"{}", before_});
        if (is_hyphen()) {
            ++at_;
            return add("\\text{-}", TokenKind::word);
        }
        if (is_sign()) {
            ++at_;
            return add("{-}", TokenKind::symbol);
        }
        ++at_;
        const Symbol* symbol = symbol_of(c);
        if (!symbol) return add(fmt::format("\\text{{{}}}", latex_text(utf8(c))), TokenKind::symbol);
        if (symbol->part == TokenKind::symbol || symbol->part == TokenKind::close)
            return with_scripts({symbol->latex, symbol->part});
        add(symbol->latex, symbol->part);
    }

    // Mathematics ignores spaces: those that separate words, factors and what is divided.
    void space() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\t') ++at_;
        const char32_t c = peek();
        if (before_ == TokenKind::none || c == 0) return;
        const Symbol* symbol = symbol_of(c);
        const TokenKind after = is_sign()        ? TokenKind::symbol
                                : symbol         ? symbol->part
                                : is_word_next() ? TokenKind::word
                                                 : TokenKind::symbol;
        if (before_ == TokenKind::divided || after == TokenKind::divided) out_ += "\\,";
        else if (before_ == TokenKind::comma) out_ += "\\ \\allowbreak ";
        else if (before_ == TokenKind::relation || after == TokenKind::relation) return;  // has its own
        else if (before_ == TokenKind::word || after == TokenKind::word) out_ += "\\ \\allowbreak ";
        else out_ += "\\,";
    }
    // The minus of a number after a space, "but −9e15"; with a space also after it, it subtracts.
    bool is_sign() const {
        const bool is_minus = peek() == U'−' || peek() == '-';
        return is_minus && at_ > 0 && text_[at_ - 1] == ' ' && peek(1) != ' ';
    }
    // "post-norm"
    bool is_hyphen() const {
        return peek() == '-' && at_ > 1 && is_latin(text_[at_ - 1]) && is_latin(text_[at_ - 2]) &&
               is_latin(peek(1));
    }
    bool is_word_next() const {
        std::string name;
        while (is_latin(peek(name.size()))) name += static_cast<char>(peek(name.size()));
        return name.size() > 1 && !is_function(name);
    }

    struct Nucleus {
        std::string latex;
        TokenKind part;
    };

    // d_k, W_qkv, head_1, log_probability, softmax, x
    Nucleus identifier() {
        const std::string base = name();
        std::string second;
        std::vector<std::string> parts;
        while (second.empty() && peek() == '_' && (is_latin(peek(1)) || is_numeral(peek(1)))) {
            ++at_;
            parts.push_back(name());
            if (peek() == ',' && is_latin(peek(1)) && !is_latin(peek(2)))
                second = name_after_comma();  // W_Q,i
        }
        const bool is_index = parts.size() == 1 && (base.size() == 1 || parts[0].size() == 1);
        if (is_index)
            return {fmt::format("{}_{{{}{}}}", upright(base), upright(parts[0]), second),
                    base.size() > 1 ? TokenKind::word : TokenKind::symbol};
        std::string whole = base;
        for (const std::string& each : parts) whole += "\\_" + each;
        return {parts.empty() ? upright(base) : "\\mathrm{" + whole + "}",
                whole.size() > 1 && !is_function(whole) ? TokenKind::word : TokenKind::symbol};
    }
    std::string name_after_comma() {
        ++at_;
        return "," + name();
    }
    std::string name() {
        std::string text;
        while (is_latin(peek()) || is_numeral(peek())) text += static_cast<char>(text_[at_++]);
        return text;
    }
    static bool is_function(const std::string& name) {
        static const std::set<std::string> all = {"exp", "ln", "log", "sin", "cos", "max", "min", "tanh"};
        return all.contains(name);
    }
    // Names of several letters are upright, and functions have LaTeX's spacing.
    std::string upright(const std::string& name) const {
        if (name.size() == 1 || std::all_of(name.begin(), name.end(),
                                            [](char c) { return is_numeral(static_cast<unsigned char>(c)); }))
            return name;
        if (is_function(name)) return "\\" + name;
        return fmt::format("{}{{{}}}", peek() == '(' ? "\\operatorname" : "\\mathrm", name);
    }

    // 0.28, 9e15
    std::string numeral() {
        std::string text;
        while (is_numeral(peek()) || (peek() == '.' && is_numeral(peek(1))))
            text += static_cast<char>(text_[at_++]);
        const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
        if (peek() != 'e' || !is_numeral(peek(1 + sign))) return text;
        std::string exponent = peek(1) == '-' ? "-" : "";
        for (at_ += 1 + sign; is_numeral(peek()); ++at_) exponent += static_cast<char>(peek());
        const std::size_t nonzero = exponent.find_first_not_of("-0");
        if (nonzero != exponent.npos) exponent = (exponent[0] == '-' ? "-" : "") + exponent.substr(nonzero);
        return fmt::format("{}\\cdot 10^{{{}}}", text, exponent);
    }

    // What is above and below the line after it. A hat covers it.
    void with_scripts(Nucleus nucleus) {
        std::string above, below;
        while (true) {
            const char32_t c = peek();
            if (c == hat) {
                nucleus.latex = "\\hat{" + nucleus.latex + "}";
                ++at_;
            } else if (const Script* script = script_of(c)) {
                append(script->is_above ? above : below, script->latex);
                ++at_;
            } else if (c == '^' || c == '_') {
                ++at_;
                append(c == '^' ? above : below, group());
            } else {
                break;
            }
        }
        if (!below.empty() && nucleus.latex.find('_') != std::string::npos)
            nucleus.latex = "{" + nucleus.latex + "}";
        if (!below.empty()) nucleus.latex += "_{" + below + "}";
        if (!above.empty() && nucleus.latex.find('^') != std::string::npos)
            nucleus.latex = "{" + nucleus.latex + "}";  // 10^{3}, squared
        if (!above.empty()) nucleus.latex += "^{" + above + "}";
        add(nucleus.latex, nucleus.part);
    }

    // A command and a letter after it stay two.
    static void append(std::string& script, const std::string& more) {
        if (!script.empty() && is_latin(static_cast<unsigned char>(more[0]))) script += ' ';
        script += more;
    }

    // After ^ and _: {…}, (…), or as far as it goes without a space: −½, 1/2, t−1.
    std::string group() {
        const char32_t c = peek();
        if (c == '{' || c == '(') return bracketed();  // 10000^(−2i/d): LaTeX's braces do for the brackets
        std::vector<char32_t> inner;
        while (peek() == U'−' || peek() == '-') inner.push_back(text_[at_++]);
        while (is_latin(peek()) || is_numeral(peek()) ||
               (symbol_of(peek()) && peek() >= 0x80 && symbol_of(peek())->part == TokenKind::symbol))
            inner.push_back(text_[at_++]);
        return MathWriter(inner).all();
    }
    // The contents of a pair of brackets that begins here, or all that follows where it is not closed.
    std::string bracketed() {
        const char32_t open = text_[at_++], close = open == '{' ? '}' : ')';
        std::vector<char32_t> inner;
        for (int depth = 1; at_ < text_.size(); ++at_) {
            if (text_[at_] == open) ++depth;
            if (text_[at_] == close && --depth == 0) {
                ++at_;
                break;
            }
            inner.push_back(text_[at_]);
        }
        return MathWriter(inner).all();
    }

    // √(…), √d_k, √2
    void root() {
        ++at_;
        std::string radicand;
        if (peek() == '(') {
            radicand = bracketed();
        } else {
            MathWriter inner(
                std::vector<char32_t>(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end()));
            if (inner.peek() != 0 && inner.peek() != ' ') inner.next();
            radicand = inner.out_;
            at_ += inner.at_;
        }
        with_scripts({"\\sqrt{" + radicand + "}", TokenKind::symbol});
    }

    // "Q's part"
    void apostrophe() {
        ++at_;
        std::string text = "'";
        while (is_latin(peek())) text += static_cast<char>(text_[at_++]);
        add("\\text{" + text + "}", TokenKind::word);
    }

    std::vector<char32_t> text_;
    std::size_t at_ = 0;
    std::string out_;
    TokenKind before_ = TokenKind::none;
};

}  // namespace

std::string latex_math(std::string_view formula) {
    return MathWriter(characters(printable_lines(formula))).all();
}

bool has_latex_math(char32_t symbol) {
    return symbol_of(symbol) || script_of(symbol) || symbol == U'√' || symbol == hat;
}

}  // namespace glassbox::tracer
