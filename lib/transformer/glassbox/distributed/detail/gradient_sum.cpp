#include <glassbox/distributed/communicator.h>

#include <cmath>

#include <glassbox/backend/backend.h>
#include <glassbox/tensor/detail/mutable_view.h>
#include <glassbox/tensor/tensor.h>

namespace glassbox {

using namespace detail;

void add_in_order(const std::vector<Tensor>& blocks, Tensor& total, bool onto) {
    std::vector<ConstView> views;
    for (const Tensor& block : blocks) views.push_back(block.view());
    backend(total.device())
        .add_in_order(views.data(), static_cast<index_t>(views.size()), onto, mutable_view(total));
}

double norm(const Tensor& block) { return std::sqrt(backend(block.device()).sum_of_squares(block.view())); }

}  // namespace glassbox
