#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <glassbox/tensor/real.h>

namespace glassbox::detail {

// How files write that a value is missing.
class MissingValues {
  public:
    // `own`: see SeriesColumns::missing, which messages call `name`.
    MissingValues(std::optional<std::vector<std::string>> own, std::string name)
        : own_(std::move(own)), name_(std::move(name)) {}

    // Whether a cell that is no number, or one of `own`, marks a missing value; it is counted.
    bool is_missing(const std::string& cell);
    // Numbers of nines (-999, 9999.9) in one of the columns, far from all others, become NaN. values (rows,
    // columns). Values that look like them but may be numbers are reported and kept.
    void take_out_marks(const std::vector<std::string>& columns, std::vector<double>& values);
    std::vector<std::string> notes() const;  // what was read as missing, apart from NA, NaN, null and nothing

  private:
    void take_out(const std::string& column, std::vector<double*>& cells);

    std::optional<std::vector<std::string>> own_;
    std::string name_;
    std::map<std::string, index_t> words_{};  // how often each was read
    std::vector<std::string> marks_{};        // notes
};

}  // namespace glassbox::detail
