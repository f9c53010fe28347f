#pragma once

namespace tracer {

// Where the program's address space is limited (ulimit -v): ends it with a message when there is too little
// to start, or lets it use as many threads as there is room for. Before anything is computed.
void find_room();

}  // namespace tracer
