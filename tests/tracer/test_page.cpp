// Pages: -o trace.html, and tracer plot RUN -o run.html. How they look and behave is tested in a browser,
// tests/page.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include <glassbox/io/numpy.h>

#include "command.h"
#include "support/compare.h"
#include "tracer/report/page_json.h"

using namespace glassbox_test;
using glassbox::index_t;
using glassbox::Npz;
using glassbox::real;
using glassbox::Tensor;
using nlohmann::json;

namespace {

const std::string data_begins = "<script type=\"application/json\" id=\"trace\">";

std::string page_of(std::vector<std::string> command, const Folder& folder) {
    const std::string file = folder / "page.html";
    command.insert(command.end(), {"-o", file});
    const Ran ran = tracer_run(command);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return content(file);
}

json data_of(const std::string& page) {
    const std::size_t begin = page.find(data_begins) + data_begins.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::string decoded(const std::string& text) {
    std::string bytes;
    unsigned bits = 0, count = 0;
    for (const char c : text) {
        if (c == '=') break;
        const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        bits = bits << 6 | static_cast<unsigned>(digits.find(c));
        count += 6;
        if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
    }
    return bytes;
}

Tensor tensor_of(const json& data, const glassbox::Shape& shape) {
    const std::string bytes = decoded(data);
    std::vector<real> values(bytes.size() / sizeof(real));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return Tensor(shape, values);
}

// Of a nested list.
Tensor tensor_of_list(const json& data) {
    std::vector<real> values;
    std::vector<index_t> sizes;
    for (const json* each = &data; each->is_array(); each = &each->at(0))
        sizes.push_back(static_cast<index_t>(each->size()));
    const std::function<void(const json&)> add = [&](const json& each) {
        if (each.is_array())
            for (const json& inner : each) add(inner);
        else values.push_back(each.get<real>());
    };
    add(data);
    return Tensor(glassbox::Shape(sizes), values);
}

// null without such a step
json step_of(const json& data, const std::string& path) {
    for (const json& step : data["steps"])
        if (step["path"] == path) return step;
    return {};
}

// Those that a page holds of a step, which may be another name of the same tensor.
Tensor numbers_of(const json& data, const std::string& path) {
    json tensor = data["tensors"][step_of(data, path)["tensor"].get<std::size_t>()];
    while (tensor.contains("view")) tensor = data["tensors"][tensor["view"][0].get<std::size_t>()];
    std::vector<index_t> sizes = tensor["shape"];
    return tensor_of(tensor["data"], glassbox::Shape(sizes));
}

}  // namespace

TEST_CASE("base64: the examples of RFC 4648") {
    const auto encoded = [](const std::string& text) {
        return glassbox::tracer::base64(text.data(), text.size());
    };
    CHECK(encoded("") == "");
    CHECK(encoded("f") == "Zg==");
    CHECK(encoded("fo") == "Zm8=");
    CHECK(encoded("foo") == "Zm9v");
    CHECK(encoded("foobar") == "Zm9vYmFy");
    CHECK(encoded("\xff\xfe\xfd") == "//79");
}

TEST_CASE("page: it holds the numbers of the .npz, bit for bit, and their gradients") {
    const Folder folder;
    const std::vector<std::string> command{"encoder-block", "--seq", "4", "--mask", "causal", "--grad"};
    const json data = data_of(page_of(command, folder));
    std::vector<std::string> with_npz = command;
    with_npz.insert(with_npz.end(), {"-o", folder / "steps.npz"});
    REQUIRE(tracer_run(with_npz).code == 0);
    const Npz arrays(folder / "steps.npz");
    int compared = 0;
    for (const json& step : data["steps"]) {
        const std::string path = step["path"];
        INFO(path);
        const Tensor value = arrays.read(path);
        const json& tensor = data["tensors"][step["tensor"].get<std::size_t>()];
        CHECK(tensor["name"] == path);
        if (tensor.contains("data"))
            check_close(tensor_of(tensor["data"], value.shape()), value, exact, path);
        else CHECK((tensor.contains("view") || tensor.contains("parts")));
        check_close(tensor_of(step["gradient"], value.shape()), arrays.read("grad/" + path), exact,
                    "grad/" + path);
        ++compared;
    }
    CHECK(compared == static_cast<int>(data["steps"].size()));
    CHECK(data["parameters"].size() == 12);
    CHECK(data["scalar"] == "norm2[0,0]");
}

TEST_CASE("page: hostile text stays data, and nothing may be requested") {
    const Folder folder;
    const std::string page = page_of({"transformer", "--text", "</script><script>alert(1)</script>"}, folder);
    std::size_t scripts = 0;
    for (std::size_t at = 0; (at = page.find("</script>", at)) != std::string::npos; ++at) ++scripts;
    CHECK(scripts == 2);  // the data's and the page's own
    CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
    for (const char* elsewhere : {"src=", "href=", "@import", "url("})
        CHECK(page.find(elsewhere) == std::string::npos);
    CHECK(data_of(page)["header"].dump().find("</script>") != std::string::npos);
}

TEST_CASE("page: two conventions, with the reason at the steps in which their choices differ") {
    const Folder folder;
    const json both = data_of(page_of({"encoder-block", "--diff", "uva-jax,report"}, folder));
    CHECK(both["label"] == "uva-jax");
    CHECK(both["other"]["label"] == "report");
    CHECK(both["title"].get<std::string>().starts_with(
        "Encoder block: uva-jax (the JAX tutorial) against report"));
    CHECK(both["footer"].get<std::string>().find("The first that differs: norm1") != std::string::npos);
    const std::string why = step_of(both, "norm1")["reason"];
    CHECK(why.find("ε of LayerNorm: 1e-06 in uva-jax, 1e-05 in report. Flax's default is 1e-6") == 0);
    CHECK_FALSE(step_of(both, "residual1").contains("reason"));
    CHECK(both["tolerance"] == (sizeof(real) == 4 ? 1e-6 : 1e-12));
}

TEST_CASE("diff: the number that is named is the one with the largest difference") {
    const Folder folder;
    const std::vector<std::string> command{"encoder-block", "--diff", "uva-jax,report"};
    const json both = data_of(page_of(command, folder));
    const std::vector<real> left = numbers_of(both, "norm1").values(),
                            right = numbers_of(both["other"], "norm1").values();
    std::size_t most = 0;
    for (std::size_t i = 0; i < left.size(); ++i)
        if (std::abs(left[i] - right[i]) > std::abs(left[most] - right[most])) most = i;
    const std::string text = tracer_run(command).out;
    CHECK(text.find(fmt::format("\n   norm1[{},{}] is ", most / 4, most % 4)) != std::string::npos);
}

TEST_CASE("page: of a mistake it names it in its title, before where the numbers come from") {
    const Folder folder;
    const json data = data_of(page_of({"attention", "--mistake", "scaled/no-root"}, folder));
    CHECK(data["title"] ==
          "Scaled dot-product attention: Divided by d_k, but the typical size of a dot product is √d_k · "
          "convention "
          "uva-jax (the JAX tutorial) · random numbers as JAX draws them, seed 42");
    CHECK(data["comparison"]["left"] == "with the mistake scaled/no-root");
    CHECK(data["steps"].back().contains("right"));
    CHECK_FALSE(data["steps"][0].contains("right"));  // Q is the same
}

TEST_CASE("page: a prediction says its answer, and opens at the first number of it") {
    const Folder folder;
    const json data = data_of(page_of({"predict", "reverse", "2 5 3 7 1", "--trained"}, folder));
    CHECK(data["answer"] == "2 5 3 7 1  →  1 7 3 5 2 (right)");
    CHECK(data["opens"] == "softmax[11,1]");  // five numbers of sixteen: the answer's 1 is in place 11
    CHECK_FALSE(data_of(page_of({"attention"}, folder)).contains("answer"));
}

namespace {

// A training step of `more` as its page and as its JSON.
struct TrainingStep {
    explicit TrainingStep(const std::string& more) {
        std::vector<std::string> command = words("train copy --step 2 --examples 64 " + more);
        const Folder folder;
        page = data_of(page_of(command, folder));
        command.insert(command.end(), {"--format", "json"});
        ledger = json::parse(tracer_run(command).out);
    }
    Tensor numbers(const std::string& path) const { return numbers_of(page, path); }
    json page, ledger;
};

}  // namespace

TEST_CASE("page: a training step is about the loss and the gradients of its whole batch") {
    const TrainingStep step("--batch 8");
    const double loss = step.ledger["loss"], counted = step.ledger["counted"];
    CHECK(step.page["opens"] == "L");
    CHECK(step.page["scalarValue"].get<double>() == Approx(loss).epsilon(1e-5));
    CHECK(step.page["lossGradient"] == 1);
    const double shown = static_cast<double>(step.numbers("loss").item()),
                 others = static_cast<double>(step.numbers("others").item());
    CHECK((shown > 0 && others > 0));
    CHECK((shown + others) / counted == Approx(loss).epsilon(1e-5));
    for (const json& expected : step.ledger["parameters"]) {
        const std::string name = expected["name"];
        INFO(name);
        for (const json& own : step.page["parameters"])
            if (own["name"] == name) {
                const Tensor gradient = tensor_of_list(expected["gradient"]);
                check_close(tensor_of(own["gradient"], gradient.shape()), gradient, exact, "gradient");
            }
    }
    CHECK(step.page["footer"].get<std::string>().find("the optimiser's result") != std::string::npos);
    CHECK(step.page["footer"].get<std::string>().find("piece") == std::string::npos);
    const Folder folder;
    const Ran refused = tracer_run({"train", "copy", "--epochs", "1", "-o", folder / "run.html"});
    CHECK(refused.err == "error: --format: html requires --step N; a run's result is text or json\n");
}

TEST_CASE("page: clipping, moments and new weights are steps of a training step, each with its equation") {
    const TrainingStep step("--batch 8");
    CHECK(static_cast<double>(step.numbers("update/clip/factor").item()) ==
          Approx(step.ledger["clip"].get<double>()).epsilon(1e-5));
    const auto equation_of = [&](const std::string& path) {
        const json tensor = step_of(step.page, path)["tensor"];
        for (const json& each : step.page["equations"])
            if (each["of"] == tensor && !each.contains("gradient")) return each;
        return json();
    };
    REQUIRE(step.ledger["parameters"].size() > 10);
    for (const json& expected : step.ledger["parameters"]) {
        const std::string name = expected["name"], scope = "update/" + name + "/";
        INFO(name);
        for (const auto& [own, theirs] : {std::pair("m", "m"), {"v", "v"}, {"w", "after"}}) {
            const Tensor value = tensor_of_list(expected[theirs]);
            check_close(step.numbers(scope + own), value, rounding, scope + own);
            CHECK(equation_of(scope + own)["is"].is_number());
        }
        const json check = step_of(step.page, scope + "w")["checks"].back();
        CHECK((check[0] == true && check[1].get<std::string>().starts_with("the optimiser's result")));
        // Its gradient is that of the parameter, which the page has the arithmetic of.
        const json read = equation_of(scope + "gradient")["reads"][0];
        CHECK((step.page["tensors"][read[0].get<std::size_t>()]["kind"] == "parameter" && read[1] == 1));
    }
}

TEST_CASE("page: a training step of one example has no others, and without clipping no such steps") {
    const TrainingStep step("--batch 1 --clip 0 --optimiser sgd --momentum 0.9");
    CHECK(step_of(step.page, "others").is_null());
    CHECK(step_of(step.page, "L")["formula"] == "loss / counted");
    CHECK(step_of(step.page, "update/clip/norm").is_null());
    const std::string name = step.ledger["parameters"][0]["name"];
    CHECK(step_of(step.page, "update/" + name + "/v").is_null());
    CHECK(step_of(step.page, "update/" + name + "/w")["formula"] == "w − η m");
}

TEST_CASE("page: a run keeps its attention maps at every validation, also when it is resumed") {
    const Folder folder;
    const std::string run = folder / "run";
    const std::vector<std::string> train{"train",        "reverse", "--examples", "256", "--epochs", "3",
                                         "--validation", "16",      "--test",     "16",  "--seq",    "5",
                                         "--warmup",     "0",       "--folder",   run};
    REQUIRE(tracer_run(train).code == 0);
    const auto epochs = [&] {
        std::vector<int> all;
        const json data = data_of(page_of({"plot", run}, folder));
        for (const json& map : data["maps"]) all.push_back(map["epoch"]);
        return all;
    };
    CHECK(epochs() == std::vector{0, 1, 2, 3});
    const Npz before(run + "/maps.npz");
    const Tensor last = before.read("3/encoder/0/self_attn/attention");
    const json kept = data_of(page_of({"plot", run}, folder))["maps"].back();
    CHECK((kept["read"].size() == 5 && kept["answer"].size() == 5));
    CHECK(last.shape() == glassbox::Shape{1, 1, 5, 5});
    std::vector<std::string> stopped = train;
    stopped.insert(stopped.end(), {"--save-every", "2"});
    REQUIRE(tracer_run(stopped).code == 0);
    REQUIRE(tracer_run({"train", "reverse", "--resume", run + "/previous.safetensors"}).code == 0);
    CHECK(epochs() == std::vector{0, 1, 2, 3});
    check_close(Npz(run + "/maps.npz").read("3/encoder/0/self_attn/attention"), last, exact, "the map");
    // A folder from somebody else: what is no epoch's map is left out, and is no JSON of the page's.
    glassbox::write_npz(run + "/maps.npz", {{"2/attention", last},
                                            {"0,\"x\":1/attention", last},
                                            {"-1/attention", last},
                                            {"x", last},
                                            {"3", last},
                                            {"1/answer", last}});
    CHECK(epochs() == std::vector{2});
    std::filesystem::remove(run + "/maps.npz");
    CHECK(epochs().empty());
    const Ran refused = tracer_run({"plot", "--schedule", "cosine", "-o", folder / "x.html"});
    CHECK(refused.code == 2);
    CHECK(refused.err.find("shows one run: tracer plot runs/reverse -o run.html") != std::string::npos);
}
