#pragma once

namespace glassbox {

double machine_memory();  // physical memory in bytes

}  // namespace glassbox
