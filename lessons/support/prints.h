#pragma once
#include <string>

namespace lesson {

// What a student's work prints. Between begin and end it goes into a file, so that it does not mix with the
// check's own page. It is shown for the first case; for the others only its existence is reported.
void keep_prints();  // before the separate process starts; without it, begin and end do nothing
void begin_prints();
void end_prints(const std::string& during);  // "case 'causal'"
// The page's part for it, empty if nothing was printed. `during` is what was running at the end, possibly
// without end_prints().
std::string prints(const std::string& name, const std::string& during);
// The same for what was kept elsewhere: `others` other cases also printed.
std::string shown_prints(const std::string& text, const std::string& name, const std::string& during,
                         int others);

// Where messages go while the work's own output is kept.
int messages();

}  // namespace lesson
