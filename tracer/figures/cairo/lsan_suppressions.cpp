// For the leak sanitizer: fontconfig and Cairo keep memory until the program ends.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\nleak:libcairo\n"; }
