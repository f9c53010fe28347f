#include "fuzz/fuzz.h"
#include "lessons/support/lesson_json.h"

// A lesson.json; what it says of every step is looked up, as the lesson's check does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    glassbox_fuzz::folder().put("lesson.json", glassbox_fuzz::bytes_of(data, size));
    glassbox_fuzz::refuse_or([&] {
        const lesson::Lesson read = lesson::read_lesson(glassbox_fuzz::folder() / "");
        for (const std::string& step : read.steps) (void)read.hint(step + "/missing");
    });
    return 0;
}
