// Signatures as students write them: `grade` gives a function what glassbox.check gives it, and one answer.
#include "functions.h"

#include <glassbox/tensor/format.h>

using namespace glassbox_test;

namespace {

const std::string attention_of =
    "def softmax(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return e / e.sum(-1, "
    "keepdims=True)\n\n"
    "def split(x, h):\n    return x.reshape(*x.shape[:2], h, -1).swapaxes(1, 2)\n\n"
    "def mixed(q, k, v, mask):\n    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n"
    "    if mask is not None:\n        s = np.where(mask if mask.ndim == s.ndim else mask[:, None], s, "
    "-1e9)\n"
    "    y = (softmax(s) @ v).swapaxes(1, 2)\n    return y.reshape(*y.shape[:2], -1)\n\n"
    "def norm(x, g, b, eps=1e-6):\n"
    "    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * g + b\n\n";

// "Wq bq Wk bk Wv bv Wo bo" → a function of these, whose matrices are (in, out), or (out, in) with ".T".
std::string multihead(const std::string& names, const std::string& turned, const std::string& extra = "") {
    const std::vector<std::string> n = words(names);
    const auto linear = [&](const std::string& x, std::size_t at) {
        return x + " @ " + n[at] + turned + " + " + n[at + 1];
    };
    return attention_of + fmt::format("def mha(x, {}, num_heads, mask=None):\n", fmt::join(n, ", ")) +
           fmt::format("    q, k, v = (split(y, num_heads) for y in ({}, {}, {}))\n", linear("x", 0),
                       linear("x", 2), linear("x", 4)) +
           "    return " + linear("mixed(q, k, v, mask)", 6) + extra;
}

std::string block(const std::string& names, const std::string& turned, const std::string& residual = "y",
                  const std::string& epsilon = "1e-6") {
    const std::vector<std::string> n = words(names);
    const auto linear = [&](const std::string& x, std::size_t at) {
        return x + " @ " + n[at] + turned + " + " + n[at + 1];
    };
    return attention_of + fmt::format("def block(x, {}, mask=None):\n", fmt::join(n, ", ")) +
           fmt::format("    q, k, v = (split(y, 2) for y in ({}, {}, {}))\n", linear("x", 0), linear("x", 2),
                       linear("x", 4)) +
           fmt::format("    y = norm(x + {}, {}, {}, {})\n", linear("mixed(q, k, v, mask)", 6), n[12], n[13],
                       epsilon) +
           fmt::format("    return norm({} + {}, {}, {}, {})", residual,
                       linear("np.maximum(0, " + linear("y", 8) + ")", 10), n[14], n[15], epsilon);
}

std::string attend(const std::string& signature, const std::string& mask,
                   const std::string& result = "e / e.sum(-1, keepdims=True) @ v") {
    return "def attend(" + signature + "):\n    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n    " +
           mask + "\n    e = np.exp(s - s.max(-1, keepdims=True))\n    return " + result;
}

const std::string heads =
                      R"({"layer": "multihead --heads 4", "function": "mha", "file": "a.py", "points": 8})",
                  blocks = R"({"layer": "encoder-block --heads 2", "function": "block", "file": "a.py"})",
                  scores = R"({"layer": "attention", "function": "attend", "file": "a.py", "points": 6})";

}  // namespace

TEST_CASE("grade: a layer's parameters are found by the names that people have for them") {
    std::vector<std::string> right;
    for (const char* turned : {"", ".T"})
        for (const char* names : {"Wq bq Wk bk Wv bv Wo bo", "W_Q b_Q W_K b_K W_V b_V W_O b_O",
                                  "W_query b_query W_key b_key W_value b_value W_out b_out",
                                  "self_Wq self_bq self_Wk self_bk self_Wv self_bv self_Wo self_bo"})
            right.push_back(multihead(names, turned));
    right.push_back(
        multihead("q_proj_weight q_proj_bias k_proj_weight k_proj_bias v_proj_weight v_proj_bias "
                  "o_proj_weight o_proj_bias",
                  ".T"));
    right.push_back(attention_of +
                    "def mha(x, Wqkv, bqkv, Wo, bo, h):\n"
                    "    q, k, v = (split(y, h) for y in np.split(x @ Wqkv + bqkv, 3, -1))\n"
                    "    return mixed(q, k, v, None) @ Wo + bo");
    right.push_back(
        attention_of +
        "def mha(x, params, heads):\n"
        "    q, k, v = (split(x @ params['W' + each] + params['b' + each], heads) for each in 'qkv')\n"
        "    return mixed(q, k, v, None) @ params['Wo'] + params['bo']");
    check_points(8, heads, right);
    check_wrong(
        8, heads,
        {multihead("Wq bq Wv bv Wk bk Wo bo", ""), multihead("Wq bq Wk bk Wv bv Wo bo", "", " + bo")});
}

TEST_CASE("grade: a block's parameters are found by their names, and the epsilon of PyTorch's norms is one") {
    const std::string usual = "Wq bq Wk bk Wv bv Wo bo ";
    check_points(1, blocks,
                 {block(usual + "W1 b1 W2 b2 gamma1 beta1 gamma2 beta2", ""),
                  block(usual + "W1 b1 W2 b2 gamma1 beta1 gamma2 beta2", ".T"),
                  block(usual + "fc1_w fc1_b fc2_w fc2_b ln1_g ln1_b ln2_g ln2_b", ""),
                  block(usual + "W_up b_up W_down b_down g1 be1 g2 be2", ""),
                  block(usual + "W1 b1 W2 b2 gamma1 beta1 gamma2 beta2", "", "y", "1e-5")});
    check_wrong(1, blocks, {block(usual + "W1 b1 W2 b2 gamma1 beta1 gamma2 beta2", "", "x")});
    const nlohmann::json marks =
        marks_of(
            R"({"layer": "encoder-block --heads 2 --convention uva-jax", "function": "block", "file": "a.py"})",
            {block(usual + "W1 b1 W2 b2 gamma1 beta1 gamma2 beta2", "", "y", "1e-5")})
            .front();
    CHECK(marks["points"] < 1);  // the course says which one is meant
}

TEST_CASE("grade: biases that a function has no parameter for are left out, and said") {
    const nlohmann::json marks =
        marks_of(heads, {attention_of + "def mha(x, Wq, Wk, Wv, Wo, heads):\n"
                                        "    q, k, v = (split(x @ W, heads) for W in (Wq, Wk, Wv))\n"
                                        "    return mixed(q, k, v, None) @ Wo"})
            .front();
    INFO(marks.dump());
    CHECK(marks["points"] == 8);
    CHECK(has(marks["without"].dump(), "qkv_proj.bias"));
    CHECK(has(marks["without"].dump(), "o_proj.bias"));
}

TEST_CASE(
    "grade: a matrix of queries, keys and values has its rows in the tutorial's order or in PyTorch's") {
    const std::string given =
                          "def mha(x, qkv_proj_weight, qkv_proj_bias, o_proj_weight, o_proj_bias, heads):\n"
                          "    y = x @ qkv_proj_weight.T + qkv_proj_bias\n",
                      rest = "    return mixed(q, k, v, None) @ o_proj_weight.T + o_proj_bias";
    const std::vector<nlohmann::json> marks = marks_of(
        heads,
        {attention_of + given +
             "    q, k, v = np.moveaxis(y.reshape(*y.shape[:2], heads, 3, -1), (3, 2), (0, 2))\n" + rest,
         attention_of + given + "    q, k, v = (split(each, heads) for each in np.split(y, 3, -1))\n" + rest,
         attention_of + given + "    q, v, k = (split(each, heads) for each in np.split(y, 3, -1))\n" +
             rest});
    CHECK(marks[0]["points"] == 8);
    CHECK(marks[0]["remark"] == "");
    CHECK(marks[1]["points"] == 8);
    CHECK(marks[1]["remark"] == "qkv_proj holds all queries, then all keys, then all values");
    CHECK(marks[2]["points"] < 8);
}

TEST_CASE("grade: a mask has a name in any language, and one of a single kind is enough") {
    std::vector<std::string> right;
    for (const char* name : {"tril", "sichtbar", "M", "allowed", "valid"})
        right.push_back(
            attend(fmt::format("q, k, v, {}", name), fmt::format("s = np.where({}, s, -1e9)", name)));
    for (const char* name : {"triu", "future", "gesperrt"})
        right.push_back(
            attend(fmt::format("q, k, v, {}", name), fmt::format("s = np.where({}, -1e9, s)", name)));
    right.push_back(attend("q, k, v, key_mask", "s = np.where(key_mask[:, None, :], s, -1e9)"));
    right.push_back(attend("q, k, v, mask", "s = np.where(mask[None, :, :], s, -1e9)"));
    right.push_back(attend("q, k, v, mask=None, dropout=0.5",
                           "s = np.where(mask, s, -1e9) + (np.random.rand(*s.shape) if dropout else 0)"));
    check_points(6, scores, right);
    check_wrong(6, scores,
                {attend("q, k, v, tril", "s = np.where(tril, -1e9, s)"), attend("q, k, v, M", "s = s * M"),
                 attend("q, k, v, sichtbar", "s = np.where(sichtbar[0], s, -1e9)")});
}

TEST_CASE("grade: what has another shape is told so, and not what it gives for a mask of too many axes") {
    const std::vector<nlohmann::json> marks = marks_of(
        scores,
        {attend("q, k, v, mask", "s = np.where(mask, s, -1e9)", "(e / e.sum(-1, keepdims=True) @ v).sum(0)"),
         "def attend(q, k, v, mask):\n    return v.sum(0)"});
    for (std::size_t i = 0; i < marks.size(); ++i) {
        INFO(marks[i].dump());
        CHECK(marks[i]["points"] == 0);
        CHECK(has(marks[i]["steps"].back()["message"], "its shape is ("));
        CHECK(has(marks[i]["steps"].back()["message"], "expected (3, 6, 7)"));
    }
}

TEST_CASE("grade: an encoding of sizes alone is not asked for what needs an input") {
    const std::string task = R"({"layer": "positional", "function": "encode", "file": "a.py", "points": 2})";
    const auto encode = [](const std::string& n, const std::string& d, const std::string& pair,
                           const std::string& end = "") {
        return fmt::format(
            "def encode({0}, {1}):\n    a = np.arange({0})[:, None] * 1e4 ** (-np.arange(0, {1}, 2) / {1})\n"
            "    return np.stack([{2}], -1).reshape({0}, {1}){3}",
            n, d, pair, end);
    };
    const std::string pair = "np.sin(a), np.cos(a)";
    check_points(2, task,
                 {encode("seq_len", "d_model", pair), encode("L", "dim", pair),
                  encode("max_len", "d", pair, "[None]"), encode("n_pos", "emb_dim", pair, ".tolist()"),
                  "def encode(x):\n    n, d = x.shape[-2:]\n    a = np.arange(n)[:, None] * 1e4 ** "
                  "(-np.arange(0, d, 2) / d)\n"
                  "    return x + np.stack([np.sin(a), np.cos(a)], -1).reshape(n, d)"});
    check_wrong(2, task,
                {encode("seq_len", "d_model", "np.cos(a), np.sin(a)"),
                 "def encode(seq_len, d_model):\n    return np.zeros((seq_len, d_model))"});
}

TEST_CASE("grade: an update gives its averages beside the parameters, in any order, as arrays or lists") {
    const std::string
        velocity =
            "def sgd(w, g, velocity, lr, momentum):\n    velocity = momentum * velocity + g\n    return ",
        both = "w - lr * velocity, velocity";
    check_points(1, R"({"layer": "adam --optimiser sgd", "function": "sgd", "file": "a.py"})",
                 {velocity + both, velocity + "velocity, w - lr * velocity", velocity + "[" + both + "]",
                  velocity + "[each.tolist() for each in (" + both + ")]",
                  velocity + "{'w': w - lr * velocity, 'v': velocity}",
                  velocity + "w - lr * velocity, {'velocity': velocity}"});
    check_wrong(1, R"({"layer": "adam --optimiser sgd", "function": "sgd", "file": "a.py"})",
                {velocity + "w + lr * velocity, velocity",
                 "def sgd(w, g, velocity, lr, momentum):\n"
                 "    return w - lr * velocity, momentum * velocity + g"});
    const std::string adam =
        "def adam(w, g, m, v, t, lr, b1, b2, eps):\n"
        "    m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g\n"
        "    w = w - lr * m / (1 - b1 ** t) / (np.sqrt(v / (1 - b2 ** t)) + eps)\n    return ";
    check_points(4, R"({"layer": "adam", "function": "adam", "file": "a.py", "points": 4})",
                 {adam + "[w.tolist(), m.tolist(), v.tolist()]", adam + "w, m", adam + "np.stack([v, m, w])",
                  adam + "w.tolist(), m.tolist(), v.tolist()"});
    check_wrong(4, R"({"layer": "adam", "function": "adam", "file": "a.py", "points": 4})",
                {adam + "[(2 * w).tolist(), m.tolist(), v.tolist()]", adam + "m, v"});
}

TEST_CASE("grade: classes of a loss are the labels, and how many there are where they have another name") {
    const std::string task = R"({"layer": "loss", "function": "ce", "file": "a.py", "points": 3})";
    const auto loss = [](const std::string& signature, const std::string& labels,
                         const std::string& end = "") {
        return "def ce(" + signature +
               "):\n    p = np.exp(z - z.max(-1, keepdims=True))\n    p /= p.sum(-1, keepdims=True)\n"
               "    return -np.log(p[np.arange(len(z)), " +
               labels + "]).mean()" + end;
    };
    check_points(3, task,
                 {loss("z, classes", "classes"), loss("z, c", "c"),
                  loss("z, classes, C", "classes", " + (C - z.shape[-1])"),
                  loss("z, gold, num_classes", "gold", " + (num_classes - z.shape[-1])"),
                  loss("z, num_classes, truth", "truth", " + (num_classes - z.shape[-1])"),
                  "def ce(probs, y):\n    return -np.log(probs[np.arange(len(y)), y]).mean()"});
    check_wrong(3, task, {loss("z, classes", "classes", " * len(z)")});
}
