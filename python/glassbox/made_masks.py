"""Whether a function makes what it adds to its scores out of a mask of 1 and 0 by itself: (1 - mask) * -1e9."""
import ast
import inspect
import linecache

from .signature import is_mask

# What an array stays the same mask through, as another type or in another shape.
SAME = {"array", "asarray", "asanyarray", "ascontiguousarray", "copy", "clone", "astype", "float", "double", "half", "int",
        "long", "to", "type", "type_as", "cast", "float32", "float64", "tensor", "as_tensor", "from_numpy", "expand_dims",
        "unsqueeze", "squeeze", "reshape", "view", "expand", "expand_as", "broadcast_to", "repeat", "tile", "swapaxes",
        "transpose", "permute", "contiguous", "negative", "neg"}
OPERATIONS = {"subtract": ast.Sub, "sub": ast.Sub, "rsub": ast.Sub, "multiply": ast.Mult, "mul": ast.Mult,
              "add": ast.Add, "divide": ast.Div, "true_divide": ast.Div, "div": ast.Div}
CONSTANTS = ("ones", "full", "zeros")  # arrays of one number: ones_like


def makes_mask(function, masks):
    """Whether in its own lines, or in those of its file that it calls, one of its parameters `masks` is multiplied, or
    added to or subtracted from a number: what is added as it is, is not. False where there are no lines to read."""
    functions, first = defined_beside(function)
    if not any(set(masks) & set(names_of(each)) for each in first):  # behind a decorator, say
        first = [each for some in functions.values() for each in some]
    done, left = set(), [(each, frozenset(masks)) for each in first]
    while left:
        node, own = left.pop()
        own |= {name for name in names_of(node) if is_mask(name)}
        if (node, own) in done:
            continue
        done.add((node, own))
        reader = Reader(own, functions)
        for line in node.body if isinstance(node.body, list) else [node.body]:
            reader.visit(line)
        if reader.makes:
            return True
        left += reader.called
    return False


def defined_beside(function):
    """({name: functions of its file}, those that are this one)."""
    code = code_of(function)
    text = "" if code is None else "".join(linecache.getlines(code.co_filename, getattr(function, "__globals__", None)))
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}, []
    found, own = {}, []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            found.setdefault(getattr(node, "name", "<lambda>"), []).append(node)
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            if first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
                own.append(node)
    for node in ast.walk(tree):  # attend = lambda s, mask: …
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for name in [each.id for each in node.targets if isinstance(each, ast.Name)]:
                found.setdefault(name, []).append(node.value)
        elif isinstance(node, ast.ClassDef):
            found.setdefault(node.name, []).extend(
                each for each in node.body if isinstance(each, ast.FunctionDef) and each.name in ("forward", "__call__"))
    return found, own


def code_of(function):
    """None where there is none, as of what C++ wrote."""
    function = inspect.unwrap(getattr(function, "func", function))  # of a partial
    return getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)


def names_of(node):
    return [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


class Reader(ast.NodeVisitor):
    """The lines of one function, in which these names are masks."""
    def __init__(self, masks, functions):
        self.masks, self.functions = set(masks), functions
        self.numbers = set()  # names of them
        self.makes, self.called = False, []  # (function, names of its parameters that are masks)

    def is_mask(self, node):
        """Whether an expression is still the mask, in any shape or type."""
        if isinstance(node, ast.Name):
            return node.id in self.masks
        if isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
            return self.is_mask(node.value)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, (ast.USub, ast.UAdd)) and self.is_mask(node.operand)
        if isinstance(node, ast.IfExp):
            return self.is_mask(node.body) or self.is_mask(node.orelse)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return any(map(self.is_mask, sides)) and all(self.is_mask(each) or self.is_number(each) for each in sides)
        if isinstance(node, ast.Call):
            name = called(node)
            own = node.func.value if isinstance(node.func, ast.Attribute) else None
            return name in SAME and any(map(self.is_mask, [*([own] if own is not None else []), *node.args[:1]]))
        return False

    def look(self, operation, left, right):
        one, other = (left, right) if self.is_mask(left) else (right, left)
        if not self.is_mask(one) or self.is_mask(other):
            return
        if isinstance(operation, (ast.Mult, ast.Div)):
            self.makes |= not is_number(other, 1)
        elif isinstance(operation, (ast.Add, ast.Sub)):
            self.makes |= self.is_number(other) and not is_number(other, 0)

    def is_number(self, node):
        """However it is written, an array of one number, too."""
        if isinstance(node, ast.Name):
            return node.id in self.numbers
        if isinstance(node, ast.UnaryOp):
            return self.is_number(node.operand)
        if isinstance(node, ast.BinOp):
            return self.is_number(node.left) and self.is_number(node.right)
        if isinstance(node, ast.Call):
            name = called(node)
            is_cast = name.startswith(("float", "int")) and bool(node.args) and all(map(self.is_number, node.args))
            return name.startswith(CONSTANTS) or is_cast
        return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))

    def visit_BinOp(self, node):
        self.look(node.op, node.left, node.right)
        self.generic_visit(node)

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self.keep(target, node.value)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)
            self.keep(node.target, node.value)

    def visit_NamedExpr(self, node):
        self.visit(node.value)
        self.keep(node.target, node.value)

    def keep(self, target, value):
        if isinstance(target, ast.Name) and self.is_mask(value):
            self.masks.add(target.id)
        elif isinstance(target, ast.Name) and self.is_number(value):
            self.numbers.add(target.id)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for name, each in zip(target.elts, value.elts):
                self.keep(name, each)

    def visit_AugAssign(self, node):
        self.look(node.op, node.target, node.value)
        self.generic_visit(node)

    def visit_Call(self, node):
        name, given = called(node), list(node.args)
        if isinstance(node.func, ast.Attribute) and self.is_mask(node.func.value):  # mask.mul(-10)
            given = [node.func.value, *given]
        if name in OPERATIONS and len(given) > 1:
            self.look(OPERATIONS[name](), given[0], given[1])
        for function in self.functions.get(name, ()):
            names = [each for each in names_of(function) if each != "self"]
            own = {of for of, each in zip(names, node.args) if self.is_mask(each)}
            own |= {each.arg for each in node.keywords if self.is_mask(each.value)}
            if own:
                self.called.append((function, frozenset(own)))
        self.generic_visit(node)


def called(node):
    """The name of what is called: softmax of np.softmax(…)."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_number(node, number):
    return isinstance(node, ast.Constant) and not isinstance(node.value, str) and node.value == number
