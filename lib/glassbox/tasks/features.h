#pragma once
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox {

// Vectors that stand for images, such as a network's last layer before the classes gives them.
class Features {
  public:
    virtual ~Features() = default;
    virtual index_t count() const = 0;
    virtual index_t width() const = 0;
    virtual Tensor of(const std::vector<index_t>& images) const = 0;  // (images, width)
};

// Features that are kept as they are: feats (n, d). Throws Error for other shapes, and for numbers that are
// not finite.
class FeatureTable final : public Features {
  public:
    explicit FeatureTable(const Tensor& feats);

    index_t count() const override { return feats_.size(0); }
    index_t width() const override { return feats_.size(1); }
    Tensor of(const std::vector<index_t>& images) const override;

  private:
    Tensor feats_;
};

// Some images and the class of each, in an order of their own.
struct LabelledImages {
    std::shared_ptr<const Features> features;
    std::vector<index_t> images;  // numbers within `features`
    std::vector<index_t> labels;  // of the same length

    index_t size() const { return static_cast<index_t>(images.size()); }
    index_t classes() const;  // the largest label and one
    // Positions within `images` by class, in their order: numpy.argsort(labels, kind="stable"), cut by class.
    std::vector<std::vector<index_t>> by_class() const;
};

// All images of a table, in its order. Throws Error unless there is one label, not negative, for each.
LabelledImages labelled(std::shared_ptr<const Features> features, std::vector<index_t> labels);

// The first tenth of each class for validation, the rest for training, both class by class: the tutorial's
// split.
struct TrainingAndValidation {
    LabelledImages training, validation;
};
TrainingAndValidation split_tenth(const LabelledImages& all);

// `feats` (n, d) of an .npz, as the tutorial writes it, and `labels` (n) of the same file or of another.
// Throws IoError, and FileError that names the file and what is wrong with it.
LabelledImages read_features(const std::filesystem::path& feats, const std::filesystem::path& labels = {});

}  // namespace glassbox
