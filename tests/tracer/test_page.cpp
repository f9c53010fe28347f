// Pages: -o trace.html, and tracer plot RUN -o run.html. How they look and behave is tested in a browser,
// tests/page.
#include <cstring>
#include <filesystem>
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

TEST_CASE("page: two passes side by side, and the first difference in words") {
    const Folder folder;
    const json both = data_of(page_of({"encoder-block", "--diff", "uva-jax,report"}, folder));
    CHECK(both["label"] == "uva-jax");
    CHECK(both["other"]["label"] == "report");
    CHECK(both["footer"].get<std::string>().find("The first that differs: norm1") != std::string::npos);
    const json mistaken = data_of(page_of({"attention", "--mistake", "scaled/no-root"}, folder));
    CHECK(mistaken["comparison"]["left"] == "with the mistake scaled/no-root");
    CHECK(mistaken["steps"].back().contains("right"));
    CHECK_FALSE(mistaken["steps"][0].contains("right"));  // Q is the same
}

TEST_CASE("page: a training step has its gradients, from the batch's share of the loss on") {
    const Folder folder;
    const json data =
        data_of(page_of({"train", "copy", "--step", "2", "--batch", "8", "--examples", "64"}, folder));
    CHECK(data["scalar"].get<std::string>().starts_with("loss / "));
    const double share = data["lossGradient"];
    CHECK((share > 0 && share < 1));
    CHECK(data["steps"].back()["path"] == "loss");
    CHECK(tensor_of(data["steps"].back()["gradient"], {}).item() == static_cast<real>(share));
    CHECK(data["footer"].get<std::string>().find("the optimiser's result") != std::string::npos);
    const Ran refused = tracer_run({"train", "copy", "--epochs", "1", "-o", folder / "run.html"});
    CHECK(refused.err == "error: --format: html requires --step N; a run's result is text or json\n");
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
