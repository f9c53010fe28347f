#pragma once
#include <string>
#include <string_view>

#include <glassbox/io/json.h>
#include <glassbox/mistakes/diagnosis.h>

// A diagnosis for programs: what `tracer check --format json`, lessons, marks and Python read.
namespace glassbox {

// "right", "searched_all", "tried", "left", "steps", "unseen", and "sentences" of the mistakes that are
// named. Without `expected` no right number is in it.
JsonObject to_json(const Diagnosis& diagnosis, bool expected = true);

// From an object with these fields, among others; those that older files lack have their defaults, and
// `info`, `tolerance` and what explanations misfit by are not in them. `name` is the file's, for FileError.
Diagnosis from_json(std::string_view json, const std::string& name);

}  // namespace glassbox
