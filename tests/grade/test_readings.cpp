// How functions are read that say little: what makes its mask by itself is no function of an added one, and
// what others write in another style is right, as glassbox.check has it (python/tests/test_readings.py).
#include "functions.h"

#include <atomic>
#include <thread>

#include <glassbox/tensor/format.h>

using namespace glassbox_test;

namespace {

const std::string softmax =
    "def softmax(s):\n    e = np.exp(s - s.max(-1, keepdims=True))\n"
    "    return e / e.sum(-1, keepdims=True)\n\n";

std::string attend(const std::string& lines, const std::string& signature = "q, k, v, mask",
                   const std::string& returned = "softmax(s) @ v") {
    return softmax + "def attend(" + signature +
           "):\n    s = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])\n" + "    " + lines + "\n    return " +
           returned;
}

std::string descend(const std::string& signature, const std::string& velocity, const std::string& returned) {
    return "def sgd(" + signature + "):\n    v = " + velocity + "\n    return " + returned;
}

std::string schedule(const std::string& signature, const std::string& rate) {
    return "def rate(" + signature + "):\n    return " + rate;
}

const std::string attention =
    R"({"layer": "attention", "function": "attend", "file": "a.py", "steps": "last"})";
const std::string encoding =
    "def encode(x):\n    i = np.arange((x.shape[-1] + 1) // 2)\n"
    "    a = np.arange(x.shape[-2])[:, None] / 1e4**(2 * i / x.shape[-1])\n"
    "    pe = np.stack([np.sin(a), np.cos(a)], -1).reshape(x.shape[-2], -1)[:, :x.shape[-1]]\n    return ";

}  // namespace

TEST_CASE("grade: a mask of 1 and 0 with a fill that is too small is wrong, and no added one") {
    check_points(0, attention,
                 {attend("s = s + (1 - mask) * -10"), attend("s += (1.0 - mask.astype(float)) * -2.0"),
                  attend("s = s + 0.5 * mask"), attend("s = s - (1 - mask)"), attend("s = s + 2 * mask - 1"),
                  attend("s = s + (1 - np.asarray(mask, float)) * -5")});
    check_points(1, attention,
                 {attend("s = s + mask"), attend("s = s + np.where(np.isinf(mask), -1e9, mask)"),
                  attend("s = np.where(mask == -np.inf, -1e9, s)"), attend("s = s + (1 - mask) * -1e9")});
}

TEST_CASE("grade: a mask's wrong sign is named, though double precision keeps what 10⁹ swallows") {
    const std::vector<nlohmann::json> marks =
        marks_of(attention, {attend("s = s + (1 - mask) * 1e9"), attend("s = s + mask * -1e9")});
    for (const nlohmann::json& each : marks) {
        INFO(each.dump());
        REQUIRE(!each["mistakes"].empty());
        CHECK(has(each["mistakes"][0]["name"], "masked/"));
    }
}

TEST_CASE("grade: of a loss of flat labels a softmax over all of them is named") {
    const nlohmann::json mark =
        marks_of(R"({"layer": "loss", "function": "ce", "file": "a.py", "steps": "last"})",
                 {"def ce(z, y):\n    p = np.exp(z) / np.exp(z).sum(0)\n"
                  "    return -np.log(p[np.arange(len(y)), y]).mean()"})
            .front();
    INFO(mark.dump());
    CHECK(mark["points"] == 0);
    CHECK(has(mark["mistakes"].dump(), "losses/over-positions"));
}

TEST_CASE("grade: a dropout that is None stays None, and one that is called is a layer") {
    const std::string dropped = "softmax(s) @ v if dropout is None else dropout(softmax(s)) @ v";
    check_points(1, attention,
                 {attend("pass", "q, k, v, dropout=None", dropped),
                  attend("pass", "q, k, v, dropout=lambda a: a * 0.5", dropped),
                  attend("pass", "q, k, v, dropout", dropped)});
}

TEST_CASE("grade: a velocity may have the learning rate in it") {
    const std::string task =
        R"({"layer": "adam --optimiser sgd", "function": "sgd", "file": "a.py", "steps": "last"})";
    check_points(1, task,
                 {descend("w, g, v, lr, momentum=0.9", "momentum * v - lr * g", "w + v"),
                  descend("theta, grad, v, lr=0.01, gamma=0.9", "gamma * v + lr * grad", "theta - v, v"),
                  "def sgd(w, dw, config=None):\n    v = config.get('velocity', np.zeros_like(w))\n"
                  "    v = config['momentum'] * v - config['learning_rate'] * dw\n"
                  "    config['velocity'] = v\n    return w + v, config"});
    check_wrong(
        1, task,
        {descend("w, g, v, lr, momentum=0.9", "momentum * v + lr * g", "w + v"),
         descend("w, g, v, lr, momentum=0.9", "momentum * v + lr * g", "w - lr * v"),
         descend("w, g, v, lr=0.1, mu=0.9, dampening=0.9", "mu * v + (1 - dampening) * g", "w - lr * v")});
}

TEST_CASE("grade: the paper's schedule has no factor, and a constant one no warm-up") {
    const std::string noam = "min(step ** -0.5, step * warmup ** -1.5)";
    check_points(
        1,
        R"({"layer": "schedule --schedule inverse-sqrt", "function": "rate", "file": "a.py", "steps": "last"})",
        {schedule("step, d_model, warmup=4000", "d_model ** -0.5 * " + noam),
         schedule("step, d_model, factor, warmup", "factor * d_model ** -0.5 * " + noam)});
    check_points(
        1,
        R"({"layer": "schedule --schedule constant", "function": "rate", "file": "a.py", "steps": "last"})",
        {schedule("step, base_lr=1e-3", "base_lr"), schedule("lr", "lr"),
         schedule("step, base_lr=1e-3, warmup=0",
                  "base_lr * min(1.0, step / warmup) if warmup else base_lr")});
}

TEST_CASE("grade: times may be encoded without the series") {
    const std::string task = R"({"layer": "time2vec", "function": "t2v", "file": "a.py", "steps": "last"})";
    const std::string vector = "    v = np.asarray(time)[..., None] * w + b\n";
    check_points(1, task,
                 {"def t2v(time, w, b):\n" + vector + "    v[..., 1:] = np.sin(v[..., 1:])\n    return v",
                  "def t2v(tau, omega, phi):\n    a = np.outer(tau, omega) + phi\n"
                  "    return np.concatenate([a[:, :1], np.sin(a[:, 1:])], axis=1)"});
    check_wrong(1, task, {"def t2v(time, w, b):\n" + vector + "    return np.sin(v)"});
}

TEST_CASE("grade: beside a result may stand a step before it, and of two results there is no mark") {
    const std::string task =
        R"({"layer": "positional", "function": "encode", "file": "a.py", "steps": "last"})";
    check_points(1, task, {encoding + "x + pe, pe", encoding + "pe[None], x + pe"});
    check_points(0, task, {encoding + "x - pe, pe"});
    need_numpy();
    const Class all(R"({"tasks": [)" + task + "]}");
    all.submit("two", "a.py", "import numpy as np\n" + encoding + "x - pe, x + pe\n");
    all.submit("named", "a.py", "import numpy as np\n" + encoding + "{'output': x + pe, 'result': x - pe}\n");
    const Ran ran = all.grade("--format json");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    const nlohmann::json parsed = nlohmann::json::parse(ran.out);
    for (const auto& student : parsed["students"]) CHECK(student["points"].is_null());
}

TEST_CASE("grade: a count before the averages, the root of a size, three arrays as one, heads behind") {
    check_points(1, R"({"layer": "adam", "function": "adam", "file": "a.py", "steps": "last"})",
                 {"def adam(params, grads, opt_state, learning_rate=1e-3, b1=0.9, b2=0.999, eps=1e-8):\n"
                  "    count, mu, nu = opt_state\n    count = count + 1\n"
                  "    mu = b1 * mu + (1 - b1) * grads\n    nu = b2 * nu + (1 - b2) * grads ** 2\n"
                  "    up = mu / (1 - b1 ** count) / (np.sqrt(nu / (1 - b2 ** count)) + eps)\n"
                  "    return params - learning_rate * up, (count, mu, nu)"});
    check_points(
        1, attention,
        {softmax + "def attend(q, k, v, sqrt_dk):\n    return softmax(q @ k.swapaxes(-1, -2) / sqrt_dk) @ v",
         softmax + "def attend(qkv):\n    q, k, v = qkv\n"
                   "    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) @ v",
         softmax + "def attend(q, k, v):\n    b, t, h, d = q.shape\n"
                   "    a = softmax(np.einsum('bihd,bjhd->bhij', q, k) / np.sqrt(d))\n"
                   "    return np.einsum('bhij,bjhd->bihd', a, v)"});
}

TEST_CASE("grade: a submission that another program removes while it runs costs nobody a point") {
    need_numpy();
    const Class all(R"({"tasks": [)" + attention + "]}");
    all.submit("ada", "a.py",
               "import os\nimport time\nimport numpy as np\nwhile os.path.exists(__file__):\n    "
               "time.sleep(0.01)\n" +
                   attend("s = np.where(mask, s, -1e9)") + "\n");
    const Folder temporary;
    Surroundings around;
    around.set = {"TMPDIR=" + (temporary / ".")};
    std::atomic<bool> is_done = false;
    std::thread cleaner([&] {
        std::error_code gone;
        while (!is_done)
            for (fs::directory_iterator each(temporary / ".", gone), end; !gone && each != end;
                 each.increment(gone))
                if (fs::exists(each->path() / "inputs.npz", gone))  // the last that is laid out
                    fs::remove(each->path() / "own/a.py", gone);
    });
    const Ran ran = run_program({"grade", all.path(), "--format", "json"}, around);
    is_done = true;
    cleaner.join();
    INFO(ran.out << ran.err);
    CHECK(ran.code == 4);
    CHECK(nlohmann::json::parse(ran.out)["students"][0]["points"].is_null());
    CHECK(has(ran.out, "was removed or changed while the work ran"));
}

TEST_CASE("grade: a trial has a submission for each of the tasks that share a file") {
    need_numpy();
    const Class all(R"({"tasks": [
        {"name": "a", "layer": "schedule --schedule cosine", "function": "rate", "file": "a.py", "steps": "last"},
        {"name": "b", "layer": "schedule --schedule constant", "function": "rate", "file": "a.py", "steps": "last"}]})");
    const Ran ran = all.grade("--try");
    INFO(ran.out << ran.err);
    CHECK(ran.code == 0);
    CHECK(!has(ran.out, "It is right but does not earn all"));
}
