// The lessons' golden arrays, made by PyTorch, are the library's own steps too: a student may compare with
// either.
#include <filesystem>

#include <glassbox/io/npz.h>
#include <glassbox/layers/encoder_block.h>
#include <glassbox/layers/positional_encoding.h>
#include <glassbox/layers/scaled_dot_product.h>
#include <glassbox/observe/trace.h>
#include <glassbox/ops/views.h>

#include "../../lessons/support/arrays.h"
#include "../../lessons/support/compare.h"
#include "support/catch.h"

namespace fs = std::filesystem;
using glassbox::index_t;
using glassbox::Mask;
using glassbox::Tensor;
using lesson::Lesson;
using lesson::number_of;
using lesson::Tensors;

namespace {

const fs::path lessons = fs::path(GLASSBOX_SOURCE) / "lessons";

Lesson lesson_of(const std::string& number) {
    return lesson::find_lesson(lesson::read_manifest(lessons / "manifest.json"), number);
}

// The arrays of each case by their names, without the case's.
template <class Use>
void for_each_case(const Lesson& lesson, Use use) {
    const auto golden = glassbox::read_npz(lessons / lesson.folder / "golden.npz").arrays;
    for (const Lesson::Case& of : lesson.cases) {
        Tensors arrays;
        for (const auto& [path, value] : golden)
            if (path.rfind(of.name + "/", 0) == 0) arrays[path.substr(of.name.size() + 1)] = value;
        INFO(lesson.folder << ", " << of.name);
        use(arrays);
    }
}

void compare(const Lesson& lesson, const glassbox::Trace& trace, const Tensors& arrays) {
    for (const std::string& step : lesson.steps) {
        INFO(step);
        if (step == "masked" && !trace.contains(step)) continue;  // without a mask there is no such step
        REQUIRE(trace.contains(step));
        CHECK(lesson::difference(trace[step], arrays.at(step)) == "");
    }
}

// Gives a layer golden's weights, `path` before their names.
template <class Layer>
void load(Layer& layer, const Tensors& arrays, const std::string& path,
          const glassbox::Convention& convention) {
    glassbox::NamedTensors file;
    for (const auto& [name, value] : arrays)
        if (name.find(".weight") != std::string::npos || name.find(".bias") != std::string::npos)
            file.emplace_back(path + name, value);
    glassbox::parameters_of(layer).load(file, convention);
}

Mask mask_of(const Tensors& arrays) {
    const std::vector<glassbox::real> seen = arrays.at("mask").values();
    const bool all = std::find(seen.begin(), seen.end(), 0) == seen.end();
    return all ? Mask::none() : Mask::given(arrays.at("mask"));
}

}  // namespace

TEST_CASE("lesson 01's golden arrays are the library's own steps") {
    const Lesson lesson = lesson_of("01");
    for_each_case(lesson, [&](const Tensors& arrays) {
        const glassbox::Trace trace;
        scaled_dot_product(arrays.at("Q"), arrays.at("K"), arrays.at("V"), Mask::given(arrays.at("mask")));
        compare(lesson, trace, arrays);
    });
}

TEST_CASE("lesson 02's golden arrays are the library's own steps") {
    const Lesson lesson = lesson_of("02");
    for_each_case(lesson, [&](const Tensors& arrays) {
        glassbox::MultiHeadConfig config;
        config.convention = glassbox::convention("uva-torch");
        config.d_in = arrays.at("x").size(-1);
        config.d_model = arrays.at("output").size(-1);
        config.heads = number_of(arrays.at("heads"));
        glassbox::MultiHeadAttention attend(config, *glassbox::make_stream(glassbox::Rng::numpy, 0));
        load(attend, arrays, "", config.convention);
        const glassbox::Trace trace;
        attend(arrays.at("x"), mask_of(arrays));
        compare(lesson, trace, arrays);
    });
}

TEST_CASE("lesson 03's golden arrays are the library's own steps") {
    const Lesson lesson = lesson_of("03");
    for_each_case(lesson, [&](const Tensors& arrays) {
        const index_t d_model = arrays.at("x").size(-1), shift = number_of(arrays.at("shift"));
        const glassbox::Trace trace;
        glassbox::PositionalEncoding(d_model, glassbox::convention("uva-jax"))(arrays.at("x"));
        for (const char* step : {"encoding", "output"})
            CHECK(lesson::difference(trace[step], arrays.at(step)) == "");
        if (d_model % 2 == 0)
            CHECK(lesson::difference(glassbox::shift_matrix(shift, d_model), arrays.at("M")) == "");
    });
}

TEST_CASE("lesson 04's golden arrays are the library's own steps") {
    const Lesson lesson = lesson_of("04");
    for_each_case(lesson, [&](const Tensors& arrays) {
        glassbox::BlockConfig config;
        config.convention = glassbox::convention("uva-torch");
        config.d_model = arrays.at("x").size(-1);
        config.heads = number_of(arrays.at("heads"));
        config.d_ff = arrays.at("mlp/hidden").size(-1);
        config.dropout = 0;
        glassbox::EncoderBlock encode(config, *glassbox::make_stream(glassbox::Rng::numpy, 0));
        load(encode, arrays, "", config.convention);
        const glassbox::Trace trace;
        encode(arrays.at("x"));
        compare(lesson, trace, arrays);
    });
}
