#pragma once
#include <string>
#include <vector>

#include <glassbox/tensor/tensor.h>

namespace glassbox::tracer {

// The names of an array's axes as printed: "query", "key". "" for one without a name.
using AxisNames = std::vector<std::string>;

// The order of the axes here, (batch, head, query, key, feature): {1, 0} for axes that are named (key,
// query). Empty if they are in this order, or if their names do not tell.
std::vector<int> order_of_axes(const AxisNames& names);

// Whether scores with these axes have a row for each key, by the name of only one axis: that of the rows is a
// key's, or that of the columns a query's.
bool may_have_rows_of_keys(const AxisNames& names);

// The numbers, and by how much each may be rounded, with their axes in this order.
void permute_axes(const std::vector<int>& order, Tensor& value, std::vector<double>& half_width);

// "(key, query)"
std::string axes_text(const AxisNames& names);

// Whether it names what an axis has: queries, keys, positions, features.
bool is_axis_name(const std::string& name);

// "q" of q0, q1, q2; "" where they do not count.
std::string stem_of(const std::vector<std::string>& names);

}  // namespace glassbox::tracer
