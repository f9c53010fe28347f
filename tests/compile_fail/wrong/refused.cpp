// compiles
// check: should compile
int x = y;
