#include <glassbox/io/detail/zip_writer.h>
#include <glassbox/tasks/features.h>

#include "fuzz/fuzz.h"
#include "subject/mask_option.h"
#include "subject/weight_file.h"

using namespace glassbox;
using namespace glassbox::detail;
using glassbox_fuzz::folder;

namespace {

// Bytes that start like a zip are one. Of others the first says how many of the rest are feats.npy; what is
// left is labels.npy.
std::string features_file(ByteView bytes) {
    if (as_text(bytes).starts_with("PK")) return folder().put("f.npz", bytes);
    const std::size_t first =
        std::min(std::size_t{4} * std::to_integer<std::size_t>(bytes[0]), bytes.size() - 1);
    const ByteView feats = bytes.subspan(1, first), labels = bytes.subspan(1 + first);
    return folder().put("f.npz", format_zip({{"feats.npy", Bytes(feats.begin(), feats.end())},
                                             {"labels.npy", Bytes(labels.begin(), labels.end())}},
                                            zip_stored));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const ByteView bytes = glassbox_fuzz::bytes_of(data, size);
    const std::string file = features_file(bytes);
    glassbox_fuzz::refuse_or([&] {
        const LabelledImages all = read_features(file);
        const TrainingAndValidation split = split_tenth(all);
        if (split.training.size() + split.validation.size() != all.size())
            glassbox_fuzz::broken("an image is in neither part, or in both", file);
    });
    glassbox_fuzz::refuse_with<Error>([&] { (void)glassbox::tracer::WeightFile(file).blocks("layers", 1); });
    using glassbox::tracer::MaskOption;
    for (const std::string& mask : {file, folder().put("mask.npy", bytes.subspan(1))})
        glassbox_fuzz::refuse_with<Error>([&] {
            (void)glassbox::tracer::mask_of({MaskOption::Kind::file, 0, mask}, Shape{2, 3, 3});
        });
    return 0;
}
