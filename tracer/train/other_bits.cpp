#include "train/other_bits.h"

#include <fmt/format.h>

#include <glassbox/io/text.h>
#include <glassbox/tensor/format.h>
#include <glassbox/tensor/processor.h>

namespace tracer {
namespace {

// Whether this processor has the instructions of that name, too.
bool may_be_chosen(const std::string& instructions) {
    try {
        (void)glassbox::asked_instruction_set(instructions.c_str(), glassbox::best_instruction_set());
        return !instructions.empty();
    } catch (const glassbox::UsageError&) {
        return false;
    }
}

std::string way_back(const glassbox::OtherBits& other) {
    const std::string name = other.name;
    if (name == "device") return "--backend " + other.before;
    if (name == "products") return "--products " + other.before;
    if (name == "instructions" && may_be_chosen(other.before)) return "GLASSBOX_CPU=" + other.before;
    return "";
}

}  // namespace

std::string other_bits_text(const std::string& file, const glassbox::Checkpoint& from,
                            glassbox::Device device) {
    std::string what, back;
    for (const glassbox::OtherBits& each : other_bits(from.made_on, device)) {
        what += fmt::format("{}{} {}, here {}", what.empty() ? "" : "; ", each.name,
                            glassbox::printable(each.before), each.here);
        if (const std::string way = way_back(each); !way.empty()) back += (back.empty() ? "" : " and ") + way;
    }
    if (what.empty()) return "";
    return fmt::format(
        "{} was made with other arithmetic ({}): after step {} the run may differ in its last "
        "digits from one that was never stopped{}\n",
        file, what, from.step, back.empty() ? "" : "; with " + back + " it goes on as it was");
}

}  // namespace tracer
