// check: does not say in its first line
int x = y;
