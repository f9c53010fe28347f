#include <glassbox/tasks/features.h>

#include <algorithm>
#include <cmath>

#include <glassbox/io/file.h>
#include <glassbox/io/numpy.h>
#include <glassbox/ops/ops.h>
#include <glassbox/tensor/format.h>

namespace glassbox {
namespace {

void check_finite(const Tensor& feats) {
    const real* x = feats.data();
    const real* wrong = std::find_if(x, x + feats.numel(), [](real value) { return !std::isfinite(value); });
    if (wrong == x + feats.numel()) return;
    const index_t place = wrong - x, width = feats.size(1);
    fail("features: feats[{}, {}]: expected a finite number, got {}", place / width, place % width, *wrong);
}

void check_feats(const Shape& feats) {
    if (feats.rank() != 2 || feats[1] < 1) fail("features: needs feats of shape (n, d), got {}", feats);
}

void check_labels(const Shape& labels) {
    if (labels.rank() != 1) fail("features: needs labels of shape (n,), got {}", labels);
}

void check_counts(index_t labels, index_t images) {
    if (labels != images) fail("features: {} labels for {} images", labels, images);
}

}  // namespace

FeatureTable::FeatureTable(const Tensor& feats) {
    check_feats(feats.shape());
    feats_ = contiguous(feats.to(Device::cpu));
    check_finite(feats_);
}

Tensor FeatureTable::of(const std::vector<index_t>& images) const {
    Tensor some = Tensor::empty({static_cast<index_t>(images.size()), width()});
    real* out = some.writable().data;
    for (const index_t image : images) {
        if (image < 0 || image >= count()) fail("features: no image {}: there are {}", image, count());
        out = std::copy_n(feats_.data() + image * width(), width(), out);
    }
    return some;
}

index_t LabelledImages::classes() const {
    return labels.empty() ? 0 : 1 + *std::max_element(labels.begin(), labels.end());
}

std::vector<std::vector<index_t>> LabelledImages::by_class() const {
    std::vector<std::vector<index_t>> places(static_cast<std::size_t>(classes()));
    for (std::size_t i = 0; i < labels.size(); ++i)
        places[static_cast<std::size_t>(labels[i])].push_back(static_cast<index_t>(i));
    return places;
}

LabelledImages labelled(std::shared_ptr<const Features> features, std::vector<index_t> labels) {
    const index_t count = features->count();
    check_counts(static_cast<index_t>(labels.size()), count);
    std::vector<index_t> images;
    for (index_t i = 0; i < count; ++i) {
        const index_t label = labels[static_cast<std::size_t>(i)];
        if (label < 0 || label >= count)
            fail("features: labels[{}]: expected a class from 0 to {}, got {}", i, count - 1, label);
        images.push_back(i);
    }
    return {std::move(features), std::move(images), std::move(labels)};
}

TrainingAndValidation split_tenth(const LabelledImages& all) {
    TrainingAndValidation split{{all.features, {}, {}}, {all.features, {}, {}}};
    for (const std::vector<index_t>& places : all.by_class())
        for (std::size_t i = 0; i < places.size(); ++i) {
            LabelledImages& part = i < places.size() / 10 ? split.validation : split.training;
            part.images.push_back(all.images[static_cast<std::size_t>(places[i])]);
            part.labels.push_back(all.labels[static_cast<std::size_t>(places[i])]);
        }
    return split;
}

namespace {

std::vector<index_t> integers(const Tensor& labels) {
    check_labels(labels.shape());
    std::vector<index_t> result;
    for (const real label : labels.values()) {
        if (!(std::fabs(label) < 1e6) || label != std::floor(label))
            fail("features: labels[{}]: expected a class number, got {}", result.size(), label);
        result.push_back(static_cast<index_t>(label));
    }
    return result;
}

}  // namespace

LabelledImages read_features(const std::filesystem::path& feats_file,
                             const std::filesystem::path& labels_file) {
    const bool together = labels_file.empty();
    const Npz feats(feats_file), other = together ? feats : Npz(labels_file);
    const std::string labels_name = display_name(together ? feats_file : labels_file);
    if (together && feats.contains("feats") && !feats.contains("labels"))
        fail<FileError>(
            "{}: no array 'labels' next to 'feats': give a file that has one class for each image",
            labels_name);
    const Shape of_feats = feats.shape("feats"), of_labels = other.shape("labels");
    try {  // check shapes before reading numbers: a small compressed file can hold very many
        check_feats(of_feats);
        check_labels(of_labels);
        check_counts(of_labels[0], of_feats[0]);
        const Tensor table = feats.read("feats"), labels = other.read("labels");
        return labelled(std::make_shared<FeatureTable>(table), integers(labels));
    } catch (const FileError&) {
        throw;
    } catch (const Error& error) {
        fail<FileError>("{}: {}", display_name(feats_file), error.what());
    }
}

}  // namespace glassbox
