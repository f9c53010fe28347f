#pragma once
#include <string>

#include <glassbox/tensor/format.h>

// Whose fault an error is: what the computation refuses, a user has asked for by an option or a file.
namespace tracer {

// A mask that does not fit is the fault of the option that asks for it: "--mask m.npy: a mask of shape …".
template <class Work>
void blame_option(const std::string& option, Work work) {
    try {
        work();
    } catch (const glassbox::Error& error) {
        const std::string reason = error.what();  // "mask: …"
        glassbox::fail<glassbox::UsageError>("{}: {}", option, reason.substr(reason.find(": ") + 2));
    }
}

// What does not fit in numbers from a file is the file's fault: an Error of `work` that is no UsageError
// becomes a FileError that names it. Without a file it stays what it is.
template <class Work>
void blame_file(const std::string& file, Work work) {
    try {
        work();
    } catch (const glassbox::UsageError&) {
        throw;
    } catch (const glassbox::Error& error) {
        if (!file.empty()) glassbox::fail<glassbox::FileError>("{}: {}", file, error.what());
        throw;
    }
}

}  // namespace tracer
