#include "mistakes/specimens.h"

namespace specimens {

const std::vector<Specimen>& all() {
    static const std::vector<Specimen> joined = [] {
        std::vector<Specimen> each_group;
        for (auto* group : {of_attention, of_models, of_training, of_data, of_tasks})
            for (Specimen& each : group()) each_group.push_back(std::move(each));
        return each_group;
    }();
    return joined;
}

}  // namespace specimens
