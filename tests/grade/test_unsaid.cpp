// What a function's names do not say, how its matrices lie, and how it returns its result: found out, or
// asked about.
#include "functions.h"

#include <glassbox/tensor/format.h>

using namespace glassbox_test;

namespace {

const std::string helpers =
    "def softmax(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, "
    "keepdims=True)\n\n"
    "def heads_of(y, h):\n    return y.reshape(*y.shape[:2], h, -1).swapaxes(1, 2)\n\n"
    "def mixed(q, k, v):\n    y = (softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v).swapaxes(1, "
    "2)\n"
    "    return y.reshape(*y.shape[:2], -1)\n\n"
    "def norm(x, g, b, eps):\n"
    "    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * g + b\n\n";

// Of four matrices by these names, each behind its input or, with ".T", transposed there.
std::string multihead(const std::string& names, const std::string& turned, const std::string& heads = "h") {
    const std::vector<std::string> n = words(names);
    return helpers + fmt::format(
                         "def mha(x, {0}, {1}, {2}, {3}, {5}):\n"
                         "    q, k, v = (heads_of(x @ W{4}, {5}) for W in ({0}, {1}, {2}))\n"
                         "    return mixed(q, k, v) @ {3}{4}",
                         n[0], n[1], n[2], n[3], turned, heads);
}

const std::string heads =
                      R"({"layer": "multihead --heads 4", "function": "mha", "file": "a.py", "points": 8})",
                  update = R"({"layer": "adam", "function": "step", "file": "a.py", "points": 4})",
                  sgd = R"({"layer": "adam --optimiser sgd", "function": "step", "file": "a.py"})",
                  loss = R"({"layer": "loss", "function": "ce", "file": "a.py", "points": 3})",
                  scores = R"({"layer": "attention", "function": "attend", "file": "a.py", "points": 6})";

// Functions of which nobody but the student knows what they take: no mark, and the parameter is named.
void check_asked(const std::string& task, const std::string& function, const std::string& parameter) {
    if (const std::string why = glassbox::tracer::Sandbox::problem(); !why.empty()) SKIP(why);
    const Class all("{\"seed\": 4, \"tasks\": [" + task + "]}");
    all.submit("anna", "a.py", "import numpy as np\n\n" + function + "\n");
    const Ran ran = all.grade("--format json");
    if (has(ran.err, "numpy")) SKIP("there is no NumPy for /usr/bin/python3");
    INFO(function << "\n" << ran.out << ran.err);
    CHECK(ran.code == 4);
    CHECK(has(ran.err, "what does the parameter '" + parameter + "' of "));
    CHECK(nlohmann::json::parse(ran.out)["students"][0]["tasks"][0]["points"].is_null());
}

const std::string adam_lines =
    "    m = b1 * m + (1 - b1) * g\n    v = b2 * v + (1 - b2) * g * g\n"
    "    w = w - lr * (m / (1 - b1 ** t)) / (np.sqrt(v / (1 - b2 ** t)) + eps)\n";

}  // namespace

TEST_CASE("grade: matrices lie one way, all together, whatever their names are a mixture of") {
    std::vector<std::string> right;
    for (const char* turned : {"", ".T"})
        for (const char* names : {"Wq k_proj_weight Wv o_proj_weight", "q_proj_weight Wk Wv W_o",
                                  "q_proj_weight k_proj_weight v_proj_weight o_proj_weight"})
            right.push_back(multihead(names, turned));
    for (const char* turned : {"", ".T"})
        right.push_back(
            helpers +
            fmt::format(
                "def mha(x, weights, h):\n"
                "    q, k, v = (heads_of(x @ weights[W]{0} + weights[b], h)\n"
                "               for W, b in (('Wq', 'bq'), ('k_proj.weight', 'bk'), ('W_v', 'b_v')))\n"
                "    return mixed(q, k, v) @ weights['o_proj.weight']{0} + weights['bo']",
                turned));
    check_points(8, heads, right);
    check_wrong(8, heads,
                {helpers + "def mha(x, Wq, k_proj_weight, Wv, o_proj_weight, h):\n"
                           "    q, k, v = (heads_of(x @ W, h) for W in (Wq, k_proj_weight.T, Wv))\n"
                           "    return mixed(q, k, v) @ o_proj_weight"});
}

TEST_CASE("grade: the epsilon of PyTorch's norms is one whatever is returned") {
    const auto block = [](const std::string& returned, const std::string& epsilon) {
        return helpers +
               "def block(x, Wq, bq, Wk, bk, Wv, bv, Wo, bo, W1, b1, W2, b2, g1, be1, g2, be2):\n"
               "    q, k, v = (heads_of(x @ W + b, 2) for W, b in ((Wq, bq), (Wk, bk), (Wv, bv)))\n"
               "    norm1 = norm(x + mixed(q, k, v) @ Wo + bo, g1, be1, " +
               epsilon + ")\n    norm2 = norm(norm1 + np.maximum(0, norm1 @ W1 + b1) @ W2 + b2, g2, be2, " +
               epsilon + ")\n    return " + returned;
    };
    const auto returning = [](const std::string& what) {
        return R"({"layer": "encoder-block --heads 2", "function": "block", "file": "a.py", "returns": )" +
               what + "}";
    };
    for (const char* epsilon : {"1e-5", "1e-6"}) {
        check_points(1, returning(R"("norm1")"),
                     {block("norm1", epsilon), block("{'norm1': norm1, 'note': 'x'}", epsilon)});
        check_points(1, returning(R"(["norm1", "norm2"])"), {block("norm1, norm2", epsilon)});
    }
    check_wrong(1, returning(R"("norm1")"), {block("norm1 + be1", "1e-5"), block("norm1", "1e-2")});
}

TEST_CASE(
    "grade: a number whose name says nothing is found by the types, and asked about where none is right") {
    check_points(1, sgd,
                 {"def step(w, g, schrittchen):\n    return w - schrittchen * g",
                  "def step(w, g, schrittchen, /):\n    return w - schrittchen * g",
                  "def step(w, g, *rest):\n    return w - rest[0] * g",
                  "def step(a, b, pasito=0.5):\n    return a - pasito * b"});
    check_points(
        4, update,
        {"def step(w, g, m, v, t, rho, b1, b2, eps):\n    lr = rho\n" + adam_lines + "    return w, m, v",
         "def step(w, g, m, v, tau1, rho, b1, b2, eps):\n    lr, t = rho, tau1\n" + adam_lines +
             "    return w, m, v, t"});
    check_points(8, heads,
                 {multihead("Wq Wk Wv Wo", "", "koepfchen"), multihead("Wq Wk Wv Wo", "", "köpfe")});
    check_points(2, R"({"layer": "positional", "function": "encode", "file": "a.py", "points": 2})",
                 {"def encode(dim, stellen):\n    a = np.arange(stellen)[:, None] * 1e4 ** (-np.arange(0, "
                  "dim, 2) / dim)\n"
                  "    return np.stack([np.sin(a), np.cos(a)], -1).reshape(stellen, dim)",
                  "def encode(stellen, weite):\n    a = np.arange(stellen)[:, None] * 1e4 ** (-np.arange(0, "
                  "weite, 2) / weite)\n"
                  "    return np.stack([np.sin(a), np.cos(a)], -1).reshape(stellen, weite)"});
    check_asked(sgd, "def step(w, g, schrittchen):\n    return w + schrittchen * g", "schrittchen");
    check_asked(heads, multihead("A B C D", ""), "A");
    check_asked(R"({"layer": "encoder-block", "function": "norm1", "file": "a.py", "returns": "norm1"})",
                "def norm1(x, gamma, beta):\n    return x * gamma + beta", "gamma");
    check_wrong(
        6, scores,  // by its place the mask, as which it is taken
        {"def attend(q, k, v, M):\n    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n"
         "    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True) @ v"});
}

TEST_CASE(
    "grade: a default of None hides no velocity, and an optimiser's state is a dictionary of any names") {
    const auto descend = [](const std::string& name) {
        return fmt::format(
            "def step(w, g, lr, momentum, {0}=None):\n"
            "    {0} = g if {0} is None else momentum * {0} + g\n    return w - lr * {0}",
            name);
    };
    check_points(1, sgd,
                 {descend("momentum_buffer"), descend("buf"), descend("altes"),
                  "def step(w, g, lr, momentum, state):\n"
                  "    state['velocity'] = momentum * state.get('velocity', 0) + g\n"
                  "    return w - lr * state['velocity'], state"});
    const auto adam = [](const std::string& first, const std::string& last) {
        return "def step(w, g, state=None, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):\n" + first + adam_lines +
               last;
    };
    check_points(4, update,
                 {adam("    m, v, t = state['m'], state['v'], state['t']\n", "    return w"),
                  adam("    m, v, t = state['exp_avg'], state['exp_avg_sq'], state['step']\n",
                       "    return w, {'exp_avg': m}"),
                  adam("    state.setdefault('t', 0)\n    state['t'] += 1\n    t = state['t']\n"
                       "    m, v = state.get('m', 0), state.get('v', 0)\n",
                       "    return w, state")});
    check_wrong(4, update,
                {adam("    m, v, t = state['v'], state['m'], state['t']\n", "    return w"),
                 "def step(w, g, state, lr):\n    return w - lr * g"});
}

TEST_CASE("grade: a loss is the loss by any name, beside texts, and in any type that holds real numbers") {
    const std::string of =
        "def ce(z, y):\n    p = np.exp(z - z.max(-1, keepdims=True))\n"
        "    p = p / p.sum(-1, keepdims=True)\n"
        "    l = float(-np.log(p[np.arange(len(y)), y]).mean())\n    return ";
    std::vector<std::string> right, wrong;
    for (const char* returned :
         {"{{'xent': {0}}}", "{{'mean': {0}}}", "{{'loss': {0}, 'note': 'x'}}", "{{'loss': [{0}]}}",
          "{{'note': 'x', 'cost': {0}, 'n': None}}", "{{'probabilities': p, 'cost': {0}}}", "{0} + 0j",
          "np.array({0}, dtype=object)", "np.longdouble({0})", "[{0}]"}) {
        right.push_back(of + fmt::format(fmt::runtime(returned), "l"));
        wrong.push_back(of + fmt::format(fmt::runtime(returned), "(l * 2)"));
    }
    check_points(3, loss, right);
    check_wrong(3, loss, wrong);
    check_wrong(3, loss, {of + "l + 1j", of + "'x'", of + "{'note': 'x'}"});
}

TEST_CASE("grade: an additive mask is one, of 0 and minus infinity") {
    const auto attend = [](const std::string& mask, const std::string& after = "") {
        return helpers +
               "def attend(q, k, v, mask):\n    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n    " +
               mask + "\n    return softmax(s) @ v" + after;
    };
    const std::vector<nlohmann::json> marks =
        marks_of(scores, {attend("s = s + mask"), attend("s = s + mask[None, :, :]")});
    for (const nlohmann::json& each : marks) {
        INFO(each.dump());
        CHECK(each["points"] == 6);
        CHECK(has(each["remark"], "read with an additive mask"));
    }
    check_wrong(6, scores, {attend("s = s - mask"), attend("s = s + mask", " * 2")});
}

TEST_CASE("grade: a wrong step beside a right result is said, whatever the course asks for") {
    const std::string wrong = helpers +
                              "def attend(q, k, v):\n"
                              "    a = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))\n"
                              "    return {'values': a @ v, 'attention': 1 - a}";
    const nlohmann::json last = marks_of(
        R"({"layer": "attention", "function": "attend", "file": "a.py", "steps": "last"})", {wrong})[0];
    INFO(last.dump());
    CHECK(has(last["remark"], "attention"));
    check_wrong(1, R"({"layer": "attention", "function": "attend", "file": "a.py"})", {wrong});
}

TEST_CASE(
    "grade: a number that is guessed is one that the result needs, of the first input and of the second") {
    check_points(1, R"({"layer": "clip", "function": "clip", "file": "a.py"})",
                 {"def clip(gradient, schwelle):\n    n = np.linalg.norm(gradient)\n"
                  "    return gradient * (schwelle / n) if n > schwelle else gradient",
                  "def clip(gradient, max_norm):\n    n = np.linalg.norm(gradient)\n"
                  "    return gradient * min(1, max_norm / n), n"});
    check_wrong(
        1, R"({"layer": "clip", "function": "clip", "file": "a.py"})",
        {"def clip(gradient, schwelle):\n    return gradient * (schwelle / np.linalg.norm(gradient))"});
    check_asked(heads,  // the mask, which it ignores, or the length, which it does not need
                helpers +
                    "def mha(x, Wq, Wk, Wv, Wo, anzahl, sicht):\n"
                    "    return mixed(*(heads_of(x @ W, anzahl) for W in (Wq, Wk, Wv))) @ Wo",
                "anzahl");
}

TEST_CASE("grade: weights of attention with a row for each key are wrong beside right values") {
    const auto attend = [](const std::string& weights) {
        return helpers +
               "def attend(q, k, v):\n    a = softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))\n"
               "    return {'values': a @ v, 'attention': " +
               weights + "}";
    };
    check_points(6, scores, {attend("a")});
    check_wrong(6, scores, {attend("a.swapaxes(-1, -2)")});
}
