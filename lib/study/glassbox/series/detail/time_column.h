#pragma once
#include <string>
#include <vector>

#include <glassbox/series/times.h>

namespace glassbox::detail {

// A column of times as in a file.
struct TimeCells {
    std::string column;  // its name, for messages
    std::vector<std::string> texts{};
    std::vector<index_t> lines{};  // the line of each
};

// The times that it holds, and what a reader must know of how they were read.
struct TimeColumn {
    std::vector<Moment> moments;
    std::vector<std::string> notes{};
};

// A column is read as one: whether 01/02/2020 is in January and whether 20200131 is a date shows in the other
// rows. `as_option` is what the choice is called in messages. Throws Error that names the line.
TimeColumn time_column(const TimeCells& cells, TimesAs as, const std::string& as_option);

bool may_be_date(const std::string& text);
// Whether every text is a date, in words or in digits.
bool are_dates(const std::vector<std::string>& texts);

}  // namespace glassbox::detail
