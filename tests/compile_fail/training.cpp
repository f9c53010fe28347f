// Parameters and training. Each case is compiled by itself: see check.
#include <glassbox/glassbox.h>

using namespace glassbox;

#ifdef CASE_parameters_kept
// error: call parameters_of(model) each time
int main() {
    Linear layer = Linear::zeros(2, 3);
    auto kept = parameters_of(layer);
    return static_cast<int>(kept.count());
}
#endif

#ifdef CASE_member_that_is_not_there
// error: lr
// error: TrainerConfig
const TrainerConfig config{.lr = 0.1};
#endif

#ifdef CASE_score_of_another_type
// error: virtual Outcome score(const Examples& examples) const = 0;
struct Mine : Learner {
    Tensor score(const Examples&) const override { return {}; }
};
#endif
