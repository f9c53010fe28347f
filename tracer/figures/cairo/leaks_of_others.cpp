// For the address sanitizer: what fontconfig and Cairo keep until the program ends is not our leak.
extern "C" const char* __lsan_default_suppressions() { return "leak:libfontconfig\nleak:libcairo\n"; }
