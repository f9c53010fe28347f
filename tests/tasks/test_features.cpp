#include <glassbox/tasks/features.h>
#include <glassbox/tasks/synthetic_features.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>
#include <glassbox/random/generators.h>
#include <glassbox/tensor/format.h>

#include "support/compare.h"
#include "support/errors.h"

using namespace glassbox;
using namespace glassbox_test;

namespace {

struct ScratchFile {
    explicit ScratchFile(const char* name) : path(std::filesystem::temp_directory_path() / name) {}
    ~ScratchFile() { std::filesystem::remove(path); }
    std::filesystem::path path;
};

SyntheticFeaturesConfig small_world() {
    SyntheticFeaturesConfig config;
    config.classes = 10;
    config.groups = 2;
    config.per_class = 20;
    config.width = 64;
    return config;
}

}  // namespace

TEST_CASE("features: feats and labels from one file or two, with every possible error") {
    const ScratchFile one("glassbox_features.npz"), two("glassbox_labels.npz");
    const std::string at = one.path.string();
    write_npz(one.path, {{"feats", Tensor{{1, 2}, {3, 4}, {5, 6}}}, {"labels", Tensor{1, 0, 1}}});
    const LabelledImages read = read_features(one.path);
    CHECK(read.labels == std::vector<index_t>{1, 0, 1});
    CHECK(read.classes() == 2);
    check_close(read.features->of({2, 0}), Tensor{{5, 6}, {1, 2}}, exact, "rows");
    check_error([&] { read.features->of({3}); }, "features: no image 3: there are 3");

    write_npz(two.path, {{"labels", Tensor{0, 0, 1}}});
    CHECK(read_features(one.path, two.path).labels == std::vector<index_t>{0, 0, 1});
    write_npz(two.path, {{"labels", Tensor{0, 0}}});
    check_error<FileError>([&] { read_features(one.path, two.path); },
                           at + ": features: 2 labels for 3 images");
    write_npz(two.path, {{"labels", Tensor{0, real(0.5), 1}}});
    check_error<FileError>([&] { read_features(one.path, two.path); },
                           at + ": features: labels[1]: expected a class number, got 0.5");
    write_npz(two.path, {{"labels", Tensor{0, -1, 1}}});
    check_error<FileError>([&] { read_features(one.path, two.path); },
                           at + ": features: labels[1]: expected a class from 0 to 2, got -1");

    write_npz(one.path, {{"feats", Tensor{{1, 2}}}});
    check_error<FileError>([&] { read_features(one.path); },
                           at + ": no array 'labels' next to 'feats': give a file that has one class for "
                                "each image");
    write_npz(one.path,
              {{"feats", Tensor{{1, std::numeric_limits<real>::infinity()}}}, {"labels", Tensor{0}}});
    check_error<FileError>([&] { read_features(one.path); },
                           at + ": features: feats[0, 1]: expected a finite number, got inf");
    write_npz(one.path, {{"feats", Tensor{1, 2}}, {"labels", Tensor{0}}});
    check_error<FileError>([&] { read_features(one.path); },
                           at + ": features: needs feats of shape (n, d), got (2,)");
    write_npz(one.path, {{"x", Tensor{1, 2}}});
    CHECK_THROWS_AS(read_features(one.path), FileError);  // lists the existing arrays
}

TEST_CASE("features: shapes are compared before numbers are read") {
    const ScratchFile one("glassbox_feature_shapes.npz");
    Bytes bytes = format_npz({{"feats", Tensor{{1, 2}, {3, 4}, {5, 6}}}, {"labels", Tensor{1, 0}}});
    const std::size_t header = as_text(bytes).find("fortran_order");
    bytes[as_text(bytes).find('\n', header) + 1] ^= std::byte{1};  // reading the numbers of feats fails here
    write_file_atomically(one.path, bytes);
    CHECK_THROWS_AS(Npz(one.path).read("feats"), FileError);
    check_error<FileError>([&] { read_features(one.path); },
                           one.path.string() + ": features: 2 labels for 3 images");
}

TEST_CASE("features: a tenth of every class is used for validation, in the order of numpy.argsort") {
    std::vector<index_t> labels;
    for (index_t i = 0; i < 60; ++i)
        labels.push_back(i % 3 == 0 ? 1 : i % 2 * 2);  // 20 of 1, 20 of 0, 20 of 2
    const LabelledImages all = labelled(std::make_shared<FeatureTable>(Tensor::ones({60, 2})), labels);
    const TrainingAndValidation split = split_tenth(all);
    CHECK(split.validation.images == std::vector<index_t>{2, 4, 0, 3, 1, 5});
    CHECK(split.validation.labels == std::vector<index_t>{0, 0, 1, 1, 2, 2});
    CHECK(split.training.size() == 54);
    CHECK(split.training.images[0] == 8);
    for (index_t i = 0; i < 54; ++i)
        CHECK(split.training.labels[static_cast<std::size_t>(i)] ==
              labels[static_cast<std::size_t>(split.training.images[static_cast<std::size_t>(i)])]);
}

TEST_CASE("made features: the same for one seed, different images in another part and for another seed") {
    SyntheticFeaturesConfig config = small_world();
    const LabelledImages images = synthetic_features(config);
    CHECK(images.size() == 200);
    CHECK(images.labels[19] == 0);
    CHECK(images.labels[20] == 1);
    const Tensor x = images.features->of({0, 57, 199});
    CHECK(x.shape() == Shape{3, 64});
    check_close(synthetic_features(config).features->of({0, 57, 199}), x, exact, "same seed");
    check_close(images.features->of({57}), slice(x, 0, 1, 2), exact, "one by itself");
    config.part = 1;
    CHECK(find_difference(synthetic_features(config).features->of({0, 57, 199}), x, exact, "part") != "");
    config.part = 0;
    config.seed = 43;
    CHECK(find_difference(synthetic_features(config).features->of({0, 57, 199}), x, exact, "seed") != "");
}

TEST_CASE("made features: not negative, more than half of them 0, and multiples of 2⁻¹⁰ below 2¹⁴") {
    const LabelledImages images = synthetic_features(small_world());
    const Tensor features = images.features->of(images.images);
    index_t zeros = 0;
    for (const real x : features.values()) {
        zeros += x == 0;
        REQUIRE(x >= 0);
        REQUIRE(x < 16384);
        REQUIRE(x * 1024 == std::floor(x * 1024));
    }
    const double share = static_cast<double>(zeros) / static_cast<double>(features.numel());
    CHECK(share > 0.5);
    CHECK(share < 0.7);
}

TEST_CASE("made features: without spread and style, all images of a class are identical") {
    SyntheticFeaturesConfig config = small_world();
    config.spread = 0;
    config.style = 0;
    const LabelledImages images = synthetic_features(config);
    const Tensor x = images.features->of({0, 19, 20});
    check_close(select(x, 0, 0), select(x, 0, 1), exact, "class 0");
    CHECK(find_difference(select(x, 0, 0), select(x, 0, 2), exact, "class 1") != "");
}

TEST_CASE("made features: invalid sizes are refused") {
    const auto made = [](auto change) {
        SyntheticFeaturesConfig config = small_world();
        change(config);
        synthetic_features(config);
    };
    check_error<UsageError>([&] { made([](auto& c) { c.classes = 0; }); },
                            "features: 1 to 10000 classes, got 0");
    check_error<UsageError>([&] { made([](auto& c) { c.groups = 11; }); },
                            "features: 1 to 10 groups, got 11");
    check_error<UsageError>([&] { made([](auto& c) { c.width = 70000; }); },
                            "features: 1 to 65536 numbers per image, got 70000");
    check_error<UsageError>([&] { made([](auto& c) { c.classes = 10001; }); },
                            "features: 1 to 10000 classes, got 10001");
    check_error<UsageError>([&] { made([](auto& c) { c.groups = 0; }); }, "features: 1 to 10 groups, got 0");
    check_error<UsageError>([&] { made([](auto& c) { c.width = 0; }); },
                            "features: 1 to 65536 numbers per image, got 0");
    check_error<UsageError>([&] { made([](auto& c) { c.per_class = 0; }); },
                            "features: 1 to 100000 images per class, got 0");
    check_error<UsageError>([&] { made([](auto& c) { c.per_class = 100001; }); },
                            "features: 1 to 100000 images per class, got 100001");
    check_error<UsageError>([&] { made([](auto& c) { c.spread = 100; }); },
                            "features: spread and style from 0 to 100, got 100 and 2");
    for (const double style : {-0.5, 100.0})
        check_error<UsageError>(
            [&] { made([&](auto& c) { c.style = style; }); },
            fmt::format("features: spread and style from 0 to 100, got 1.4 and {}", style));
    CHECK_NOTHROW(made([](auto& c) { c.classes = c.groups = c.width = c.per_class = 1; }));
    const LabelledImages few = synthetic_features(small_world());
    check_error([&] { (void)few.features->of({200}); }, "features: no image 200: there are 200");
    check_error([&] { (void)few.features->of({-1}); }, "features: no image -1: there are 200");
    check_error<UsageError>([&] { made([](auto& c) { c.spread = -1, c.style = 2; }); },
                            "features: spread and style from 0 to 100, got -1 and 2");
}

TEST_CASE("made features: those of the formula, number by number, also where factors are cut off") {
    SyntheticFeaturesConfig config;
    config.classes = 6, config.groups = 3, config.per_class = 2, config.width = 5;
    config.spread = 1.5, config.style = 6, config.seed = 11, config.part = 1;
    const auto normals = [](std::uint64_t which, std::size_t count) {
        const std::uint64_t seeds[] = {11, which};
        NumpyGenerator generator{std::span<const std::uint64_t>(seeds)};
        std::vector<double> x(count);
        generator.standard_normal(x);
        return x;
    };
    // In one stream: the weights (5, 48), the groups' codes (3, 16), the classes' (6, 16).
    const std::vector<double> shared = normals(0, 5 * 48 + 3 * 16 + 6 * 16), noise = normals(2, 12 * 48);
    const double b = std::rint(-0.5 * std::sqrt(48.0) * 128) / 128;
    const LabelledImages images = synthetic_features(config);
    const Tensor features = images.features->of(images.images);
    REQUIRE(features.shape() == Shape{12, 5});
    bool cut = false;
    for (std::size_t image = 0; image < 12; ++image) {
        const std::size_t c = image / 2;
        CHECK(images.labels[image] == static_cast<index_t>(c));
        double z[48];
        for (std::size_t f = 0; f < 48; ++f) {
            const double code =
                f < 16 ? shared[5 * 48 + c / 2 * 16 + f] + shared[5 * 48 + 3 * 16 + c * 16 + f] : 0;
            const double steps = std::rint(16 * (code + (f < 16 ? 1.5 : 6) * noise[image * 48 + f]));
            cut = cut || steps < -127 || steps > 127;
            z[f] = std::min(127.0, std::max(-127.0, steps)) / 16;
        }
        for (std::size_t i = 0; i < 5; ++i) {
            double sum = b;
            for (std::size_t f = 0; f < 48; ++f) sum += std::rint(8 * shared[i * 48 + f]) / 8 * z[f];
            CHECK(features.at({static_cast<index_t>(image), static_cast<index_t>(i)}) ==
                  static_cast<real>(std::max(0.0, sum / 8)));
        }
    }
    CHECK(cut);
    CHECK(SyntheticFeaturesConfig().classes == 100);
    CHECK(SyntheticFeaturesConfig().groups == 20);
    CHECK(SyntheticFeaturesConfig().width == 512);
}

TEST_CASE("features: shapes, labels and rows at their limits") {
    const ScratchFile file("glassbox_feature_limits.npz");
    const auto message = [&](const Tensor& feats, const Tensor& labels) {
        write_npz(file.path, {{"feats", feats}, {"labels", labels}});
        try {
            (void)read_features(file.path);
            return std::string();
        } catch (const FileError& error) {
            return std::string(error.what());
        }
    };
    const Tensor two{{1, 2}, {3, 4}};
    CHECK(message(two, Tensor{0, 1}).empty());
    for (const real label : {real(999999), real(-999999), real(2)})
        CHECK(message(two, Tensor{0, label}).find("expected a class from 0 to 1") != std::string::npos);
    for (const real label : {real(1e6), real(-1e6), real(0.25), std::numeric_limits<real>::quiet_NaN()})
        CHECK(message(two, Tensor{0, label}).find("labels[1]: expected a class") != std::string::npos);
    CHECK(message(two, Tensor{0, real(1e6)}).find("expected a class number") != std::string::npos);
    CHECK(message(two, Tensor{{0, 1}}).find("needs labels of shape (n,), got (1, 2)") != std::string::npos);
    CHECK(message(Tensor(Shape{2, 0}, std::vector<real>()), Tensor{0, 1})
              .find("needs feats of shape (n, d), got (2, 0)") != std::string::npos);
    CHECK(message(Tensor{{1, 2}, {3, std::numeric_limits<real>::quiet_NaN()}}, Tensor{0, 1})
              .find("feats[1, 1]: expected a finite number, got nan") != std::string::npos);
    CHECK(message(Tensor{{1}, {2}}, Tensor{0, 0}).empty());  // one number each
    check_error([&] { (void)FeatureTable(two).of({-1}); }, "features: no image -1: there are 2");
    CHECK(LabelledImages().classes() == 0);
    // Of 9 none is for validation, of 10 and 19 one, of 20 two.
    for (const auto& [count, expected] : {std::pair{9, 0}, {10, 1}, {19, 1}, {20, 2}}) {
        const LabelledImages all = labelled(std::make_shared<FeatureTable>(Tensor::ones({count, 1})),
                                            std::vector<index_t>(static_cast<std::size_t>(count), 0));
        CHECK(split_tenth(all).validation.size() == expected);
        CHECK(split_tenth(all).training.size() == count - expected);
    }
}
