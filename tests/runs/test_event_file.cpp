#include <glassbox/runs/detail/event_file.h>

#include <glassbox/io/detail/crc32c.h>

#include "io/io_support.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;
using nlohmann::json;

namespace {

json recorded() {
    std::ifstream file(GLASSBOX_GOLDEN "/train/events.json");
    return json::parse(file);
}

double value_of(const json& value) {
    if (value == "Infinity") return INFINITY;
    if (value == "-Infinity") return -INFINITY;
    return value.get<double>();
}

std::string hex(ByteView bytes) {
    std::string text;
    for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
    return text;
}

// The messages of a file, which must have complete frames.
std::vector<Bytes> messages(const std::filesystem::path& path) {
    const std::string text = text_of(path);
    const Bytes all = bytes_of(text);
    std::vector<Bytes> result;
    for (std::size_t at = 0; at < all.size();) {
        REQUIRE(at + 16 <= all.size());
        const auto length = static_cast<std::size_t>(load_little_endian<std::uint64_t>(&all[at]));
        REQUIRE(at + 16 + length <= all.size());
        result.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(at + 12),
                            all.begin() + static_cast<std::ptrdiff_t>(at + 12 + length));
        at += 16 + length;
    }
    return result;
}

}  // namespace

TEST_CASE("event file: records of scalars match TensorBoard's and PyTorch's, byte for byte") {
    const json data = recorded();
    REQUIRE(data["cases"].size() > 10);
    for (const json& each : data["cases"]) {
        std::vector<std::pair<std::string, double>> scalars;
        for (const json& scalar : each["scalars"]) scalars.emplace_back(scalar[0], value_of(scalar[1]));
        INFO("step " << each["step"] << ", " << scalars.front().first);
        CHECK(hex(scalar_record(data["wall_time"], each["step"], scalars)) == each["hex"]);
    }
}

TEST_CASE("event file: the first record and the resume record match TensorBoard's, byte for byte") {
    const json data = recorded();
    CHECK(hex(version_record(data["version_time"], "tensorboard.summary.writer.event_file_writer")) ==
          data["version_hex"]);
    CHECK(hex(restart_record(data["wall_time"], data["restart"]["step"])) == data["restart"]["hex"]);
}

TEST_CASE("event file: values beyond float are infinite, NaN stays") {
    CHECK(scalar_record(1, 1, {{"x", 1e300}}) == scalar_record(1, 1, {{"x", INFINITY}}));
    CHECK(scalar_record(1, 1, {{"x", -1e300}}) == scalar_record(1, 1, {{"x", -INFINITY}}));
    CHECK(contains(hex(scalar_record(1, 1, {{"x", NAN}})), "0000c07f"));
}

TEST_CASE("event file: a run's steps and validations become scalars with TensorBoard's tags") {
    const TemporaryFolder folder;
    EventFile file(folder.path());
    file.add(RunStart{});
    file.add(RunStep{1, 1, 2.5, 0.5, 5e-4, 0.25, 1000, 0.125});
    file.add(RunStep{2, 1, 2.5, {}, 5e-4, 0.25, 1000, 0.125});
    file.add(RunValidation{2, 1, 2, 0.75, 0.5});
    file.add(RunEnd{});
    const auto read = messages(file.path());
    REQUIRE(read.size() == 4);
    const auto has = [&](std::size_t i, const char* tag) {
        return contains(std::string(as_text(read[i])), tag);
    };
    CHECK(has(0, "brain.Event:2"));
    for (const char* tag : {"loss/train", "accuracy/train", "learning_rate", "gradient_norm"})
        CHECK(has(1, tag));
    CHECK(has(2, "loss/train"));
    CHECK_FALSE(has(2, "accuracy"));
    CHECK(has(3, "loss/validation"));
    CHECK(has(3, "accuracy/validation"));
    CHECK_FALSE(has(3, "train"));
}

TEST_CASE("event file: its name is found by TensorBoard, and is unique") {
    const TemporaryFolder folder;
    const EventFile first(folder.path()), second(folder.path(), 390);
    CHECK(folder.files() == 2);
    CHECK(first.path().filename().string().starts_with("events.out.tfevents."));
    CHECK(messages(first.path()).size() == 1);
    CHECK(messages(second.path()).size() == 2);  // which restarts after step 390
}

TEST_CASE("event file: a missing or read-only folder is named") {
    CHECK(contains(message_of<IoError>([] { EventFile("no/such/folder"); }), "cannot open: No such file"));
}
