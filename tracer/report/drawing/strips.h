#pragma once
#include <string>
#include <vector>

#include "report/drawing/made_of.h"

namespace glassbox::tracer::drawing {

// How large cells are, and what stands in them.
struct CellLook {
    double width = 58, height = 26;
    int decimals = 4;
    bool has_numbers = true;  // false: a colour alone
    double least = 0;         // what is smaller is a colour alone

    bool is_map() const { return least > 0; }
    bool has_words() const { return height >= 13; }  // room for them beside the rows
};

// Columns that later are a matrix of their own: "Q[0]".
struct ColumnsOf {
    index_t first, count;
    std::string name;
};

// A matrix with its name and formula below it and what it was made from above it.
struct Panel {
    Grid grid;
    std::string name;
    std::vector<std::string> formula{};  // in lines about as wide as the numbers
    std::vector<Grid> above;
    std::vector<std::string> above_names{};
    std::string joint{};  // before it: "+", "→"; empty: nothing
    const Report::Step* step = nullptr;
    MadeOf made{};                      // of a result
    std::vector<std::size_t> beside{};  // the panels of this strip that it was made from
    bool is_result = false;
    std::vector<ColumnsOf> parts{};  // from left to right

    bool has_expected() const { return is_result && step && step->right.defined(); }
};

// Matrices side by side, each made from those before it, their rows at one height.
struct Strip {
    std::string heading;  // the part of the model, and the head
    std::vector<Panel> panels;
    CellLook look;
};

// The steps of a report in their order, each once. UsageError if there are more numbers than a picture shows.
// Whether there are no more numbers than a picture shows.
bool are_readable(const Source& source, double width);
// The part of a model that fits, to be typed: "--scope decoder/0/self_attn, or --only softmax".
std::string scope_that_fits(const Report& report);
// `width`: of a strip at most, if it can be broken.
std::vector<Strip> strips_of(const Source& source, int decimals, double width);

double width_of(const Panel& panel, const CellLook& look);
double joint_width(const Panel& panel);

}  // namespace glassbox::tracer::drawing
