#pragma once

namespace tracer {

double machine_memory();  // physical memory in bytes

}  // namespace tracer
