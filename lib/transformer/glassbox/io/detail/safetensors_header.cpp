#include <glassbox/io/detail/safetensors_header.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include <glassbox/io/file.h>

namespace glassbox::detail {
namespace {

constexpr std::uint64_t format_limit = 100'000'000;  // on a header's length

// Tracks the JSON parser's position, which its SAX events do not provide.
class CountingIterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
    const char& operator*() const { return *at_; }
    CountingIterator& operator++() {
        *furthest_ = ++at_;
        return *this;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
    bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

  private:
    const char* at_;
    const char** furthest_;
};

// Accepts exactly the structure of a safetensors header, event by event.
class Handler : public nlohmann::json::json_sax_t {
  public:
    Handler(std::string_view json, std::uint64_t offset, const std::string& file)
        : json_(json), offset_(offset), file_(file), furthest_(json.data()) {}

    const char** furthest() { return &furthest_; }
    SafetensorsHeader take() {
        check_names_differ();
        return std::move(header_);
    }

    bool start_object(std::size_t) override {
        if (place_ == Nesting::outside) place_ = Nesting::top;
        else if (place_ == Nesting::top)
            place_ = key_ == "__metadata__" ? Nesting::metadata : Nesting::tensor;
        else refuse("an object");
        keys_.clear();
        return true;
    }
    bool key(std::string& name) override {
        if (is_seen(name)) fail_at(file_, here(), "the key '{}' appears twice", printable(name));
        if (place_ == Nesting::top && name != "__metadata__") {
            header_.entries.emplace_back();
            header_.entries.back().name = name;
            header_.entries.back().offset = here();
        }
        if (place_ == Nesting::tensor && name != "dtype" && name != "shape" && name != "data_offsets")
            fail_at(file_, here(), "tensor '{}': the key '{}' is unknown", tensor(), printable(name));
        key_ = name;
        return true;
    }
    bool end_object() override {
        if (place_ == Nesting::tensor)
            for (const char* wanted : {"dtype", "shape", "data_offsets"})
                if (!keys_.count(wanted)) fail_at(file_, here(), "tensor '{}' has no '{}'", tensor(), wanted);
        place_ = place_ == Nesting::top ? Nesting::outside : Nesting::top;
        return true;
    }
    bool start_array(std::size_t) override {
        if (place_ != Nesting::tensor || key_ == "dtype") refuse("a list");
        place_ = Nesting::list;
        return true;
    }
    bool end_array() override {
        place_ = Nesting::tensor;
        const std::size_t offsets = header_.entries.back().data_offsets.size();
        if (key_ == "data_offsets" && offsets != 2)
            fail_at(file_, here(), "tensor '{}': 'data_offsets' holds {} numbers, not 2", tensor(), offsets);
        return true;
    }
    bool string(std::string& text) override {
        if (place_ == Nesting::metadata) header_.metadata[key_] = text;
        else if (place_ == Nesting::tensor && key_ == "dtype") header_.entries.back().dtype = text;
        else refuse("text");
        return true;
    }
    bool number_unsigned(std::uint64_t value) override {
        if (place_ != Nesting::list) refuse("a number");
        if (value > static_cast<std::uint64_t>(INT64_MAX)) refuse("a number larger than can be counted");
        SafetensorsEntry& entry = header_.entries.back();
        (key_ == "shape" ? entry.shape : entry.data_offsets).push_back(static_cast<index_t>(value));
        return true;
    }
    bool number_integer(std::int64_t) override { refuse("a negative number"); }
    bool number_float(double, const std::string& text) override { refuse("the number " + printable(text)); }
    bool null() override { refuse("null"); }
    bool boolean(bool) override { refuse("true or false"); }
    bool binary(nlohmann::json::binary_t&) override { refuse("binary data"); }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception& error) override {
        const std::string text = error.what();  // "[json.exception.parse_error.101] parse error at …: reason"
        const std::size_t reason = text.find(": ");
        fail_at(file_, offset_ + (position > 0 ? position - 1 : 0), "the header is not JSON: {}",
                printable(reason == std::string::npos ? text : text.substr(reason + 2)));
    }

  private:
    enum class Nesting { outside, top, metadata, tensor, list };

    std::uint64_t here() const { return offset_ + static_cast<std::uint64_t>(furthest_ - json_.data()); }
    // Duplicate tensor names are found at the end, by sorting: a set would store every name a second time.
    bool is_seen(const std::string& name) {
        if (place_ == Nesting::metadata) return header_.metadata.count(name) > 0;
        if (place_ == Nesting::tensor) return !keys_.insert(name).second;
        return name == "__metadata__" && std::exchange(has_metadata_, true);
    }
    void check_names_differ() const {
        std::vector<const SafetensorsEntry*> sorted;
        for (const SafetensorsEntry& entry : header_.entries) sorted.push_back(&entry);
        std::sort(sorted.begin(), sorted.end(), [](const SafetensorsEntry* a, const SafetensorsEntry* b) {
            return std::tie(a->name, a->offset) < std::tie(b->name, b->offset);
        });
        for (std::size_t i = 1; i < sorted.size(); ++i)
            if (sorted[i]->name == sorted[i - 1]->name)
                fail_at(file_, sorted[i]->offset, "the key '{}' appears twice", printable(sorted[i]->name));
    }
    std::string tensor() const { return printable(header_.entries.back().name); }

    [[noreturn]] void refuse(const std::string& found) const {
        if (place_ == Nesting::outside)
            fail_at(file_, here(), "the header must be an object, found {}", found);
        if (place_ == Nesting::top)
            fail_at(file_, here(), "'{}' must be described by an object, found {}", printable(key_), found);
        if (place_ == Nesting::metadata)
            fail_at(file_, here(), "metadata must map text to text, '{}' is {}", printable(key_), found);
        fail_at(file_, here(), "tensor '{}': '{}' cannot hold {}", tensor(), key_, found);
    }

    std::string_view json_;
    std::uint64_t offset_;
    const std::string& file_;
    const char* furthest_;
    Nesting place_ = Nesting::outside;
    std::string key_;
    bool has_metadata_ = false;
    std::set<std::string> keys_;  // of one tensor
    SafetensorsHeader header_;
};

}  // namespace

std::uint64_t safetensors_header_length(ByteView start, std::uint64_t file_bytes, const std::string& file) {
    if (start.empty()) fail_at(file, 0, "the file is empty");
    if (start.size() < length_bytes) refuse_other_kind(start, file, Sought::weights, "a safetensors file");
    if (start.size() < length_bytes)
        fail_at(file, start.size(), "the file ends within its first {} bytes", length_bytes);
    const auto length = load_little_endian<std::uint64_t>(start.data());
    const bool is_json = start.size() > length_bytes && start[length_bytes] == std::byte{'{'};
    if (!is_json || length > format_limit)
        refuse_other_kind(start, file, Sought::weights, "a safetensors file");
    if (length > format_limit)
        fail_at(file, 0, "header length {} exceeds the format's limit of {} (is this a safetensors file?)",
                length, format_limit);
    if (length > max_header_bytes)
        fail_at(file, 0, "header length {} exceeds the limit of {} bytes (the format allows {})", length,
                max_header_bytes, format_limit);
    if (length > file_bytes - length_bytes)
        fail_at(file, 0, "header length {} exceeds the file's {} bytes", length, file_bytes);
    if (length == 0 || (start.size() > length_bytes && start[length_bytes] != std::byte{'{'}))
        fail_at(file, length_bytes, "the header does not begin with '{{'");
    return length;
}

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t offset,
                                           const std::string& file) {
    // nlohmann's parser treats a NUL as the end of the input.
    if (const std::size_t nul = json.find('\0'); nul != std::string_view::npos)
        fail_at(file, offset + nul, "the header holds a NUL byte");
    Handler handler(json, offset, file);
    const CountingIterator begin(json.data(), handler.furthest());
    const CountingIterator end(json.data() + json.size(), handler.furthest());
    nlohmann::json::sax_parse(begin, end, &handler);
    return handler.take();
}

}  // namespace glassbox::detail
