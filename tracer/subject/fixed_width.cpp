#include "subject/fixed_width.h"

#include <glassbox/tensor/format.h>

namespace tracer {

void check_d_ff(const glassbox::Convention& convention, glassbox::index_t d_model, glassbox::index_t d_ff) {
    const glassbox::index_t factor = convention.d_ff_factor;
    if (factor != 0 && d_ff != factor * d_model)
        glassbox::fail<glassbox::UsageError>("--dff: convention {} always has d_ff = {}·d_model = {}, got {}",
                                             convention.name, factor, factor * d_model, d_ff);
}

}  // namespace tracer
