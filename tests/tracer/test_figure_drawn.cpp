// The output of the figures module, read back with Cairo. Not compiled without Cairo.
#include <cairo.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>

#include <glassbox/io/module.h>

#include "command.h"
#include "support/catch.h"
#include "tracer/figures/cairo/painter.h"
#include "tracer/figures/draw.h"

using namespace glassbox_test;
using namespace glassbox;
using namespace glassbox::tracer;

namespace {

// A program looks for a module beside itself, and this one lies in another folder than the command.
[[maybe_unused]] const int named_module =
    ::setenv("GLASSBOX_FIGURES_MODULE",
             std::filesystem::path(GLASSBOX_TRACER).replace_filename("glassbox_figures.so").c_str(), 0);

constexpr double pixels = 2;  // per unit

class Picture {
  public:
    explicit Picture(const std::string& png) : rest_(png) {
        cairo_surface_t* const read = cairo_image_surface_create_from_png_stream(take, &rest_);
        REQUIRE(cairo_surface_status(read) == CAIRO_STATUS_SUCCESS);
        width = cairo_image_surface_get_width(read), height = cairo_image_surface_get_height(read);
        for (int y = 0; y < height; ++y) {
            const unsigned char* row =
                cairo_image_surface_get_data(read) + y * cairo_image_surface_get_stride(read);
            for (int x = 0; x < width; ++x) {
                std::uint32_t pixel = 0;
                std::memcpy(&pixel, row + 4 * x, 4);
                const auto part = [&](int shift) { return static_cast<std::uint8_t>(pixel >> shift); };
                colors_.push_back({part(16), part(8), part(0)});
            }
        }
        cairo_surface_destroy(read);
    }
    int width = 0, height = 0;

    Color at(int x, int y) const { return colors_[static_cast<std::size_t>(y * width + x)]; }
    Color at_units(double x, double y) const {
        return at(static_cast<int>(x * pixels), static_cast<int>(y * pixels));
    }
    bool has(Color color) const { return std::find(colors_.begin(), colors_.end(), color) != colors_.end(); }

    // The pixels that are not paper: their number and bounding box.
    struct Drawn {
        int count = 0, left = INT32_MAX, right = -1, top = INT32_MAX, bottom = -1;
    };
    Drawn drawn() const {
        Drawn found;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                if (!(at(x, y) == paper)) {
                    ++found.count;
                    found.left = std::min(found.left, x), found.right = std::max(found.right, x);
                    found.top = std::min(found.top, y), found.bottom = std::max(found.bottom, y);
                }
        return found;
    }
    bool operator==(const Picture& other) const { return colors_ == other.colors_; }

  private:
    static cairo_status_t take(void* from, unsigned char* to, unsigned size) {
        std::string& rest = *static_cast<std::string*>(from);
        if (rest.size() < size) return CAIRO_STATUS_READ_ERROR;
        std::memcpy(to, rest.data(), size);
        rest.erase(0, size);
        return CAIRO_STATUS_SUCCESS;
    }

    std::string rest_;
    std::vector<Color> colors_;
};

Picture painted(std::vector<Mark> marks, double width = 100, double height = 60) {
    const Scene scene{width, height, "", std::move(marks)};
    void* const found =
        glassbox::function_of({"glassbox_figures.so", "GLASSBOX_FIGURES_MODULE", "glassbox_paint_png"}, "");
    std::string png;
    REQUIRE(reinterpret_cast<Painter*>(found)(scene, pixels, png));
    return Picture(png);
}

Picture painted(const std::string& text, bool is_upright = false) {
    return painted({TextMark{30, 30, text, Anchor::start, false, is_upright, ink, 60}});
}

Figure small_figure() {
    const Tensor attention({2, 2, 2},
                           {0, real(0.25), real(0.5), 1, real(0.75), real(0.125), real(0.9), real(NAN)});
    return attention_figure({attention}, {"je", "étudiant"}, {"je", "étudiant"}, "Deux têtes");
}

}  // namespace

TEST_CASE("png: has the scene's size, and every cell its value's colour") {
    const Figure figure = small_figure();
    const std::string png = draw_png(figure);
    CHECK(png.substr(0, 8) == "\x89PNG\r\n\x1a\n");
    const Picture picture(png);
    const Scene scene = lay_out(figure);
    CHECK(picture.width == static_cast<int>(std::ceil(scene.width * pixels)));
    CHECK(picture.height == static_cast<int>(std::ceil(scene.height * pixels)));
    CHECK(picture.at(0, 0) == paper);
    int maps = 0;
    for (const Mark& mark : scene.marks)
        if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) {
            for (std::size_t row = 0; row < 2; ++row)
                for (std::size_t column = 0; column < 2; ++column) {
                    INFO("map " << maps << ", row " << row << ", column " << column);
                    // Its number stands in the middle.
                    CHECK(picture.at_units(cells->x + (static_cast<double>(column) + 0.1) * cells->cell,
                                           cells->y + (static_cast<double>(row) + 0.1) * cells->cell) ==
                          cells->map->color(row, column));
                }
            ++maps;
        }
    CHECK(maps == 2);
    CHECK(picture.has(not_finite_color));
    CHECK(draw_png(figure) == png);
}

TEST_CASE("png: adjacent cells touch, at every cell size", "[exhaustive]") {
    for (const index_t n : {3, 8, 12, 24, 48, 96, 200, 300}) {
        const Figure figure = dot_figure(Tensor::full({n, n}, real(1)));
        const Picture picture(draw_png(figure));
        int maps = 0;
        for (const Mark& mark : lay_out(figure).marks)
            if (const CellsMark* cells = std::get_if<CellsMark>(&mark)) {
                const int y = static_cast<int>((cells->y + cells->cell / 2) * pixels);
                const int left = static_cast<int>(cells->x * pixels) + 2;
                const int right = left + static_cast<int>(cells->cell * pixels * static_cast<double>(n)) - 5;
                int others = 0;
                for (int x = left; x < right; ++x) others += !(picture.at(x, y) == cells->colors[0]);
                INFO(n << " cells");
                CHECK(others == 0);
                ++maps;
            }
        CHECK(maps == 1);
    }
}

TEST_CASE("png: text is at its position, and rotated text is the same, rotated") {
    const Picture::Drawn level = painted("ét").drawn(), upright = painted("ét", true).drawn();
    REQUIRE(level.count > 20);
    CHECK(level.left >= 60);  // pixels: 30 units
    CHECK(level.left <= 64);
    CHECK(level.bottom <= 61);
    CHECK(level.bottom >= 57);
    CHECK(upright.bottom <= 60);  // about (60, 60): right becomes up, down becomes right
    CHECK(upright.bottom >= 56);
    CHECK(upright.right <= 61);
    CHECK(upright.right >= 57);
    CHECK(std::abs((upright.bottom - upright.top) - (level.right - level.left)) <= 1);
    CHECK(std::abs((upright.right - upright.left) - (level.bottom - level.top)) <= 1);
}

TEST_CASE("png: the letters of the lesson's languages are drawn, all different", "[exhaustive]") {
    const std::vector<std::string> letters{"e", "é", "ç", "ß", "α", "ω", "Я", "→", "√", "−", "日"};
    for (std::size_t i = 0; i < letters.size(); ++i) {
        INFO(letters[i]);
        CHECK(painted(letters[i]).drawn().count > 0);
        for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(painted(letters[i]) == painted(letters[k]));
    }
    CHECK(painted("e\u0301") == painted("é"));  // a combining accent is drawn over its letter
    CHECK(painted("  ").drawn().count == 0);
}

TEST_CASE("png: text fits its maximum width: longer text is drawn smaller, at the same position") {
    const std::string wide = "MMMMMMMMMM";
    for (const double room : {70.0, 40.0, 15.0}) {
        const Picture::Drawn at_start =
            painted({TextMark{10, 30, wide, Anchor::start, false, false, ink, room}}).drawn();
        CHECK(at_start.left >= 2 * 10);
        CHECK(at_start.right <= 2 * (10 + room) + 1);
        CHECK(at_start.right >= 2 * (10 + 0.9 * room));
        const Picture::Drawn at_end =
            painted({TextMark{90, 30, wide, Anchor::end, true, false, ink, room}}).drawn();
        CHECK(at_end.right <= 2 * 90 + 1);
        CHECK(at_end.left >= 2 * (90 - room) - 1);
    }
    // One long text shrinks all texts a little, so that they have one size.
    const TextMark other{10, 50, "x", Anchor::start, false, false, ink, 50};
    const int alone = painted({other}).drawn().count;
    const int beside =
        painted({TextMark{10, 200, wide, Anchor::start, false, false, ink, 5}, other}).drawn().count;
    CHECK(beside < alone);
    CHECK(beside > alone / 2);
}

TEST_CASE("png: no text of a figure is clipped at its edges", "[exhaustive]") {
    const std::vector<std::string> names{"WWWWWWWWWWWWWWWW", "l'université", "你好", "MMMMMMMMMMMMMMMMMMMM"};
    for (const index_t heads : {1, 3, 9}) {
        const Picture picture(draw_png(attention_figure({Tensor::full({heads, 4, 4}, real(0.25))}, names,
                                                        names, "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW")));
        const Picture::Drawn drawn = picture.drawn();
        INFO(heads << " heads, " << picture.width << " × " << picture.height);
        CHECK(drawn.left >= 8);
        CHECK(drawn.top >= 8);
        CHECK(drawn.right < picture.width - 8);
        CHECK(drawn.bottom < picture.height - 8);
    }
}

TEST_CASE("png: a chart's curves and marks are drawn in their colours") {
    constexpr Color blue{0, 114, 178}, red{213, 94, 0}, green{0, 158, 115};
    Chart chart;
    chart.x_high = 4;
    chart.series = {{{{0, 0}, {4, 1}}, blue},
                    {{{0, 1}, {4, 0}}, red, true, Chart::Dash::dashed},
                    {{{1, 0.5}, {3, 0.5}}, green, false, Chart::Dash::solid, Chart::Mark::diamond}};
    Figure figure;
    figure.rows.push_back({chart});
    const Picture picture(draw_png(figure));
    for (const Color color : {blue, red, green}) CHECK(picture.has(color));
}

TEST_CASE("png: dashes have their gaps, and a polygon is filled exactly") {
    constexpr Color red{255, 0, 0}, blue{0, 0, 255};
    const Picture picture = painted({PathMark{{{0, 10}, {50, 10}, {100, 10}}, red, 2, {20, 20}},
                                     PolygonMark{{{10, 20}, {30, 20}, {30, 36}, {10, 36}}, blue, blue}});
    int drawn = 0;
    for (int x = 0; x < 200; ++x) drawn += picture.at(x, 20) == red;
    CHECK(drawn >= 116);  // 60 of 100 units, two pixels each
    CHECK(drawn <= 120);
    CHECK(picture.at_units(10, 10) == red);
    CHECK(picture.at_units(30, 10) == paper);
    CHECK(picture.at_units(48, 10) == red);  // the dashes continue across the corner
    CHECK(picture.at_units(70, 10) == paper);
    CHECK(picture.at_units(20, 28) == blue);
    CHECK(picture.at_units(8, 28) == paper);
    CHECK(picture.at_units(32, 28) == paper);
}

TEST_CASE("png: every mark starts at its own position, whatever text comes before it") {
    constexpr Color red{255, 0, 0};
    const std::vector<Mark> marks{PathMark{{{60, 10}, {90, 10}}, red, 2},
                                  PolygonMark{{{60, 20}, {70, 20}, {70, 30}, {60, 30}}, red, red},
                                  CircleMark{60, 45, 4, red, red}, LineMark{60, 55, 90, 50, red}};
    for (const Mark& mark : marks) {
        const int alone = painted({mark}).drawn().count;
        CHECK(painted({TextMark{10, 30, " ", Anchor::start, false, false, ink, 40}, mark}).drawn().count ==
              alone);
    }
}

TEST_CASE("pdf: a page of the figure's size, text as text, no date, reproducible bytes") {
    const Figure figure = small_figure();
    const std::string pdf = draw_pdf(figure);
    CHECK(pdf.substr(0, 7) == "%PDF-1.");
    CHECK(pdf.find("%%EOF") != std::string::npos);
    CHECK(pdf.find("/ToUnicode") != std::string::npos);  // the characters of its glyphs
    CHECK(pdf.find("/CreationDate") == std::string::npos);
    CHECK(draw_pdf(figure) == pdf);
    const Folder folder;
    write(folder / "a.pdf", pdf);
    Surroundings shell;
    shell.program = "pdftotext";
    const Ran ran = run_program({folder / "a.pdf", "-"}, shell);
    if (ran.code == 127) {
        WARN("there is no pdftotext: the words were not looked at");
        return;
    }
    for (const char* word : {"Deux têtes", "head 1", "étudiant", "query", "infinite (1 cell)"}) {
        INFO(word);
        CHECK(ran.out.find(word) != std::string::npos);
    }
}

TEST_CASE("pdf: emoji are fine pictures, and the words next to them remain text") {
    const std::vector<std::string> names{"👋", "étudiant"};
    const std::string pdf = draw_pdf(attention_figure({Tensor::ones({2, 2})}, names, names));
    CHECK(pdf.find("/ToUnicode") != std::string::npos);
    const std::regex width("/Width ([0-9]+)");
    int pictures = 0, least = INT32_MAX;
    for (std::sregex_iterator found(pdf.begin(), pdf.end(), width), end; found != end; ++found) {
        ++pictures;
        least = std::min(least, std::stoi((*found)[1]));
    }
    if (pictures == 0) {
        WARN("no font here has emoji as pictures");
        return;
    }
    CHECK(least >= 100);
}

TEST_CASE("figure file: --map and plot write PNG and PDF by the file's ending") {
    const Folder folder;
    for (const auto& [name, begin] : {std::pair{"a.png", "\x89PNG"}, std::pair{"A.PDF", "%PDF"}}) {
        const std::string file = folder / name;
        for (const std::vector<std::string>& asked :
             {words("transformer --map"), words("positional --seq 20 --dmodel 8 --map"),
              words("plot --schedule cosine -o")}) {
            std::vector<std::string> arguments = asked;
            arguments.push_back(file);
            const Ran ran = tracer_run(arguments);
            INFO(asked[0] << " " << name << ": " << ran.err);
            REQUIRE(ran.code == 0);
            CHECK(content(file).size() > 1000);
            CHECK(content(file).substr(0, 4) == begin);
            std::filesystem::remove(file);
        }
    }
}

TEST_CASE("figure file: a figure that cannot be written is an error, and leaves nothing behind") {
    const Folder folder;
    for (const char* ending : {"png", "pdf"}) {
        const Ran full =
            tracer_run({"plot", "--schedule", "cosine", "--format", ending}, {"", "/dev/full", {}});
        CHECK(full.code == 4);
        CHECK(full.err.find("standard output: cannot write: No space left on device") != std::string::npos);
        const Ran missing = tracer_run({"multihead", "--map", folder / ("missing/a." + std::string(ending))});
        CHECK(missing.code == 4);
        CHECK_FALSE(std::filesystem::exists(folder / "missing"));
    }
}

TEST_CASE("figure file: without the module a PNG or PDF is refused before anything is computed; SVG works") {
    const Folder folder;
    std::filesystem::copy_file(GLASSBOX_TRACER, folder / "tracer");  // without the modules next to it
    Surroundings alone;
    alone.program = folder / "tracer";
    for (const auto& [ending, format] : {std::pair{"png", "PNG"}, std::pair{"pdf", "PDF"}}) {
        const std::string file = folder / ("a." + std::string(ending));
        const Ran ran = tracer_run({"multihead", "--input", folder / "missing.npz", "--map", file}, alone);
        CHECK(ran.code == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err == "error: " + std::string(format) +
                             ": this build cannot draw it: install Cairo and Pango (libcairo2-dev "
                             "libpango1.0-dev) and build again, or "
                             "write an .svg, which needs neither\n");
        CHECK_FALSE(std::filesystem::exists(file));
    }
    CHECK(tracer_run({"multihead", "--map", folder / "a.svg"}, alone).code == 0);
    CHECK(content(folder / "a.svg").find("</svg>") != std::string::npos);
    write(folder / "no.so", "no module");  // an existing module that cannot be loaded is named
    alone.set = {"GLASSBOX_FIGURES_MODULE=" + (folder / "no.so")};
    CHECK(tracer_run({"multihead", "--map", folder / "a.png"}, alone).err.find("no.so") != std::string::npos);
}

TEST_CASE("pictures: a typeset one is what its command makes, but for the pixels of another TeX") {
    if (std::system("command -v pdflatex pdftoppm > /dev/null") != 0) SKIP("needs pdflatex and pdftoppm");
    const Folder folder;
    const std::string pictures = GLASSBOX_SOURCE "/docs/pictures", made = folder / "";
    REQUIRE(std::system((pictures + "/make " GLASSBOX_TRACER " '" + made + "' worksheet.png").c_str()) == 0);
    for (const auto& file : std::filesystem::directory_iterator(made)) {
        const std::string committed = content(pictures + "/" + file.path().filename().string());
        CHECK(committed.size() < 300'000);
        const Picture now(content(file.path())), then(committed);
        REQUIRE(now.width == then.width);
        REQUIRE(now.height == then.height);
        double difference = 0;
        for (int y = 0; y < now.height; ++y)
            for (int x = 0; x < now.width; ++x)
                difference += std::abs(now.at(x, y).green - then.at(x, y).green);
        CHECK(difference / (now.width * now.height) < 3);  // of 255; with other blanks it is 9
    }
}
