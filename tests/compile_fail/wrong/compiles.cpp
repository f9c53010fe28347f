// error: a rule
// check: should be refused, and compiles
int x = 1;
