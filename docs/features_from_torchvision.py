"""CIFAR-100's images as ResNet34 features with their labels, for the set anomaly task (docs/tasks.md).

    python3 docs/features_from_torchvision.py [FOLDER]      (needs torch and torchvision; some minutes on a GPU)

downloads CIFAR-100 and ResNet34's ImageNet weights and writes train_set_features.npz and test_set_features.npz into FOLDER:
feats (50000, 512) or (10000, 512), what the last convolution gives, averaged over the image; and labels, one class an image.
With a file that has feats alone, such as the tutorial's own, --labels-only writes train_set_labels.npz and
test_set_labels.npz: labels in the data set's order, which is the order of its images.
"""
import argparse
import pathlib

import numpy as np


def images_of(folder, train, transform=None):
    from torchvision.datasets import CIFAR100

    return CIFAR100(root=folder, train=train, transform=transform, download=True)


def backbone(device):
    """ResNet34 without its last layer, and what it wants done to an image before."""
    import torch
    from torchvision.models import ResNet34_Weights, resnet34

    weights = ResNet34_Weights.IMAGENET1K_V1
    model = resnet34(weights=weights)
    model.fc = torch.nn.Identity()
    # The whole image at 224 × 224: the weights' own transform would cut its edges off.
    preset = weights.transforms()
    return model.eval().to(device), preset.mean, preset.std


def features_of(folder, train, device, batch):
    import torch
    from torchvision import transforms

    model, mean, std = backbone(device)
    steps = [transforms.Resize((224, 224)), transforms.ToTensor(), transforms.Normalize(mean, std)]
    loader = torch.utils.data.DataLoader(images_of(folder, train, transforms.Compose(steps)), batch_size=batch)
    with torch.inference_mode():
        parts = [model(images.to(device)).cpu().numpy() for images, _ in loader]  # batches in the data set's order
    return np.concatenate(parts).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("--labels-only", action="store_true")
    parser.add_argument("--batch", type=int, default=128)
    options = parser.parse_args()
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    for name, train in (("train", True), ("test", False)):
        labels = np.array(images_of(options.folder, train).targets, np.int32)
        if options.labels_only:
            np.savez_compressed(options.folder / f"{name}_set_labels.npz", labels=labels)
            continue
        feats = features_of(options.folder, train, device, options.batch)
        assert len(feats) == len(labels) and np.isfinite(feats).all()
        np.savez_compressed(options.folder / f"{name}_set_features.npz", feats=feats, labels=labels)


if __name__ == "__main__":
    main()
