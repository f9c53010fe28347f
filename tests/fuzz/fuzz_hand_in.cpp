#include "fuzz/fuzz.h"
#include "subject/submitted_file.h"

// What tracer check reads: by its content npz, npy, safetensors, or numbers as text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string file = glassbox_fuzz::folder().put("mine.txt", glassbox_fuzz::bytes_of(data, size));
    glassbox_fuzz::refuse_or([&] {
        for (const glassbox::SubmittedStep& each : glassbox::tracer::read_submitted(file)) {
            const auto numbers = static_cast<std::size_t>(each.value.numel());
            if (!each.half_width.empty() && each.half_width.size() != numbers)
                glassbox_fuzz::broken("each number has a rounding", each.step);
        }
    });
    return 0;
}
