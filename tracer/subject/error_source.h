#pragma once
#include <string>

#include <glassbox/tensor/format.h>

// Errors of the computation are reported under the option or the file that caused them.
namespace glassbox::tracer {

// An Error of `work` becomes a UsageError that names the option: "--mask m.npy: a mask of shape …".
template <class Work>
void name_option_in_errors(const std::string& option, Work work) {
    try {
        work();
    } catch (const Error& error) {
        const std::string reason = error.what();  // "mask: …"
        fail<UsageError>("{}: {}", option, reason.substr(reason.find(": ") + 2));
    }
}

// An Error of `work` other than UsageError becomes a FileError that names the file; unchanged if `file` is
// empty.
template <class Work>
void name_file_in_errors(const std::string& file, Work work) {
    try {
        work();
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        if (!file.empty()) fail<FileError>("{}: {}", file, error.what());
        throw;
    }
}

}  // namespace glassbox::tracer
