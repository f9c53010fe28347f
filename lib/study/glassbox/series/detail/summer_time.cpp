#include <glassbox/series/detail/summer_time.h>

#include <chrono>
#include <cmath>

namespace glassbox {

bool may_be_clock_change(const Moment& moment) {
    if (moment.unit != TimeUnit::second || !(std::abs(moment.value) < 1e12)) return false;
    constexpr double of_a_day = 86400, latest = 4 * 3600.0;
    const double day = std::floor(moment.value / of_a_day);
    if (moment.value - day * of_a_day >= latest) return false;
    const std::chrono::sys_days date{std::chrono::days{static_cast<int>(day)}};
    const auto month = static_cast<unsigned>(std::chrono::year_month_day(date).month());
    return std::chrono::weekday(date) == std::chrono::Sunday &&
           (month == 3 || month == 4 || (month >= 9 && month <= 11));
}

}  // namespace glassbox
