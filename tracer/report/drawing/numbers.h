#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/spreadsheet/graph.h"

namespace glassbox::tracer::drawing {

// One number: an element of a tensor of the computation.
struct Place {
    std::size_t node = Computation::none;
    index_t element = 0;
    auto operator<=>(const Place&) const = default;
};

// A tensor whose numbers are drawn.
struct Numbers {
    std::string name;  // path of the step, name of the parameter
    Shape shape;
    std::vector<real> values;
    Report::Kind kind = Report::Kind::number;
    double largest = 0;                  // |x|, of those that are seen: the end of its colours
    bool are_whole = false;              // ids, masks, counts
    const Report::Step* step = nullptr;  // null for a parameter and what has no name
    bool is_given = false;               // nothing computed it
};

// The numbers of a report, by the nodes of its computation, and what each was made from.
class Source {
  public:
    explicit Source(const Report& report);

    const Report& report() const { return report_; }
    std::size_t node_of(const Report::Step& step) const;
    const Numbers& numbers(std::size_t node) const { return all_[node]; }
    real value(const Place& place) const {
        return all_[place.node].values[static_cast<std::size_t>(place.element)];
    }
    bool is_hidden(const Place& place) const;  // by a mask

    // The number that this one is, if it is only seen through a view or a concatenation without a name.
    Place resolved(Place place) const;
    // The equation by which it is computed, and its place in what that computes; none where it is given, or
    // moved from a step.
    struct Computed {
        const Equation* equation = nullptr;
        index_t element = 0;
    };
    std::optional<Computed> computed(const Place& place) const;
    // The n-th number that it reads, with the letters of its sums at these values.
    std::optional<Place> operand(const Computed& computed, std::size_t n,
                                 const std::vector<index_t>& letters) const;
    // All that it reads in the first term of its sums, by way of what has no name.
    std::vector<Place> operands(const Place& place) const;
    // The number of another tensor that it is: of a head, the one that was split.
    std::optional<Place> moved_from(const Place& place) const;

    // The exponentials that a weight of a softmax is made from, in the order of its row; 0 where a mask
    // hides. Empty of other numbers, and where one is too large to be written.
    std::vector<double> exponentials(const Place& place) const;
    // The number of a table that it is, in the row that an id names.
    std::optional<Place> looked_up(const Place& place) const;
    // Of a token the number that it was chosen by: the largest of a row, the one that was drawn.
    std::optional<Place> chosen_by(const Place& token) const;

    std::string name_in_use(std::size_t node) const;  // of an input, by the step that has its numbers: "x"
    // In lines, the last of which has the result; without terms that a mask hides. Empty where it is not
    // known.
    std::string arithmetic(const Place& place) const;
    // Report::explained by places.
    struct Explained {
        Place place;
        std::string arithmetic;  // a line for each of its letters, as μ, then its own
        std::vector<Place> parts;
    };
    const std::vector<Explained>& explained() const { return explained_; }

    // Equal numbers have one colour in all these tensors, but tensors of numbers so small that they would be
    // without one have a scale of their own.
    void share_scales(const std::set<std::size_t>& nodes);
    const std::vector<double>& scales() const { return scales_; }  // their ends, the smallest first
    bool is_explained(const Place& place) const { return explained_.empty() || named_.contains(place); }

  private:
    Place place_of_element(const Element& element) const;
    std::vector<bool> hidden_terms(const Place& place) const;

    const Report& report_;
    std::shared_ptr<const Computation> computation_;
    spreadsheet::Graph graph_;
    std::vector<Numbers> all_;
    std::vector<Explained> explained_;
    std::set<Place> named_;  // in these
    std::vector<double> scales_;
};

}  // namespace glassbox::tracer::drawing
