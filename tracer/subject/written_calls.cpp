#include "subject/written_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include <glassbox/io/text.h>

#include "subject/written_scan.h"

namespace glassbox::tracer {

namespace {

// Functions that only make an array, or a number, of the numbers in them; by the last part of the name.
constexpr std::string_view constructor_names[] = {
    // arrays
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "masked_array", "MaskedArray",
    "ndarray", "Array", "DeviceArray", "ArrayImpl", "ShapedArray", "DataArray", "tensor", "Tensor",
    "as_tensor", "EagerTensor", "convert_to_tensor", "constant", "Variable", "variable", "Parameter",
    "matrix", "Matrix", "ImmutableDenseMatrix", "ImmutableMatrix", "MutableDenseMatrix", "asmatrix", "mat",
    "Vector", "Vec", "NArray", "NDArray", "DataFrame", "Series", "NewDense", "NewVecDense", "arr1", "arr2",
    "arr3", "gpuArray", "dlarray", "NumericArray", "MatrixForm", "cell2mat",
    // lists
    "list", "List", "List.of", "tuple", "Tuple", "Seq", "ArrayBuffer", "ArraySeq", "ArrayList", "asList",
    "listOf", "mutableListOf", "arrayListOf", "arrayOf", "floatArrayOf", "doubleArrayOf", "intArrayOf",
    "deque", "dict", "OrderedDict", "defaultdict", "dict_values", "dict_items", "odict_values", "odict_items",
    "Dict", "SIMD2", "SIMD3", "SIMD4", "Vector2", "Vector3", "Vector4", "vec2", "vec3", "vec4", "float2",
    "float3", "float4",
    // R
    "c", "rbind", "structure",
    // numbers
    "float", "double", "single", "half", "float16", "float32", "float64", "float128", "longdouble",
    "bfloat16", "Float16", "Float32", "Float64", "BFloat16", "Float", "Double", "mpf", "Decimal", "Some",
    "Just", "Optional", "ScientificForm",
    // what prints
    "print", "println", "printf", "pprint", "console.log", "disp", "display", "show", "repr", "str", "puts",
    "echo", "Size", "TensorShape"};

// Of whole numbers they make these; of others they cut the decimals.
constexpr std::string_view whole_number_names[] = {
    "int",    "integer", "long",   "bool", "boolean", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32",  "uint64", "Int",  "Integer", "Int8", "Int16", "Int32", "Int64"};

// These round what is in them: the numbers are right where they were right before.
constexpr std::string_view rounding_names[] = {"round", "around",     "round_",     "signif",
                                               "N",     "NumberForm", "DecimalForm"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// "sqrt" of np.sqrt, "exp" of Julia's exp.(x)
std::string_view function_of(std::string_view name) {
    while (name.ends_with('.')) name.remove_suffix(1);
    const std::size_t at = name.find_last_of("./");
    return at == name.npos ? name : name.substr(at + 1);
}

// JavaScript's Float32Array, PyTorch's FloatTensor, Eigen's MatrixXf, pandas' RangeIndex
bool is_typed_array(std::string_view name) {
    for (const std::string_view kind : {"Matrix", "Vector", "RowVector", "Array"})
        if (name.starts_with(kind) && name.size() > kind.size() && name.size() <= kind.size() + 3 &&
            std::string_view("X234").find(name[kind.size()]) != name.npos &&
            (name.ends_with('f') || name.ends_with('d')))
            return true;
    for (const std::string_view kind : {"Float", "Double", "Half", "BFloat16", "Int", "Uint", "Long"})
        if (name.starts_with(kind) && (name.ends_with("Array") || name.ends_with("Tensor"))) return true;
    return name.ends_with("Index") && name.size() > 5 && std::isupper(static_cast<unsigned char>(name[0]));
}

// A number with decimals that is not a setting's, as dropout(p=0.1), or any number.
bool holds_numbers(std::string_view inside, bool any) {
    for (std::size_t at = 0; at < inside.size(); ++at) {
        const char before = at > 0 ? inside[at - 1] : '\0';
        if (!is_digit(inside[at]) || is_letter(before) || is_digit(before)) continue;
        if (any) return true;
        std::size_t begin = at;
        if (before == '.') {  // .5, but not layers.0
            if (at > 1 && (is_letter(inside[at - 2]) || is_digit(inside[at - 2]))) continue;
            --begin;
        }
        const std::size_t end = std::min(inside.find_first_not_of("0123456789", at), inside.size());
        const bool has_point = end + 1 < inside.size() && inside[end] == '.' && is_digit(inside[end + 1]);
        while (begin > 0 && std::string_view(" -+").find(inside[begin - 1]) != std::string_view::npos)
            --begin;
        const bool is_of_setting = begin > 0 && inside[begin - 1] == '=';
        if ((has_point || before == '.') && !is_of_setting) return true;
    }
    return false;
}

// Output(values=array([0.5]), attention=…): an object's fields.
bool are_fields(const WrittenCall& call) {
    if (call.name.find_first_of("./") != call.name.npos || call.name[0] < 'A' || call.name[0] > 'Z')
        return false;
    std::string_view inside = call.inside;
    inside.remove_prefix(std::min(inside.find_first_not_of(" \t\n"), inside.size()));
    Scan scan(inside);
    return !scan.word().empty() && scan.any("=");
}

}  // namespace

std::size_t closing_parenthesis(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0) return at;
    }
    return text.npos;
}

bool is_constructor(std::string_view name) {
    if (name.starts_with("as.") && name != "as.matrix" && name != "as.array") return false;  // R's lists
    const std::string_view last = function_of(name);
    return is_one_of(constructor_names, last) || is_one_of(constructor_names, name) || is_typed_array(last);
}

bool is_rounding(std::string_view name) { return is_one_of(rounding_names, function_of(name)); }

std::string question_about_call(const WrittenCall& call, bool is_among_numbers) {
    if (is_one_of(whole_number_names, function_of(call.name)) && !holds_numbers(call.inside, false))
        return "";
    const bool has_array = call.inside.find_first_of("[{") != call.inside.npos;
    if ((!has_array && !holds_numbers(call.inside, is_among_numbers)) || are_fields(call)) return "";
    return fmt::format("{}(…) is around the numbers: submit what it returns",
                       printable(std::string(call.name)));
}

std::size_t length_of_decimals(const WrittenCall& call) {
    const std::size_t comma = call.inside.rfind(',');
    if (comma == call.inside.npos) return 0;
    Scan scan(call.inside.substr(comma + 1));
    scan.blanks();
    if (!scan.word().empty()) scan.blanks(), scan.any("="), scan.blanks();
    const bool has_digits = scan.digits();
    scan.any("L"), scan.blanks();
    return has_digits && scan.end() ? call.inside.size() - comma : 0;
}

}  // namespace glassbox::tracer
