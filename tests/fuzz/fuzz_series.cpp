#include <glassbox/series/read_series.h>
#include <glassbox/series/windows.h>

#include "fuzz/fuzz.h"

using namespace glassbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = glassbox_fuzz::text_of(data, size);
    const std::string file = glassbox_fuzz::folder().put("series.csv", text);
    glassbox_fuzz::refuse_or([&] {
        const Series series = read_series(file);
        for (const std::string& column : series.columns) glassbox_fuzz::require_safe(column);
        for (const std::string& note : series.notes) glassbox_fuzz::require_safe(note);
        for (const real value : series.values.values())
            if (value - value != 0) glassbox_fuzz::broken("a value that is not finite was read", text);
        (void)series.times.name(series.length());
        (void)series.times.step_name();
        (void)series.times.steps_of_a_season();
    });
    glassbox_fuzz::refuse_or([&] { (void)read_series(file, {"a", {"b"}}); });
    return 0;
}
