#include <glassbox/runs/event_file.h>

#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>

#include <glassbox/io/file.h>

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
    CHECK(has(hex(scalar_record(1, 1, {{"x", NAN}})), "0000c07f"));
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
    const auto says = [&](std::size_t i, const char* tag) { return has(std::string(as_text(read[i])), tag); };
    CHECK(says(0, "brain.Event:2"));
    for (const char* tag : {"loss/train", "accuracy/train", "learning_rate", "gradient_norm"})
        CHECK(says(1, tag));
    CHECK(says(2, "loss/train"));
    CHECK_FALSE(says(2, "accuracy"));
    CHECK(says(3, "loss/validation"));
    CHECK(says(3, "accuracy/validation"));
    CHECK_FALSE(says(3, "train"));
}

TEST_CASE("event file: its name is found by TensorBoard, and is unique") {
    const TemporaryFolder folder;
    const EventFile first(folder.path()), second(folder.path(), 390);
    CHECK(folder.files() == 2);
    CHECK(first.path().filename().string().starts_with("events.out.tfevents."));
    CHECK(messages(first.path()).size() == 1);
    CHECK(messages(second.path()).size() == 2);  // which restarts after step 390
}

TEST_CASE(
    "event file: fields with their default value are left out, and lengths have as many bytes as needed") {
    const auto message = [](const Bytes& record) {
        CHECK(load_little_endian<std::uint64_t>(record.data()) == record.size() - 16);
        return hex(ByteView(record).subspan(12, record.size() - 16));
    };
    CHECK(message(scalar_record(0, 0, {})) == "2a00");
    CHECK(message(scalar_record(0, 1, {})) == "10012a00");
    CHECK(message(scalar_record(1, 0, {})) == "09000000000000f03f2a00");
    CHECK(message(scalar_record(0x1p-1074, 0, {})) == "0901000000000000002a00");  // the smallest number
    CHECK(message(scalar_record(0, 127, {})) == "107f2a00");
    CHECK(message(scalar_record(0, 128, {})) == "1080012a00");
    CHECK(message(scalar_record(0, 16384, {})) == "108080012a00");
    CHECK(message(restart_record(0, 391)) == "1087033a020801");
    CHECK(message(version_record(0, "me")) ==
          "1a0d" + hex(bytes_of("brain.Event:2")) + "52040a02" + hex(bytes_of("me")));
    // 0 is written here: the value is one of several that a summary may have.
    CHECK(message(scalar_record(0, 0, {{"x", 0}})) ==
          "2a0a0a080a0178"
          "1500000000");
    // A tag of 120 bytes: its value has 127, the summary 129.
    CHECK(message(scalar_record(0, 0, {{std::string(120, 'x'), 2}})) ==
          "2a81010a7f0a78" + hex(bytes_of(std::string(120, 'x'))) + "1500000040");
}

TEST_CASE("event file: the largest float stays what it is") {
    const auto value = [](double number) {
        const std::string record = hex(scalar_record(1, 1, {{"x", number}}));
        return record.substr(record.size() - 16, 8);  // before the last checksum
    };
    CHECK(value(0x1.fffffep127) == "ffff7f7f");
    CHECK(value(-0x1.fffffep127) == "ffff7fff");
    CHECK(value(0x1p128) == "0000807f");
    CHECK(value(-0x1p128) == "000080ff");
}

TEST_CASE("event file: a name has the time, the host, the process and a counter; a record the time") {
    const TemporaryFolder folder;
    const auto seconds = [] {
        return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    };
    const double before = seconds();
    EventFile first(folder.path(), 0);
    const EventFile second(folder.path(), 1);
    first.add(RunValidation{7, 2, 2.0, {}, 0.5});
    const double after = seconds();
    char host[256] = "";
    REQUIRE(::gethostname(host, sizeof(host) - 1) == 0);
    const auto parts_of = [&](const EventFile& file) {  // the time and the counter
        std::string name = file.path().filename().string();
        const std::string begin = "events.out.tfevents.", middle = fmt::format(".{}.{}.", host, ::getpid());
        REQUIRE(name.starts_with(begin));
        name = name.substr(begin.size());
        REQUIRE(name.size() > 10);
        REQUIRE(name.substr(10).starts_with(middle));
        return std::pair(std::stod(name.substr(0, 10)), std::stoi(name.substr(10 + middle.size())));
    };
    const auto [time, number] = parts_of(first);
    CHECK((time >= std::floor(before) && time <= after));
    CHECK(parts_of(second).second == number + 1);
    for (const EventFile* file : std::initializer_list<const EventFile*>{&first, &second})
        for (const Bytes& message : messages(file->path())) {
            REQUIRE(message.at(0) == std::byte{0x09});  // the wall time comes first
            const double wall = std::bit_cast<double>(load_little_endian<std::uint64_t>(&message[1]));
            CHECK((wall >= before && wall <= after));
        }
    REQUIRE(messages(second.path()).size() == 2);
    CHECK(hex(messages(second.path())[1]).ends_with("10023a020801"));  // again from step 2
    REQUIRE(messages(first.path()).size() == 2);
    CHECK(hex(messages(first.path())[1]).substr(18, 4) == "1007");
}

TEST_CASE("event file: a missing or read-only folder is named") {
    CHECK(has(message_of<IoError>([] { EventFile("no/such/folder"); }), "cannot open: No such file"));
}
