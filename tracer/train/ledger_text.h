#pragma once
#include <string>

#include "train/ledger.h"

namespace tracer {

// True when the arithmetic that is shown gives the numbers that the optimiser wrote.
struct LedgerText {
    std::string text;
    bool agrees = true;
};
LedgerText ledger_text(const Ledger& ledger, int precision);

}  // namespace tracer
