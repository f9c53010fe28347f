#include "tasks/answer.h"

#include <glassbox/tensor/format.h>

namespace glassbox {

std::string PredictRequest::text(const std::string& option, const std::string& otherwise) const {
    const auto found = options.find(option);
    return found == options.end() ? otherwise : found->second;
}

Answer& Answer::say(const std::string& words) {
    text.push_back({Kind::plain, words});
    return *this;
}

Answer& Answer::judge(bool right, const std::string& if_wrong, const std::string& if_right) {
    text.push_back(right ? Piece{Kind::right, if_right} : Piece{Kind::wrong, if_wrong});
    return *this;
}

Answer& Answer::probability(double p, int width) {
    text.push_back({Kind::probability, "", p, width});
    return *this;
}

Answer& Answer::field(const std::string& name, const JsonValue& value) {
    fields.emplace_back(name, value.text());
    return *this;
}

std::string text_of(const Answer& answer, int precision, const Paint& paint) {
    std::string text;
    for (const Answer::Piece& piece : answer.text) {
        if (piece.kind != Answer::Kind::probability) {
            text += paint ? paint(piece.kind, piece.text) : piece.text;
            continue;
        }
        const std::string number = fmt::format("{:.{}f}", piece.probability, precision);
        text += piece.width < 0 ? fmt::format("{:<{}}", number, -piece.width)
                                : fmt::format("{:>{}}", number, piece.width);
    }
    return text;
}

}  // namespace glassbox
