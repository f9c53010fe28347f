#include <glassbox/io/safetensors_header.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace glassbox {
namespace {

// Tells how far the JSON reader has come: the one thing its events lack.
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

// Follows the reader's events through exactly the one structure that a header may have.
class Handler : public nlohmann::json::json_sax_t {
  public:
    Handler(std::string_view json, std::uint64_t offset, const std::string& file)
        : json_(json), offset_(offset), file_(file), furthest_(json.data()) {}

    const char** furthest() { return &furthest_; }
    SafetensorsHeader take() { return std::move(header_); }

    bool start_object(std::size_t) override {
        if (place_ == Place::outside) place_ = Place::top;
        else if (place_ == Place::top) place_ = key_ == "__metadata__" ? Place::metadata : Place::tensor;
        else refuse("an object");
        keys_.clear();
        return true;
    }
    bool key(std::string& name) override {
        std::set<std::string>& seen = place_ == Place::top ? names_ : keys_;
        if (!seen.insert(name).second) fail_at(file_, here(), "the key '{}' comes twice", printable(name));
        if (place_ == Place::top && name != "__metadata__") {
            header_.entries.emplace_back();
            header_.entries.back().name = name;
            header_.entries.back().offset = here();
        }
        if (place_ == Place::tensor && name != "dtype" && name != "shape" && name != "data_offsets")
            fail_at(file_, here(), "tensor '{}': the key '{}' is unknown", tensor(), printable(name));
        key_ = name;
        return true;
    }
    bool end_object() override {
        if (place_ == Place::tensor)
            for (const char* wanted : {"dtype", "shape", "data_offsets"})
                if (!keys_.count(wanted)) fail_at(file_, here(), "tensor '{}' has no '{}'", tensor(), wanted);
        place_ = place_ == Place::top ? Place::outside : Place::top;
        return true;
    }
    bool start_array(std::size_t) override {
        if (place_ != Place::tensor || key_ == "dtype") refuse("a list");
        place_ = Place::list;
        return true;
    }
    bool end_array() override {
        place_ = Place::tensor;
        const std::size_t offsets = header_.entries.back().data_offsets.size();
        if (key_ == "data_offsets" && offsets != 2)
            fail_at(file_, here(), "tensor '{}': 'data_offsets' holds {} numbers, not 2", tensor(), offsets);
        return true;
    }
    bool string(std::string& text) override {
        if (place_ == Place::metadata) header_.metadata[key_] = text;
        else if (place_ == Place::tensor && key_ == "dtype") header_.entries.back().dtype = text;
        else refuse("text");
        return true;
    }
    bool number_unsigned(std::uint64_t value) override {
        if (place_ != Place::list) refuse("a number");
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
    enum class Place { outside, top, metadata, tensor, list };

    std::uint64_t here() const { return offset_ + static_cast<std::uint64_t>(furthest_ - json_.data()); }
    std::string tensor() const { return printable(header_.entries.back().name); }

    [[noreturn]] void refuse(const std::string& found) const {
        if (place_ == Place::outside) fail_at(file_, here(), "the header must be an object, found {}", found);
        if (place_ == Place::top)
            fail_at(file_, here(), "'{}' must be described by an object, found {}", printable(key_), found);
        if (place_ == Place::metadata)
            fail_at(file_, here(), "metadata must map text to text, '{}' is {}", printable(key_), found);
        fail_at(file_, here(), "tensor '{}': '{}' cannot hold {}", tensor(), key_, found);
    }

    std::string_view json_;
    std::uint64_t offset_;
    const std::string& file_;
    const char* furthest_;
    Place place_ = Place::outside;
    std::string key_;
    std::set<std::string> names_;  // of the whole header
    std::set<std::string> keys_;   // of the object inside it
    SafetensorsHeader header_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t offset,
                                           const std::string& file) {
    if (!json.starts_with('{')) fail_at(file, offset, "the header does not begin with '{{'");
    // To nlohmann a NUL ends the input, whatever follows.
    if (const std::size_t nul = json.find('\0'); nul != std::string_view::npos)
        fail_at(file, offset + nul, "the header holds a NUL byte");
    Handler handler(json, offset, file);
    const CountingIterator begin(json.data(), handler.furthest());
    const CountingIterator end(json.data() + json.size(), handler.furthest());
    nlohmann::json::sax_parse(begin, end, &handler);
    return handler.take();
}

}  // namespace glassbox
