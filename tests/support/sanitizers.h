#pragma once

// g++ defines __SANITIZE_ADDRESS__ and __SANITIZE_THREAD__ where it builds with these sanitizers; clang has
// to be asked.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__
#endif
#endif
