#pragma once

namespace glassbox {

double machine_memory();  // how many bytes of memory the machine has

}  // namespace glassbox
