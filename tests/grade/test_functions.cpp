// Functions that are submitted: called, and judged, as glassbox.check does.
#include "functions.h"

#include <glassbox/tensor/format.h>

#include "support/errors.h"
#include "tracer/grade/given_steps.h"
#include "tracer/grade/inputs.h"
#include "tracer/grade/sandbox.h"

using namespace glassbox_test;
using glassbox::NamedTensors;
using glassbox::Tensor;

namespace {

const std::string probabilities =
    "    e = np.exp(z - z.max(-1, keepdims=True))\n    p = e / e.sum(-1, keepdims=True)\n";

std::string loss(const std::string& signature, const std::string& body) {
    return "def ce(" + signature + "):\n" + probabilities + body;
}

std::string adam(const std::string& signature, const std::string& decay = "",
                 const std::string& name = "adam") {
    return "def " + name + "(" + signature +
           "):\n"
           "    m = b1 * m + (1 - b1) * g\n    v = b2 * v + (1 - b2) * g * g\n"
           "    return w - lr * (m / (1 - b1 ** t) / (np.sqrt(v / (1 - b2 ** t)) + eps)" +
           decay + "), m, v";
}

std::string attention(const std::string& signature, const std::string& mask,
                      const std::string& returned = "a @ v", const std::string& keys = "k.swapaxes(-1, -2)") {
    return "def attend(" + signature + "):\n    s = q @ " + keys + " / np.sqrt(q.shape[-1])\n" + mask +
           "    e = np.exp(s - s.max(-1, keepdims=True))\n    a = e / e.sum(-1, keepdims=True)\n    return " +
           returned;
}

}  // namespace

TEST_CASE("grade: a plain loss is right, in every form of its labels, and what is wrong in it is not") {
    const std::string task = R"({"layer": "loss", "function": "ce", "file": "a.py", "points": 3})";
    check_points(3, task,
                 {loss("z, y", "    return -np.log(p[np.arange(len(y)), y]).mean()"),
                  loss("z, y", "    return -(y * np.log(p)).sum(-1).mean()"),
                  loss("z, y", "    return -np.log(np.take_along_axis(p, y[..., None], -1)).mean()"),
                  loss("z, targets, ignore_index=-100",
                       "    ok = targets != ignore_index\n"
                       "    l = -np.log(p[np.arange(len(ok)), np.where(ok, targets, 0)]) * ok\n"
                       "    return l.sum() / ok.sum()"),
                  loss("z, y, label_smoothing=0.0",
                       "    l = np.log(p)\n    return -((1 - label_smoothing) * l[np.arange(len(y)), y] + "
                       "label_smoothing * l.mean(-1)).mean()"),
                  loss("z, y", "    d = p.copy()\n    d[np.arange(len(y)), y] -= 1\n    return d / len(y)"),
                  loss("z, y",
                       "    d = p.copy()\n    d[np.arange(len(y)), y] -= 1\n"
                       "    return -np.log(p[np.arange(len(y)), y]).mean(), d / len(y)")});
    const std::vector<nlohmann::json> wrong =
        marks_of(task, {loss("z, y", "    return -np.log(p[np.arange(len(y)), y]).sum()"),
                        loss("z, y", "    return np.log(p[np.arange(len(y)), y]).mean()"),
                        loss("z, y", "    return 0.0 * z.sum()"), loss("z, y", "    return z")});
    for (const nlohmann::json& each : wrong) {
        INFO(each.dump());
        CHECK(each["points"] < 3);
    }
    CHECK(wrong[0]["mistakes"][0]["name"] == "loss/sum");
}

TEST_CASE(
    "grade: an option that the course asks for is asked of a function without a parameter for it, too") {
    const std::string plain = loss("z, y", "    return -np.log(p[np.arange(len(y)), y]).mean()");
    const nlohmann::json marks =
        marks_of(R"({"layer": "loss --label-smoothing 0.1", "function": "ce", "file": "a.py"})", {plain})
            .front();
    INFO(marks.dump());
    CHECK(marks["points"] < 1);
    check_points(1, R"({"layer": "loss --label-smoothing 0", "function": "ce", "file": "a.py"})", {plain});
    const nlohmann::json unmasked =
        marks_of(R"({"layer": "attention --mask causal", "function": "attend", "file": "a.py"})",
                 {attention("q, k, v", "")})
            .front();
    INFO(unmasked.dump());
    CHECK(unmasked["points"] < 1);
}

TEST_CASE("grade: plain Adam, AdamW and SGD are right, with what they return as it is") {
    const std::string numbers = "w, g, m, v, t, lr=0.1, b1=0.9, b2=0.999, eps=1e-8";
    check_points(4, R"({"layer": "adam", "function": "adam", "file": "a.py", "points": 4})",
                 {adam(numbers), adam("w, g, m, v, t, lr, b1, b2, eps"),
                  "def adam(w, g, m, v, t, lr, betas, eps):\n    b1, b2 = betas\n" +
                      adam("").substr(adam("").find('\n') + 1)});
    check_points(1, R"({"layer": "adam", "function": "step", "file": "a.py"})",
                 {adam(numbers, "", "step"), adam(numbers + ", wd=0.1", " + wd * w", "step")});
    check_points(1, R"({"layer": "adam", "function": "descend", "file": "a.py"})",
                 {"def descend(w, g, lr):\n    return w - lr * g",
                  "def descend(w, g, lr, wd):\n    return w - lr * (g + wd * w)"});
    check_points(1, R"({"layer": "adam", "function": "sgd", "file": "a.py"})",
                 {"def sgd(w, g, lr):\n    return w - lr * g"});
    check_points(1, R"({"layer": "adam --optimiser sgd", "function": "update", "file": "a.py"})",
                 {"def update(w, g, lr):\n    return w - lr * g"});
    const std::vector<nlohmann::json> wrong =
        marks_of(R"({"layer": "adam", "function": "adam", "file": "a.py"})",
                 {adam(numbers, " + 0.1 * w"), "def adam(w, g, m, v, t):\n    return w, m, v",
                  "def adam(w, g, m, v, t, lr):\n    return w - lr * g"});
    for (const nlohmann::json& each : wrong) {
        INFO(each.dump());
        CHECK(each["points"] < 1);
    }
}

TEST_CASE("grade: attention without a mask, for one sequence, or with its weights beside it, is right") {
    const std::string visible = "    s = np.where(mask, s, -np.inf)\n";
    check_points(
        2, R"({"layer": "attention", "function": "attend", "file": "a.py", "points": 2})",
        {attention("q, k, v", ""), attention("q, k, v, mask=None", visible),
         attention("q, k, v", "", "(a @ v, a)"), attention("q, k, v", "", "(a, a @ v)"),
         attention("q, k, v", "", "a @ v", "k.T"), attention("q, k, v, mask", visible, "a @ v", "k.T"),
         attention("q, k, v, attn_mask", "    s = s - 1e9 * attn_mask\n", "a @ v")});
    const std::vector<nlohmann::json> marks =
        marks_of(R"({"layer": "attention", "function": "attend", "file": "a.py", "points": 2})",
                 {attention("q, k, v", ""), attention("q, k, v, mask", "")});
    CHECK(marks[0]["without"] == nlohmann::json({"--mask", "--lengths"}));
    CHECK(marks[1]["mistakes"][0]["name"] == "masked/ignored");
}

TEST_CASE("grade: a flag that decides which keys are seen is no array, and is set as the task asks") {
    const auto flagged = [](const std::string& parameter, const std::string& condition,
                            const std::string& scale = "np.sqrt(q.shape[-1])") {
        return "def attend(q, k, v, " + parameter + "):\n    s = q @ k.swapaxes(-1, -2) / " + scale +
               "\n    if " + condition + ":\n        s = np.where(np.tri(*s.shape[-2:]), s, -np.inf)\n" +
               "    a = np.exp(s - s.max(-1, keepdims=True))\n    return a / a.sum(-1, keepdims=True) @ v";
    };
    for (const std::string mask : {"", " --mask causal"}) {
        const std::string task =
            "{\"layer\": \"attention" + mask + "\", \"function\": \"attend\", \"file\": \"a.py\"}";
        const std::vector<std::string> functions{flagged("use_mask=False", "use_mask"),
                                                 flagged("with_mask=True", "with_mask"),
                                                 flagged("causal_mask=False", "causal_mask"),
                                                 flagged("causal=True", "causal"),
                                                 flagged("is_causal=False", "is_causal"),
                                                 flagged("masked=True", "masked"),
                                                 flagged("mask_future=True", "mask_future"),
                                                 flagged("bidirectional=False", "not bidirectional"),
                                                 flagged("bidirectional=True", "not bidirectional"),
                                                 flagged("causal", "causal")};
        check_points(1, task, functions);
        check_wrong(1, task,
                    {flagged("use_mask=False", "use_mask", "q.shape[-1]"),
                     flagged("causal=True", "causal", "q.shape[-1]"), flagged("causal", "causal", "1")});
    }
    const std::vector<nlohmann::json> marks =
        marks_of(R"({"layer": "attention", "function": "attend", "file": "a.py"})",
                 {flagged("causal=True", "causal"), flagged("causal", "causal"),
                  flagged("causal=True", "causal", "q.shape[-1]")});
    CHECK(has(marks[0]["remark"], "its parameter causal is False; its behaviour with causal=True was not"));
    CHECK(marks[1]["remark"] == "its behaviour with causal=True was not judged");
    CHECK(marks[2]["mistakes"].size() == 1);  // and the flag is none
    CHECK(marks[2]["mistakes"][0]["name"] == "scaled/no-root");
}

TEST_CASE("grade: PyTorch's ε in an encoder block is no mistake beside another") {
    const auto block = [](const std::string& variance, const std::string& root, const std::string& second) {
        return "def ln(x, g, b, eps=1e-5):\n    m = x.mean(-1, keepdims=True)\n    v = x." + variance +
               "\n    return g * (x - m) / np.sqrt(v + eps) + b\n\n"
               "def block(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, W1, b1, W2, b2, gamma1, beta1, gamma2, beta2, "
               "h=3):\n"
               "    B, T, D = x.shape\n    d = D // h\n"
               "    f = lambda W, b: (x @ W + b).reshape(B, T, h, d).swapaxes(1, 2)\n"
               "    q, k, v = f(Wq, bq), f(Wk, bk), f(Wv, bv)\n    s = q @ k.swapaxes(-1, -2) / " +
               root +
               "\n    e = np.exp(s - s.max(-1, keepdims=True))\n    a = e / e.sum(-1, keepdims=True)\n"
               "    o = (a @ v).swapaxes(1, 2).reshape(B, T, D) @ Wo + bo\n"
               "    y = ln(x + o, gamma1, beta1)\n    return ln(" +
               second + " + np.maximum(0, y @ W1 + b1) @ W2 + b2, gamma2, beta2)";
    };
    const std::string own = "var(-1, keepdims=True)", root = "np.sqrt(d)";
    const std::vector<nlohmann::json> marks =
        marks_of(R"({"layer": "encoder-block --heads 3", "function": "block", "file": "a.py"})",
                 {block(own, root, "y"), block("var(-1, keepdims=True, ddof=1)", root, "y"),
                  block(own, "d", "y"), block(own, root, "x")});
    CHECK(marks[0]["points"] == 1);
    const char* const names[] = {"", "layer_norm/sample-variance", "self_attn/scaled/no-root",
                                 "residual/from-x"};
    for (std::size_t i = 1; i < marks.size(); ++i) {
        INFO(marks[i].dump());
        CHECK(marks[i]["points"] < 1);
        REQUIRE(marks[i]["mistakes"].size() == 1);
        CHECK(std::string(names[i]).ends_with(marks[i]["mistakes"][0]["name"].get<std::string>()));
    }
}

TEST_CASE("grade: a mistake is found in every way in which a function can have been called") {
    const std::string mha =
        "def mha(x, Wq, Wk, Wv, Wo, bq, bk, bv, bo, h):\n    B, T, D = x.shape\n"
        "    f = lambda t: t.reshape(B, h, T, D // h)\n"
        "    q, k, v = f(x @ Wq$ + bq), f(x @ Wk$ + bk), f(x @ Wv$ + bv)\n"
        "    s = q @ k.swapaxes(-1, -2) / np.sqrt(D // h)\n    e = np.exp(s - s.max(-1, keepdims=True))\n"
        "    return (e / e.sum(-1, keepdims=True) @ v).swapaxes(1, 2).reshape(B, T, D) @ Wo$ + bo";
    std::vector<std::string> functions;
    for (const std::string turned : {"", ".T"}) {
        functions.push_back(mha);
        for (std::size_t at; (at = functions.back().find('$')) != std::string::npos;)
            functions.back().replace(at, 1, turned);
    }
    for (const nlohmann::json& mark :
         marks_of(R"({"layer": "multihead --heads 3", "function": "mha", "file": "a.py"})", functions)) {
        INFO(mark.dump());
        REQUIRE(mark["mistakes"].size() == 1);
        CHECK(mark["mistakes"][0]["name"] == "Q/no-permute");
    }
}

TEST_CASE(
    "grade: an optimiser's numbers may be in its state, which may be a pair, and what is unclear is asked") {
    const std::string end = "    return w - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps)",
                      numbers = "lr=0.1, b1=0.9, b2=0.999, eps=1e-8",
                      step = "    m = b1 * m + (1 - b1) * g\n    v = b2 * v + (1 - b2) * g * g\n";
    const std::string from_cache =
        "    lr, b1, b2, eps = (cache[n] for n in ('lr', 'beta1', 'beta2', 'eps'))\n    m, v = "
        "cache['mean'], "
        "cache['var']\n";
    check_points(
        1, R"({"layer": "adam", "function": "adam", "file": "a.py"})",
        {"def adam(w, g, cache, t):\n" + from_cache + step + end,
         "def adam(w, g, moments, t, " + numbers + "):\n    m, v = moments\n" + step + end + ", (m, v)",
         "def adam(w, g, state, " + numbers + "):\n    m, v, t = state\n    t += 1\n" + step + end});
    check_points(
        1, R"({"layer": "adam --optimiser sgd", "function": "sgd", "file": "a.py"})",
        {"def sgd(w, g, state, lr=0.1, momentum=0.9):\n"
         "    state['v_w'] = momentum * state.get('v_w', 0) + g\n    return w - lr * state['v_w'], state"});
    check_wrong(
        1, R"({"layer": "adam", "function": "adam", "file": "a.py"})",
        {"def adam(w, g, cache, t):\n" + from_cache + step + "    return w - lr * m / (np.sqrt(v) + eps)",
         "def adam(w, g, moments, t, " + numbers + "):\n    m, v = moments\n" + step +
             "    return w - lr * m / (np.sqrt(v) + eps)"});
    need_numpy();
    const Class all(R"({"tasks": [{"layer": "adam", "function": "adam", "file": "a.py"}]})");
    const std::string plain = "import numpy as np\ndef adam(w, g, m, v, t, " + numbers + "):\n" + step;
    all.submit("hats", "a.py",
               plain +
                   "    m = m / (1 - b1**t)\n    v = v / (1 - b2**t)\n"
                   "    return w - lr * m / (np.sqrt(v) + eps), m, v\n");
    all.submit("speed", "a.py",
               "def adam(w, g, state, lr=0.1):\n"
               "    state['speed'] = 0.9 * state.get('speed', 0) + g\n"
               "    return w - lr * state['speed']\n");
    const Ran ran = all.grade("--format json");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    const nlohmann::json parsed = nlohmann::json::parse(ran.out);
    for (const auto& student : parsed["students"]) CHECK(student["points"].is_null());
    CHECK(has(ran.out, "it is unclear which steps they are"));
    CHECK(has(ran.out, "state['speed']"));
}

TEST_CASE("grade: every number that glassbox.check may leave out grade may leave out") {
    const std::string python = content(std::string(GLASSBOX_SOURCE) + "/python/glassbox/signature.py");
    const std::size_t begin = python.find("NUMBERS = {"), end = python.find("\n}", begin);
    REQUIRE(end != std::string::npos);
    std::size_t count = 0;
    for (std::size_t at = begin; (at = python.find("\n    \"", at)) < end; ++at) {
        const std::string name = python.substr(at + 6, python.find('"', at + 6) - at - 6);
        // KEPT, a size, and a factor that is 1 for functions.
        if (name == "update" || name == "dmodel" || name == "factor") continue;
        INFO(name);
        CHECK(std::any_of(std::begin(glassbox::tracer::can_be_left_out),
                          std::end(glassbox::tracer::can_be_left_out),
                          [&](const char* each) { return name == each; }));
        ++count;
    }
    CHECK(count > 8);
}

TEST_CASE("grade: what a function returns is told by its names, its shapes, then its numbers") {
    const Tensor w({2}, {1, 2}), m({2}, {3, 4}), v({2}, {5, 6}), a({2, 2}, {1, 0, 0, 1}),
        number(Tensor::full({}, 7));
    const auto names = [](const glassbox::tracer::GivenArrays& given, const NamedTensors& right) {
        std::string text;
        for (const auto& [name, value] : glassbox::tracer::steps_in(given, right)) text += name + " ";
        return text;
    };
    const NamedTensors of_adam{{"m", m}, {"v", v}, {"w", w}}, of_attention{{"attention", a}, {"values", w}},
        of_loss{{"loss", number}, {"dlogits", a}};
    CHECK(names({{"#0", w}, {"#1", m}, {"#2", v}}, of_adam) == "w m v ");
    CHECK(names({{"#0", v}, {"#1", w}, {"#2", m}}, of_adam) == "v w m ");
    CHECK(names({{"#0", w}, {"#1", a}}, of_attention) == "values attention ");
    CHECK(names({{"#0", a}, {"#1", w}}, of_attention) == "attention values ");
    CHECK(names({{"#0", number}}, of_loss) == "loss ");
    CHECK(names({{"#0", Tensor({1}, {7})}}, of_loss) == "loss ");
    CHECK(names({{"#0", a}, {"#1", number}}, of_loss) == "dlogits loss ");
    CHECK(names({{"=attention", a}, {"=mine", w}}, of_attention) == "attention values ");
    CHECK(names({{"=attention", a}, {"=other", Tensor({2}, {8, 9})}, {"=mine", m}}, of_attention) ==
          "attention ");  // which of them is the result is not said
    CHECK(names({{"=attention", a}, {"=other", Tensor({2}, {8, 9})}, {"=mine", w}}, of_attention) ==
          "attention values ");
    CHECK(names({{"=mine", w}, {"=weights", a}}, of_attention) == "values ");
    CHECK(names({{"#0", a}}, of_attention) == "values ");  // of another shape, and said to be so
    check_error<glassbox::tracer::UnclearSteps>(
        [&] {
            names({{"#0", w}, {"#1", w}}, of_adam);
        },
        "the function returned 2 arrays, and it is unclear which steps they are: return the result alone or "
        "a dictionary of steps, or set \"returns\" in the course");
}

TEST_CASE("grade: a trial says what is drawn for a function, and tries the signatures that students write") {
    if (const std::string why = glassbox::tracer::Sandbox::problem(); !why.empty()) SKIP(why);
    const Class all(R"({"tasks": [{"layer": "loss", "function": "ce", "points": 3},
        {"layer": "adam", "function": "adam"}, {"name": "sgd", "layer": "adam --optimiser sgd", "function": "step"},
        {"layer": "attention", "function": "attend"}, {"layer": "multihead", "function": "mha"},
        {"layer": "clip", "function": "clip"}, {"layer": "positional", "function": "encode"}]})");
    const Ran ran = all.grade("--try");
    if (has(ran.out, "numpy")) SKIP("there is no NumPy for /usr/bin/python3");
    INFO(ran.out + ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.out, "loss: ce of loss.py is called as loss "));
    CHECK(has(ran.out, "drawn, and left out for a function that has no parameter for it: label_smoothing"));
    for (const char* kind : {"right, of inputs alone", "right, the loss alone", "right, as a tuple"})
        CHECK(has(ran.out, kind));
}

TEST_CASE("grade: a misspelt function is named with the one that is there") {
    const nlohmann::json marks = marks_of(R"({"layer": "attention", "function": "attend", "file": "a.py"})",
                                          {"def Attend(q, k, v):\n    return v"})
                                     .front();
    CHECK(has(marks["detail"], "there is no function attend; did you mean your Attend?"));
}
