"""The public functions of the headers, as surface.py judges them. The headers are laid out alike, so that a walk over
braces finds every declaration: no compiler is needed, and templates that nobody uses are found, too."""
import re
from pathlib import Path

# Classes of the implementation that programs use by another name, and their headers.
NAMED_ELSEWHERE = {"row_writer": "detail/csv/write.hpp"}
SCOPE = re.compile(r"^(?:template <.*> )?(?:inline )?(namespace|class|struct)\b(?: \[\[.*?\]\])?\s*([\w:]*)")


class Function:
    """One declaration: its scopes ("oplog::basic_reader"), its name, what it returns, its parameters, what follows."""

    def __init__(self, header, line, scope, in_class, text):
        self.header, self.line, self.scope, self.in_class, self.text = header, line, scope, in_class, text
        bare = without_templates(re.sub(r"\[\[.*?\]\]", "", text))
        operator = re.search(r"\boperator\s*(\(\)|\[\]|[^\s\w(]+|\w[\w: ]*[&*]*)\s*\(", bare)
        opening = operator.end() - 1 if operator else bare.index("(")
        head = (bare[: operator.start()] if operator else bare[:opening]).strip()
        self.name = "operator" + operator.group(1) if operator else re.search(r"(~?\w+)$", head).group(1)
        self.returns = head if operator else head[: -len(self.name)].strip()
        if operator and re.match(r"\w", operator.group(1)):
            self.returns = operator.group(1)
        depth, end = 0, opening
        while True:
            depth += {"(": 1, ")": -1}.get(bare[end], 0)
            end += 1
            if depth == 0:
                break
        self.parameters = bare[opening + 1 : end - 1]
        self.rest = bare[end:].strip()
        self.deleted = self.rest.endswith("= delete")
        self.template = text[: text.index(">") + 1] if text.startswith("template") else ""

    @property
    def key(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name

    @property
    def is_constructor(self):
        return self.in_class and self.name == self.scope.split("::")[-1]


def without_templates(text):
    """Takes off the template heads; arguments such as list<cell> stay."""
    while text.startswith("template <"):
        text = text.replace(" < ", " ").replace("->", "")  # comparisons
        depth, end = 0, text.index("<")
        while True:
            depth += {"<": 1, ">": -1}.get(text[end], 0)
            end += 1
            if depth == 0:
                break
        text = text[end:].strip()
    return text


def code_of(path):
    text = re.sub(r"//[^\n]*", "", path.read_text())
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"(?m)^#.*(?:\\\n.*)*$", "", text)
    return re.sub(r"'(?:[^'\\\n]|\\.)'", "' '", text)


def declarations(path):
    """Yields (line, scopes, in_class, public, text) of each declaration that is not within a function: of a class its
    head, of an enumeration all of it, of a function and a variable what is before its body or braces."""
    text = code_of(path)
    stack = []  # (kind, name, public)
    start = at = 0
    while at < len(text):
        c = text[at]
        if c == "(":  # brackets within parentheses end nothing
            depth = 0
            while True:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
                if depth == 0:
                    break
            continue
        if c not in "{};":
            at += 1
            continue
        words = " ".join(text[start:at].split())
        while (label := re.match(r"(public|private|protected):(?!:)\s*", words)) and stack:
            stack[-1] = (stack[-1][0], stack[-1][1], label.group(1) == "public")
            words = words[label.end() :]
        line = text.count("\n", 0, start + len(text[start:at]) - len(text[start:at].lstrip())) + 1
        scope = SCOPE.match(words) if c == "{" else None
        if scope and "(" not in re.sub(r"<\w+\([^()]*\)>$", "", words):  # or of a specialization for a function
            if scope.group(1) != "namespace":
                yield line, [s for s in stack if s[1]], bool(stack) and stack[-1][0] != "namespace", all(s[2] for s in stack), words
            stack.append((scope.group(1), scope.group(2).split("::")[-1], scope.group(1) != "class"))
            at += 1
        elif c == "}":
            if stack:
                stack.pop()
            at += 1
        else:
            public = all(s[2] for s in stack)
            if words.startswith("enum ") and c == "{":
                words += " " + " ".join(text[at : text.index("}", at) + 1].split())
            if words:
                yield line, [s for s in stack if s[1]], bool(stack) and stack[-1][0] != "namespace", public, words
            if c == "{":  # a body, or an initializer
                depth = 0
                while True:
                    depth += {"{": 1, "}": -1}.get(text[at], 0)
                    at += 1
                    if depth == 0:
                        break
                if text[at : at + 1] == ";":
                    at += 1
            else:
                at += 1
        start = at


def public_headers(root):
    """The headers that users include, in their order, without former names."""
    folder = Path(root) / "include" / "wlfmt"
    return [path for path in sorted(folder.rglob("*.hpp"), key=lambda path: (len(path.parents), path))
            if "detail" not in path.parts and not path.read_text().startswith("// The former name of")]


def functions(root):
    """All public functions of the public headers, in their order."""
    found = []
    folder = Path(root) / "include" / "wlfmt"
    for path in [*public_headers(root), *(folder / header for header in NAMED_ELSEWHERE.values())]:
        for line, scopes, in_class, public, words in declarations(path):
            names = [s[1] for s in scopes if not s[1].startswith("WLFMT_") and s[1] not in ("wlfmt", "SIMDJSON_BUILTIN_IMPLEMENTATION")]
            if not public or ("detail" in names and names[-1] not in NAMED_ELSEWHERE) or "(" not in words or SCOPE.match(words) or words.startswith(("friend struct", "friend class", "using ", "static_assert", "typedef", "enum ")):
                continue
            bare = without_templates(re.sub(r"\[\[.*?\]\]", "", words))
            if "=" in bare.partition("(")[0] and "operator" not in bare.partition("(")[0]:
                continue  # a variable
            found.append(Function(path.relative_to(root), line, "::".join(names), in_class, words))
    return found
