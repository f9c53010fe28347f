#include <glassbox/text/word_vectors.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include <glassbox/io/file.h>
#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/text/unicode.h>

namespace glassbox {
namespace {

// The error's place: line `number` of a file.
struct FilePlace {
    const std::string& file;
    std::int64_t number;

    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> reason, Args&&... args) const {
        throw FileError(
            fmt::format("{}: line {}: {}", file, number, fmt::format(reason, std::forward<Args>(args)...)));
    }
};

// word2vec's first line: two whole numbers.
struct Header {
    std::int64_t words;
    index_t d;
};

template <class Number>
bool parse(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

std::optional<Header> header_in(std::string_view line) {
    const std::size_t space = line.find(' ');
    Header header{};
    if (space == std::string_view::npos || !parse(line.substr(0, space), header.words) ||
        !parse(line.substr(space + 1), header.d) || header.words < 1 || header.d < 1)
        return std::nullopt;
    return header;
}

// The word of a line, before its last d fields, which follow in `numbers`.
std::string_view word_of(std::string_view line, index_t d, const FilePlace& place,
                         std::string_view& numbers) {
    std::size_t at = line.size();
    for (index_t i = 0; i < d; ++i) {
        at = at == 0 ? std::string_view::npos : line.rfind(' ', at - 1);
        if (at == std::string_view::npos || at == 0)
            place.refuse("expected a word and {} numbers, got {} fields", d,
                         std::count(line.begin(), line.end(), ' ') + 1);
    }
    numbers = line.substr(at + 1);
    return line.substr(0, at);
}

std::vector<real> numbers_in(std::string_view text, const FilePlace& place) {
    std::vector<real> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        const std::string_view field = text.substr(begin, end - begin);
        const std::optional<double> number = number_in(field);
        if (!number || !(std::abs(*number) <= static_cast<double>(std::numeric_limits<real>::max())))
            place.refuse("expected a finite number, got '{}'", printable(field, 40));
        numbers.push_back(static_cast<real>(*number));
        begin = end + 1;
    }
    return numbers;
}

// Rows by id, filled from the lines of a file.
class Table {
  public:
    explicit Table(const Vocabulary& vocabulary)
        : vocabulary_(vocabulary), rows_(static_cast<std::size_t>(vocabulary.size())) {}

    void add(std::string_view line, index_t d, const FilePlace& place) {
        std::string_view numbers;
        const std::string_view word = word_of(line, d, place, numbers);
        const auto id = is_utf8(word) ? vocabulary_.find(nfc(word)) : std::nullopt;
        if (!id || Vocabulary::is_special(*id)) return;
        std::vector<real>& row = rows_[static_cast<std::size_t>(*id)];
        if (row.empty()) row = numbers_in(numbers, place);
        else ++repeated_;
    }

    WordVectors with_missing_drawn(index_t d, Stream& stream) const;

  private:
    const Vocabulary& vocabulary_;
    std::vector<std::vector<real>> rows_;
    index_t repeated_ = 0;
};

struct Moments {
    double mean = 0, deviation = 1;
};

Moments moments_of(const std::vector<std::vector<real>>& rows) {
    double count = 0, sum = 0, squares = 0;
    for (const auto& row : rows)
        for (const real x : row) {
            count += 1;
            sum += static_cast<double>(x);
            squares += static_cast<double>(x) * static_cast<double>(x);
        }
    if (count == 0) return {};
    const double mean = sum / count;
    return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

WordVectors Table::with_missing_drawn(index_t d, Stream& stream) const {
    const Moments moments = moments_of(rows_);
    WordVectors vectors;
    vectors.repeated = repeated_;
    std::vector<real> all = random_word_vectors(vocabulary_, d, stream).values();
    for (index_t id = 0; id < vocabulary_.size(); ++id) {
        const std::vector<real>& row = rows_[static_cast<std::size_t>(id)];
        const auto begin = all.begin() + id * d;
        if (!row.empty()) {
            std::copy(row.begin(), row.end(), begin);
            ++vectors.found;
            continue;
        }
        if (!Vocabulary::is_special(id)) vectors.missing.push_back(vocabulary_.word(id));
        if (id != Vocabulary::padding)
            std::transform(begin, begin + d, begin, [&](real z) {
                return static_cast<real>(moments.mean + moments.deviation * static_cast<double>(z));
            });
    }
    vectors.table = Tensor({vocabulary_.size(), d}, all);
    return vectors;
}

std::ifstream opened(const std::filesystem::path& path, const std::string& name) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail<IoError>("{}: cannot read: it is a folder", name);
    std::ifstream file(path, std::ios::binary);
    if (!file) fail_with_errno(name, "cannot open");
    return file;
}

// The lines of a file, one at a time: it may be larger than memory, and a pipe or a device without end.
class Lines {
  public:
    explicit Lines(const std::filesystem::path& path)
        : name_(display_name(path)),
          file_(opened(path, name_)),
          is_regular_(std::filesystem::is_regular_file(path, unknown_)),
          buffer_(max_line + 1) {}

    // Without the blanks at its end; none at the file's end.
    std::optional<std::string_view> next() {
        file_.getline(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        const auto got = static_cast<std::size_t>(file_.gcount());
        if (file_.bad()) fail_with_errno(name_, "cannot read");
        if (got == 0 && file_.eof()) return std::nullopt;
        if (file_.fail() && !file_.eof())
            FilePlace{name_, number_ + 1}.refuse("more than {} bytes, too many for a word and its numbers",
                                                 max_line);
        ++number_;
        bytes_ += got;
        if (!is_regular_ && bytes_ > max_pipe_bytes)
            fail<IoError>("{}: more than {} bytes, the limit for a pipe", name_, max_pipe_bytes);
        std::string_view line(buffer_.data(), file_.eof() ? got : got - 1);
        while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
        return line;
    }
    const std::string& name() const { return name_; }
    std::int64_t number() const { return number_; }  // of the line that was read last, from 1

  private:
    static constexpr std::size_t max_line = std::size_t{1} << 20;
    const std::string name_;
    std::ifstream file_;
    std::error_code unknown_;
    const bool is_regular_;
    std::vector<char> buffer_;
    std::int64_t number_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace

Tensor random_word_vectors(const Vocabulary& vocabulary, index_t d, Stream& stream) {
    if (d < 1) fail("word vectors: needs at least 1 number for each word, got {}", d);
    std::vector<real> rows = stream.normal({vocabulary.size(), d}).values();
    std::fill_n(rows.begin() + Vocabulary::padding * d, d, real(0));
    return Tensor({vocabulary.size(), d}, rows);
}

WordVectors read_word_vectors(const std::filesystem::path& path, const Vocabulary& vocabulary,
                              Stream& stream) {
    Lines lines(path);
    Table table(vocabulary);
    std::optional<Header> header;
    index_t d = 0;
    while (const std::optional<std::string_view> line = lines.next()) {
        const FilePlace place{lines.name(), lines.number()};
        if (line->empty()) place.refuse("an empty line");
        if (lines.number() == 1) {
            header = header_in(*line);
            d = header ? header->d : static_cast<index_t>(std::count(line->begin(), line->end(), ' '));
            if (d < 1) place.refuse("expected a word and its numbers, got '{}'", printable(*line, 40));
            if (header) continue;
        }
        table.add(*line, d, place);
    }
    if (lines.number() == 0) fail<FileError>("{}: 0 bytes", lines.name());
    if (header && lines.number() - 1 != header->words)
        fail<FileError>("{}: the first line announces {} words, but there are {}", lines.name(),
                        header->words, lines.number() - 1);
    return table.with_missing_drawn(d, stream);
}

}  // namespace glassbox
