#include <glassbox/layers/positional_encoding.h>

#include <glassbox/mistakes/catalogue/lines.h>

namespace glassbox::catalogue {

using namespace wrong;
namespace step = steps::learned_positions;

// x + table[0 … T − 1]
std::vector<Mistake> learned_positions() {
    const WrongAt encoding{"learned", {&step::encoding}};
    return {
        {encoding, "from-one", "table[1 … T]", "Positions are counted from 1: the first row is lost.",
         [](const Frame& f, const Tensor& made) {
             const Tensor table = input(f, 0);
             const index_t T = made.size(0);
             return T < table.size(0) ? slice(table, 0, 1, T + 1) : not_here;
         }},
        {encoding, "last-rows", "table[n − T … n − 1]", "The last rows of the table are taken.",
         [](const Frame& f, const Tensor& made) {
             const Tensor table = input(f, 0);
             const index_t T = made.size(0), n = table.size(0);
             return T < n ? slice(table, 0, n - T, n) : not_here;
         }},
        {encoding, "backwards", "table[T − 1 … 0]", "Positions are counted from the end.",
         [](const Frame&, const Tensor& made) { return reversed(made, 0); }},
        {encoding, "one-position", "table[0] in every row",
         "Every row has the first position's encoding, so positions cannot be told apart.",
         [](const Frame&, const Tensor& made) { return first_for_all(made, 0); }},
        {encoding, "sinusoidal", "sin(t ω_i), cos(t ω_i)",
         "The fixed encoding is used instead of the learned one.",
         [](const Frame&, const Tensor& made) {
             return sinusoidal_encoding(made.size(0), made.size(1)).to(made.device());
         }},
    };
}

}  // namespace glassbox::catalogue
