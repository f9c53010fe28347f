#include "cli/failure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include <glassbox/io/file.h>
#include <glassbox/tensor/errors.h>

#include "cli/output.h"

namespace glassbox::tracer {
namespace {

// A message's continuation lines are indented. Any other line break comes from a file or an argument; it is
// escaped so that the text after it cannot pass for a separate message.
std::string escape_breaks(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool breaks = text[i] == '\n' && text.compare(i + 1, 2, "  ") != 0;
        result += breaks ? "\\x0a" : std::string(1, text[i]);
    }
    return result;
}

int report_error(std::string_view prefix, const char* what, int code) {
    say(fmt::format("{} {}{}\n", styled("error:", red_text, wants_color_in_messages()), prefix,
                    escape_breaks(what)));
    return code;
}

int report(std::string_view prefix) {
    try {
        throw;
    } catch (const ClosedPipe&) {
        return 0;
    } catch (const CheckFailed&) {
        return 1;
    } catch (const FileError& error) {
        return report_error(prefix, error.what(), 3);
    } catch (const IoError& error) {
        return report_error(prefix, error.what(), 4);
    } catch (const Error& error) {
        return report_error(prefix, error.what(), 2);
    } catch (const OutOfMemory& error) {
        return report_out_of_memory(prefix, error.what());
    } catch (const std::bad_alloc&) {
        return report_out_of_memory(prefix);
    } catch (const std::filesystem::filesystem_error& error) {
        const std::string reason = display_name(error.path1()) + ": " + error.code().message();
        return report_error(prefix, reason.c_str(), 4);
    } catch (const std::system_error& error) {
        return report_error(prefix, error.code().message().c_str(), 4);
    } catch (const std::exception& error) {
        return report_error(prefix, error.what(), 2);
    }
}

}  // namespace

std::span<const ExitCode> exit_codes() {
    static constexpr ExitCode all[] = {
        {0, "Done."},
        {1, "A comparison or check failed."},
        {2, "Incorrect usage."},
        {3, "A bad input file."},
        {4, "Reading or writing failed."},
    };
    return all;
}

void deliver_checked(bool holds, std::string_view text, const std::string& output) {
    deliver_checked(holds, [&] { deliver(text, output); });
}

void deliver_checked(bool holds, const std::function<void()>& deliver) {
    try {
        deliver();
    } catch (const ClosedPipe&) {
        if (holds) throw;
    }
    if (!holds) throw CheckFailed{};
}

int report_failure(std::string_view prefix) noexcept {
    try {
        return report(prefix);
    } catch (...) {  // the message itself found no memory
        return report_out_of_memory(prefix);
    }
}

namespace {

constexpr int no_memory = 2;  // the exit code
std::atomic<bool> was_told = false, is_ending = false;

void tell_out_of_memory(std::string_view prefix, std::string_view what) noexcept {
    was_told = true;
    for (const std::string_view part :
         {std::string_view("error: "), prefix, what, std::string_view(": choose smaller sizes\n")})
        say_plainly(part);
}

}  // namespace

int report_out_of_memory(std::string_view prefix, std::string_view what) noexcept {
    if (!is_ending) tell_out_of_memory(prefix, what);  // else another thread reports it
    return no_memory;
}

void end_out_of_memory() noexcept {
    if (is_ending.exchange(true))
        while (true) ::sleep(1);  // until the first thread has ended the process
    if (!was_told) tell_out_of_memory("", "out of memory");
    ::_exit(no_memory);
}

}  // namespace glassbox::tracer
