#include "cli/failure.h"

#include <fmt/format.h>

#include <exception>
#include <new>

#include <glassbox/tensor/errors.h>

#include "cli/output.h"

namespace tracer {
namespace {

// A message's own further lines are indented. A line break before anything else has come out of a file or an
// argument: what follows it is not to look like a message of its own.
std::string one_message(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool breaks = text[i] == '\n' && text.compare(i + 1, 2, "  ") != 0;
        result += breaks ? "\\x0a" : std::string(1, text[i]);
    }
    return result;
}

// Where standard error takes nothing either, the exit code still says what happened.
int report_error(const std::string& who, const char* what, int code) {
    say(fmt::format("error: {}{}\n", who, one_message(what)));
    return code;
}

}  // namespace

const std::vector<std::pair<int, std::string>>& exit_codes() {
    static const std::vector<std::pair<int, std::string>> all = {
        {0, "Done."},
        {1, "A comparison or check failed."},
        {2, "Wrong usage."},
        {3, "A bad input file."},
        {4, "Reading or writing failed."},
    };
    return all;
}

int report_failure(const std::string& who) {
    try {
        throw;
    } catch (const ClosedPipe&) {
        return 0;
    } catch (const CheckFailed&) {
        return 1;
    } catch (const glassbox::FileError& error) {
        return report_error(who, error.what(), 3);
    } catch (const glassbox::IoError& error) {
        return report_error(who, error.what(), 4);
    } catch (const glassbox::Error& error) {
        return report_error(who, error.what(), 2);
    } catch (const std::bad_alloc&) {
        return report_error(who, "out of memory: choose smaller sizes", 2);
    } catch (const std::exception& error) {
        return report_error(who, error.what(), 2);
    }
}

}  // namespace tracer
