// What check has to notice, and what it then says: see check_can_fail.

#ifdef CASE_compiles
// error: a rule
// check: should be refused, and compiles
int x = 1;
#endif

#ifdef CASE_refused
// compiles
// check: should compile
int x = y;
#endif

#ifdef CASE_with_a_warning
// compiles
// check: should compile
void f(int unused) {}
#endif

#ifdef CASE_other_words
// error: a rule that nobody states
// check: is refused without the rule: a rule that nobody states
int x = y;
#endif

#ifdef CASE_one_of_two_rules
// error: not_declared
// error: a rule that nobody states
// check: is refused without the rule: a rule that nobody states
int x = not_declared;
#endif

#ifdef CASE_says_nothing
// check: does not say in its first line
int x = y;
#endif

#ifdef CASE_too_long
// error: called
// check: 30 are the most
template <int>
struct Kind {};
#define CALLED(n)             \
    void called(Kind<n>);     \
    void called(Kind<n + 1>); \
    void called(Kind<n + 2>);
CALLED(0)
CALLED(10)
CALLED(20)
CALLED(30)
void call() { called("text"); }
#endif
