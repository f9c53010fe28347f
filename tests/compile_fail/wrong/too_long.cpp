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
