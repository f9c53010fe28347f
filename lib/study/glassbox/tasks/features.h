#pragma once
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Feature vectors of images, such as the output of a network's last hidden layer.
class Features {
  public:
    virtual ~Features() = default;
    virtual index_t count() const = 0;
    virtual index_t width() const = 0;
    virtual Tensor of(const std::vector<index_t>& images) const = 0;  // (images, width)
};

// Features stored as a table, feats (n, d). Throws Error for other shapes, and for numbers that are not
// finite.
class FeatureTable final : public Features {
  public:
    explicit FeatureTable(const Tensor& feats);

    index_t count() const override { return feats_.size(0); }
    index_t width() const override { return feats_.size(1); }
    Tensor of(const std::vector<index_t>& images) const override;

  private:
    Tensor feats_;
};

// A selection of images with the class of each.
struct LabelledImages {
    std::shared_ptr<const Features> features;
    std::vector<index_t> images;  // indices into `features`
    std::vector<index_t> labels;  // one for each image

    index_t size() const { return static_cast<index_t>(images.size()); }
    index_t classes() const;  // the largest label + 1
    // For each class, the positions of its images in `images`, ascending.
    std::vector<std::vector<index_t>> by_class() const;
};

// All images of `features`, in its order. Throws Error unless there is one label ≥ 0 for each.
LabelledImages labelled(std::shared_ptr<const Features> features, std::vector<index_t> labels);

// The tutorial's split: the first tenth of each class for validation, the rest for training, both sorted by
// class.
struct TrainingAndValidation {
    LabelledImages training, validation;
};
TrainingAndValidation split_tenth(const LabelledImages& all);

// The array `feats` (n, d) of an .npz file, as the tutorial writes it, and `labels` (n) of the same file or
// of another one. Throws IoError, or FileError with the file's name and the reason.
LabelledImages read_features(const std::filesystem::path& feats, const std::filesystem::path& labels = {});

}  // namespace glassbox
