// compiles
// check: should compile
void f(int unused) {}
