#pragma once
#include <string>

#include "report/text_style.h"
#include "train/ledger.h"

namespace tracer {

struct LedgerText {
    std::string text;
    bool agrees = true;  // the arithmetic shown gives the optimiser's results
};
LedgerText ledger_text(const Ledger& ledger, const TextStyle& style);

}  // namespace tracer
