#include "subject/written_marks.h"

#include <algorithm>

#include "subject/written_scan.h"

namespace glassbox::tracer {

namespace {

// 2024-01-31, 2024/01/31, 31.01.2024, 01/31/2024; 2024-01, 2024-W05, 2024Q1
bool date(Scan& scan) {
    Scan whole = scan;
    const std::size_t first = whole.integer().size();
    if (first != 4 && first != 2) return false;
    Scan part = whole;
    part.any("-");
    if (first == 4 && part.any("WQ") && part.digits()) return scan = part, true;
    if (!whole.any(first == 4 ? "-/" : "./")) return false;
    const std::string_view second = whole.integer();
    if (second.size() != 2) return false;
    Scan day = whole;
    const bool has_day = day.any("-/.") && day.integer().size() == 6 - first;
    if (!has_day && (first == 2 || second < "01" || second > "12")) return false;
    scan = has_day ? day : whole;
    return true;
}

// Where a cell ends with what was scanned, else 0.
std::size_t cell_end(Scan scan) {
    scan.any("\"");
    return scan.end() || scan.blanks() || scan.any(",;|") ? scan.at() : 0;
}

// "INFO:root:", "DEBUG attn.py:42 - ": of a program's log.
std::size_t level_length(std::string_view line) {
    Scan scan(line);
    const std::string_view level = scan.word();
    bool is_level = false;
    for (const std::string_view each : {"DEBUG", "INFO", "WARNING", "ERROR"})
        is_level = is_level || level == each;
    if (!is_level) return 0;
    if (Scan root = scan; root.literal(":")) {
        root.word();
        return root.literal(":") ? root.at() : scan.at() + 1;
    }
    const std::size_t end = line.find(" - "), numbers = line.find('[');
    return end != line.npos && end < numbers ? end + 3 : 0;
}

// "$ python3 mine.py", "anna@box:~/class$ ./mine", "PS C:\\class> .\\mine", "C:\\class>mine.exe"
bool is_of_shell(std::string_view line) {
    std::string_view rest;
    const auto behind = [&](std::string_view mark, std::size_t from) {
        const std::size_t at = line.find(mark, from);
        rest = at == line.npos ? "" : trimmed(line.substr(at + mark.size()));
        return at != line.npos;
    };
    const bool is_windows = line.size() > 3 && is_letter(line[0]) && line.substr(1, 2) == ":\\";
    if (line.starts_with("$ ") || line.starts_with("PS ") || is_windows)
        (void)behind(line.starts_with("$ ") ? "$ " : ">", 0);
    else if (const std::size_t at = line.find('@'); at != line.npos && at > 0 && line.find(' ') > at)
        (void)(behind("$ ", at) || behind("# ", at));
    return !rest.empty() && (is_letter(rest[0]) || rest[0] == '.') && rest.find('[') == rest.npos;
}

}  // namespace

std::string without_dates_behind(std::string_view line) {
    std::string plain(line);
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = std::min(line.find_first_not_of(" \t,;|", at), line.size());
        at = std::min(line.find_first_of(" \t,;|", begin), line.size());
        if (begin == 0) continue;
        Scan cell(line.substr(begin, at - begin));
        cell.any("\"");
        if (date(cell) && (cell.any("\""), cell.end())) plain.replace(begin, at - begin, at - begin, ' ');
    }
    return plain;
}

std::size_t prefix_length(std::string_view line) {
    Scan scan(line);
    if (scan.literal("Out[") || scan.literal("In [")) {
        if ((scan.digits(), scan.literal("]:"))) return scan.at();
        return 0;
    }
    if (Scan rank = scan; rank.literal("[rank") && rank.digits() && rank.literal("]:")) return rank.at();
    if (const std::size_t level = level_length(line); level > 0) return level;
    scan.any("[\"");
    const bool has_date = date(scan);
    Scan time = scan;
    if (has_date && !time.any("T ")) return cell_end(scan);
    if (has_date) time.blanks();
    if (time.integer().size() != 2 || !time.any(":") || time.integer().size() != 2)
        return has_date ? cell_end(scan) : 0;
    const bool has_seconds = time.any(":") && time.integer().size() == 2;
    if (!has_seconds && !has_date) return 0;
    if (time.any(".,")) time.digits();
    time.any("Z");
    time.any("]\"");
    return time.end() || time.blanks() || time.any(",;") ? time.at() : 0;
}

bool is_typed(std::string_view line, bool is_after_in) {
    if (is_after_in) return line.find('[') == line.npos;
    if (is_of_shell(line)) return true;
    const std::size_t end = line.find('>');
    if (end == line.npos || end > 20) return false;
    const std::string_view before = line.substr(0, end);
    if (!before.empty() && before != "julia" && !before.starts_with("octave:") && before != "ghci" &&
        !before.starts_with("irb"))
        return false;
    const std::string_view rest =
        trimmed(line.substr(std::min(line.find_first_not_of('>', end), line.size())));
    return !rest.empty() && is_letter(rest[0]) && rest.find('[') == rest.npos && rest.find('{') == rest.npos;
}

}  // namespace glassbox::tracer
