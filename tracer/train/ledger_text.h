#pragma once
#include <string>

#include "report/text_style.h"
#include "train/ledger.h"

namespace tracer {

// True when the arithmetic that is shown gives the numbers that the optimiser wrote.
struct LedgerText {
    std::string text;
    bool agrees = true;
};
LedgerText ledger_text(const Ledger& ledger, const TextStyle& style);

}  // namespace tracer
