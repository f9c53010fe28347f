#include <glassbox/runs/event_file.h>

#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include <glassbox/io/file.h>

namespace glassbox {
namespace {

// ---- protocol buffers ----------------------------------------------------------------------------------

// A message is a sequence of fields: a key, field number · 8 + wire type, and a value. Fields with the
// default value 0 are omitted.
class Message {
  public:
    Message& integer(unsigned field, std::uint64_t value) {
        if (value == 0) return *this;
        varint(field << 3 | 0);
        varint(value);
        return *this;
    }
    Message& real64(unsigned field, double value) {
        if (std::bit_cast<std::uint64_t>(value) == 0) return *this;
        varint(field << 3 | 1);
        append_little_endian(bytes_, std::bit_cast<std::uint64_t>(value));
        return *this;
    }
    Message& text(unsigned field, std::string_view value) {
        varint(field << 3 | 2);
        varint(value.size());
        append_text(bytes_, value);
        return *this;
    }
    Message& message(unsigned field, const Message& value) { return text(field, as_text(value.bytes_)); }
    // A member of a oneof: written even if it is 0.
    Message& oneof_real32(unsigned field, float value) {
        varint(field << 3 | 5);
        append_little_endian(bytes_, std::bit_cast<std::uint32_t>(value));
        return *this;
    }
    const Bytes& bytes() const { return bytes_; }

  private:
    // Seven bits per byte, lowest first; the high bit is set if more bytes follow.
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::byte>(value | 0x80));
        bytes_.push_back(static_cast<std::byte>(value));
    }

    Bytes bytes_;
};

// Values out of range become infinite.
float as_float(double value) {
    const bool is_out_of_range = std::abs(value) > std::numeric_limits<float>::max();
    return static_cast<float>(is_out_of_range ? std::copysign(INFINITY, value) : value);
}

// tensorflow/core/util/event.proto: 1 wall_time, 2 step, 3 file_version, 5 summary, 7 session_log,
// 10 source_metadata.
Message event_at(double wall_time, index_t step) {
    return Message().real64(1, wall_time).integer(2, static_cast<std::uint64_t>(step));
}

// ---- TFRecord ------------------------------------------------------------------------------------------

// TFRecord masks its CRCs, because the CRC of data that contains CRCs is weak.
std::uint32_t masked(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8; }

// length (8 bytes), its masked CRC (4), the data, their masked CRC (4)
Bytes framed(const Message& message) {
    Bytes record;
    append_little_endian(record, static_cast<std::uint64_t>(message.bytes().size()));
    append_little_endian(record, masked(crc32c(record)));
    record.insert(record.end(), message.bytes().begin(), message.bytes().end());
    append_little_endian(record, masked(crc32c(message.bytes())));
    return record;
}

// ---- the file ------------------------------------------------------------------------------------------

double now() {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double>(since_1970).count();
}

// The host name, with characters replaced that a file name must not contain.
std::string host_name() {
    char name[256] = "";
    if (::gethostname(name, sizeof(name) - 1) != 0 || !name[0]) return "localhost";
    std::string result = name;
    for (char& c : result)
        if (c == '/') c = '-';
    return result;
}

// TensorBoard reads the files of a folder in the order of their names: by time, then host, process and
// counter.
std::filesystem::path new_path(const std::filesystem::path& folder) {
    static std::atomic<unsigned> counter{0};
    return folder / fmt::format("events.out.tfevents.{:010d}.{}.{}.{}", static_cast<std::int64_t>(now()),
                                host_name(), ::getpid(), counter++);
}

using Scalars = std::vector<std::pair<std::string, double>>;

Scalars scalars_of(const RunStart&) { return {}; }
Scalars scalars_of(const RunEnd&) { return {}; }

Scalars scalars_of(const RunStep& e) {
    Scalars scalars{{"loss/train", e.loss}};
    if (e.accuracy) scalars.emplace_back("accuracy/train", *e.accuracy);
    scalars.emplace_back("learning_rate", e.learning_rate);
    scalars.emplace_back("gradient_norm", e.gradient_norm);
    return scalars;
}

Scalars scalars_of(const RunValidation& e) {
    Scalars scalars{{"loss/validation", e.loss}};
    if (e.accuracy) scalars.emplace_back("accuracy/validation", *e.accuracy);
    return scalars;
}

}  // namespace

Bytes version_record(double wall_time, std::string_view writer) {
    return framed(event_at(wall_time, 0).text(3, "brain.Event:2").message(10, Message().text(1, writer)));
}

Bytes scalar_record(double wall_time, index_t step, const Scalars& scalars) {
    Message summary;
    for (const auto& [tag, value] : scalars)
        summary.message(1, Message().text(1, tag).oneof_real32(2, as_float(value)));
    return framed(event_at(wall_time, step).message(5, summary));
}

Bytes restart_record(double wall_time, index_t step) {
    constexpr std::uint64_t start = 1;  // SessionLog.START
    return framed(event_at(wall_time, step).message(7, Message().integer(1, start)));
}

EventFile::EventFile(const std::filesystem::path& folder, index_t done)
    : path_(new_path(folder)), file_(path_, AppendFile::Existing::refuse) {
    file_.append(version_record(now()));
    if (done > 0) file_.append(restart_record(now(), done + 1));
}

void EventFile::add(const RunEvent& event) {
    const Scalars scalars = std::visit([](const auto& e) { return scalars_of(e); }, event);
    if (!scalars.empty()) file_.append(scalar_record(now(), step_of(event), scalars));
}

}  // namespace glassbox
