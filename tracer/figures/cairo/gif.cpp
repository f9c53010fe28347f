#include <gif_lib.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <memory>

#include "figures/cairo/frames.h"
#include "figures/cairo/painter.h"

// GIF by giflib: one palette for all frames; of a frame only what differs from the one before.
namespace glassbox::tracer {
namespace {

constexpr std::size_t max_colors = 255;
constexpr GifPixelType as_before = 255;  // transparent: the pixel of the frame before

// Colours that differ in the last three bits only are one: text has more shades than a GIF.
std::uint32_t bucket_of(std::uint32_t pixel) {
    return (pixel >> 9 & 0x7C00) | (pixel >> 6 & 0x3E0) | (pixel >> 3 & 0x1F);
}

class Colors {
  public:
    void count(const Pixels& pixels) {
        std::uint32_t last = pixels.at(0, 0);
        std::size_t times = 0;  // a run of one colour is counted at once
        for (int y = 0; y < pixels.height; ++y)
            for (int x = 0; x < pixels.width; ++x, ++times)
                if (const std::uint32_t pixel = pixels.at(x, y); pixel != last) {
                    buckets_[bucket_of(last)][last] += times;
                    last = pixel, times = 0;
                }
        buckets_[bucket_of(last)][last] += times;
    }
    // The most frequent ones; each other takes the nearest of them.
    void choose() {
        std::vector<Entry> all;
        for (const auto& [bucket, shades] : buckets_) {
            Entry entry{bucket, 0, 0};
            std::size_t most = 0;
            for (const auto& [pixel, times] : shades) {
                entry.times += times;
                if (times > most) most = times, entry.pixel = pixel;
            }
            all.push_back(entry);
        }
        std::stable_sort(all.begin(), all.end(),
                         [](const Entry& a, const Entry& b) { return a.times > b.times; });
        for (const Entry& entry : all) {
            if (chosen_.size() < max_colors) {
                index_[entry.bucket] = static_cast<GifPixelType>(chosen_.size());
                chosen_.push_back(entry.pixel);
            } else {
                index_[entry.bucket] = nearest(entry.pixel);
            }
        }
    }
    GifPixelType index(std::uint32_t pixel) const { return index_[bucket_of(pixel)]; }
    ColorMapObject* map() const {
        std::vector<GifColorType> all(max_colors + 1);
        for (std::size_t i = 0; i < chosen_.size(); ++i)
            all[i] = {part(chosen_[i], 16), part(chosen_[i], 8), part(chosen_[i], 0)};
        return GifMakeMapObject(static_cast<int>(all.size()), all.data());
    }

  private:
    struct Entry {
        std::uint32_t bucket, pixel;
        std::size_t times;
    };
    static GifByteType part(std::uint32_t pixel, int shift) {
        return static_cast<GifByteType>(pixel >> shift);
    }
    GifPixelType nearest(std::uint32_t pixel) const {
        const auto distance = [&](std::uint32_t other) {
            int sum = 0;
            for (const int shift : {16, 8, 0}) {
                const int difference = part(pixel, shift) - part(other, shift);
                sum += difference * difference;
            }
            return sum;
        };
        const auto found =
            std::min_element(chosen_.begin(), chosen_.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return distance(a) < distance(b); });
        return static_cast<GifPixelType>(found - chosen_.begin());
    }

    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> buckets_;
    std::vector<std::uint32_t> chosen_;
    std::vector<GifPixelType> index_ = std::vector<GifPixelType>(1 << 15);  // by bucket
};

using Image = std::vector<GifPixelType>;

struct Rectangle {
    int left = 0, top = 0, right = 1, bottom = 1;  // at least one pixel: a frame has its time
};
Rectangle changed(const Image& before, const Image& now, int width) {
    Rectangle found{width, static_cast<int>(now.size()) / width, 0, 0};
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (!before.empty() && before[i] == now[i]) continue;
        const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
        found.left = std::min(found.left, x), found.right = std::max(found.right, x + 1);
        found.top = std::min(found.top, y), found.bottom = std::max(found.bottom, y + 1);
    }
    return found.right > 0 ? found : Rectangle{};
}

int append(GifFileType* file, const GifByteType* bytes, int count) {
    try {
        static_cast<std::string*>(file->UserData)
            ->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
    } catch (const std::exception&) {
        return 0;
    }
    return count;
}

class GifFile {
  public:
    explicit GifFile(std::string& bytes) : file_(EGifOpen(&bytes, append, &error_)) {}
    ~GifFile() {
        if (file_) EGifCloseFile(file_, nullptr);
    }
    GifFile(const GifFile&) = delete;
    GifFile& operator=(const GifFile&) = delete;

    bool begin(int width, int height, const Colors& colors) {
        if (!file_) return false;
        EGifSetGifVersion(file_, true);
        ColorMapObject* const map = colors.map();
        const bool done = map && EGifPutScreenDesc(file_, width, height, 8, 0, map) == GIF_OK;
        GifFreeMapObject(map);
        constexpr unsigned char for_ever[] = {1, 0, 0};
        return done && EGifPutExtensionLeader(file_, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
               EGifPutExtensionBlock(file_, 11, "NETSCAPE2.0") == GIF_OK &&
               EGifPutExtensionBlock(file_, sizeof for_ever, for_ever) == GIF_OK &&
               EGifPutExtensionTrailer(file_) == GIF_OK;
    }
    bool add(const Image& image, const Image& before, int width, double seconds) {
        const Rectangle part = changed(before, image, width);
        const GraphicsControlBlock control{DISPOSE_DO_NOT, false,
                                           static_cast<int>(std::lround(seconds * 100)), as_before};
        GifByteType bytes[4];
        EGifGCBToExtension(&control, bytes);
        bool done = EGifPutExtension(file_, GRAPHICS_EXT_FUNC_CODE, sizeof bytes, bytes) == GIF_OK &&
                    EGifPutImageDesc(file_, part.left, part.top, part.right - part.left,
                                     part.bottom - part.top, false, nullptr) == GIF_OK;
        for (int y = part.top; done && y < part.bottom; ++y) {
            Image line;
            for (int x = part.left; x < part.right; ++x) {
                const auto i = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                               static_cast<std::size_t>(x);
                line.push_back(!before.empty() && before[i] == image[i] ? as_before : image[i]);
            }
            done = EGifPutLine(file_, line.data(), static_cast<int>(line.size())) == GIF_OK;
        }
        return done;
    }
    bool end() {
        GifFileType* const file = file_;
        file_ = nullptr;
        return EGifCloseFile(file, &error_) == GIF_OK;
    }
    std::string reason() const {
        const char* const known = GifErrorString(file_ ? file_->Error : error_);
        return known ? known : "giflib failed";
    }

  private:
    int error_ = 0;
    GifFileType* file_;
};

}  // namespace

bool glassbox_paint_gif(const std::vector<SceneFrame>& frames, double scale, std::string& result) {
    Colors colors;
    if (!paint_frames(
            frames, scale, [&](std::size_t, const Pixels& pixels) { colors.count(pixels); }, result))
        return false;
    colors.choose();
    std::string bytes;
    GifFile file(bytes);
    Image before;
    bool done = true;
    const auto write = [&](std::size_t i, const Pixels& pixels) {
        if (i == 0) done = file.begin(pixels.width, pixels.height, colors);
        Image image;
        image.reserve(static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height));
        for (int y = 0; y < pixels.height; ++y)
            for (int x = 0; x < pixels.width; ++x) image.push_back(colors.index(pixels.at(x, y)));
        done = done && file.add(image, before, pixels.width, frames[i].seconds);
        before = std::move(image);
    };
    if (!paint_frames(frames, scale, write, result)) return false;
    if (!done || !file.end()) {
        result = file.reason();
        return false;
    }
    result = std::move(bytes);
    return true;
}

}  // namespace glassbox::tracer
