#pragma once

namespace tracer {

// For a child between fork and exec: system calls alone, since another thread may have held a lock when it
// was forked. What the teacher's shell has open does not reach what is run: through a folder's descriptor it
// could write to the files in there.
void close_from(int first);
void close_each_from(int first);  // the same, where the kernel cannot do it at once (before Linux 5.9)
// The session's keyring, with Kerberos tickets in it say, goes to every process that is started in it.
void leave_session_keyring();

}  // namespace tracer
