// error: a rule that nobody states
// check: is refused without the rule: a rule that nobody states
int x = y;
