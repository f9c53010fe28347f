#include "mistakes/specimens.h"

#include <map>

namespace specimens {

const std::vector<Specimen>& all() {
    static const std::vector<Specimen> joined = [] {
        std::vector<Specimen> each_group;
        std::map<std::string, int> named;
        for (auto* group : {of_attention, of_models, of_training, of_data, of_tasks, of_text})
            for (Specimen& each : group()) {
                const int nth = ++named[each.name];
                if (nth > 1) each.name += " (" + std::to_string(nth) + ")";
                each_group.push_back(std::move(each));
            }
        return each_group;
    }();
    return joined;
}

}  // namespace specimens
