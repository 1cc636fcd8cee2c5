# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the mutations of a source by clang's AST and writes a source that has them all.

A mutation is a change of one expression or statement: a condition negated, a comparison
widened by one, `+` for `-`, `&&` for `||`, two arguments of one type swapped, a constant
one more or one less, the last for the first, another enumerator, a statement left out.
Each stands behind `SHARD_MUTANT(number)` (Mutants.h), so that one build has thousands.
What does not compile, such as a change of a constant expression, is taken out again.
"""

import dataclasses
import re

import clang.cindex as ci
from clang.cindex import BinaryOperator, CursorKind, TypeKind

WIDENED = {
    BinaryOperator.LT: ("<", "<="),
    BinaryOperator.LE: ("<=", "<"),
    BinaryOperator.GT: (">", ">="),
    BinaryOperator.GE: (">=", ">"),
    BinaryOperator.EQ: ("==", "!="),
    BinaryOperator.NE: ("!=", "=="),
}
EXCHANGED = {
    BinaryOperator.Add: ("+", "-"),
    BinaryOperator.Sub: ("-", "+"),
    BinaryOperator.Mul: ("*", "+"),
    BinaryOperator.LAnd: ("&&", "||"),
    BinaryOperator.LOr: ("||", "&&"),
    BinaryOperator.AddAssign: ("+=", "-="),
    BinaryOperator.SubAssign: ("-=", "+="),
}
ENDS = {"front": "back", "back": "front", "first": "second", "second": "first",
        "min": "max", "max": "min", "any_of": "all_of", "all_of": "any_of"}
# Whose first arguments may be exchanged.
SYMMETRIC = ("min", "max", "gcd", "lcm", "swap", "is_permutation", "add", "mul",
             "__builtin_add_overflow", "__builtin_mul_overflow")
# Ops of arith whose operands may be exchanged.
COMMUTATIVE = re.compile(r"\b(?:Add|Mul|Max|Min|And|Or|XOr)[A-Z]*I?Op(?:>|::create)\(")
# Of a change of these only the time or the room of a program depends, or nothing.
SPEED_ONLY = ("reserve", "shrink_to_fit", "markAllAnalysesPreserved", "__builtin_unreachable")
HASHES = ("hash_value", "getHashValue", "hashOf", "mixHash", "operator()")
LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.CXX_FOR_RANGE_STMT)
ASSIGNMENTS = (BinaryOperator.Assign, BinaryOperator.AddAssign, BinaryOperator.SubAssign,
               BinaryOperator.MulAssign, BinaryOperator.OrAssign, BinaryOperator.AndAssign)
# Integers and floats of C++.
NUMBERS = range(TypeKind.BOOL.value, TypeKind.LONGDOUBLE.value + 1)
# Rounds of taking out what does not compile.
MOST_ROUNDS = 12
# So many bytes around an error that lies in no mutation, all mutations are taken out.
NEAR = 300


@dataclasses.dataclass
class Mutation:
    start: int
    end: int
    kind: str
    # What stands instead: an expression; "!" for the negation; "" for a statement left out.
    wrong: str
    line: int
    number: int = 0


def is_number(cursor):
    return cursor.type.get_canonical().kind.value in NUMBERS


def is_bool(cursor):
    return cursor.type.get_canonical().kind == TypeKind.BOOL


class Finder:
    """Collects the mutations of one translation unit's main file."""

    def __init__(self, path, text):
        self.path, self.data = path, text.encode()
        self.found = []

    def text(self, cursor):
        return self.data[cursor.extent.start.offset : cursor.extent.end.offset].decode()

    def add(self, cursor, kind, wrong, end=None):
        start, end = cursor.extent.start.offset, end or cursor.extent.end.offset
        self.found.append(Mutation(start, end, kind, wrong, cursor.extent.start.line))

    def is_template_argument(self, cursor):
        before = self.data[: cursor.extent.start.offset]
        after = self.data[cursor.extent.end.offset :]
        return bool(re.search(rb"\w<$", before[-2:])) or after[:1] == b">"

    def is_own(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == self.path

    def find(self, cursor):
        for child in cursor.get_children():
            if self.is_own(child) and "assert(" not in self.text(child)[:7] and \
                    not self.is_about_speed(child):
                self.visit(child, cursor)
                if not self.is_text(child):
                    self.find(child)

    def is_about_speed(self, cursor):
        """Whether `cursor` is a hash function or a call of which no result depends."""
        if cursor.kind in (CursorKind.CXX_METHOD, CursorKind.FUNCTION_DECL):
            return cursor.spelling in HASHES and "hash" in self.text(cursor)
        return cursor.kind == CursorKind.CALL_EXPR and cursor.spelling in SPEED_ONLY

    def is_text(self, cursor):
        """Whether `cursor` writes the words of a diagnostic, or joins words."""
        if cursor.kind != CursorKind.CALL_EXPR:
            return False
        kind = cursor.type.get_canonical().spelling
        return (cursor.spelling == "operator<<" and "Diagnostic" in kind) or \
            (cursor.spelling == "operator+" and "basic_string" in kind)

    def visit(self, cursor, parent):
        kind = cursor.kind
        if self.is_template_argument(cursor):
            return
        if kind in (CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            self.binary(cursor)
        elif kind == CursorKind.IF_STMT:
            self.condition(cursor)
        elif kind == CursorKind.CONDITIONAL_OPERATOR:
            self.add(next(cursor.get_children()), "negated condition", "!")
        elif kind == CursorKind.INTEGER_LITERAL:
            self.literal(cursor)
        elif kind == CursorKind.CXX_BOOL_LITERAL_EXPR:
            self.add(cursor, "constant", "false" if self.text(cursor) == "true" else "true")
        elif kind == CursorKind.CALL_EXPR:
            self.call(cursor)
        elif kind == CursorKind.DECL_REF_EXPR:
            self.enumerator(cursor)
        elif kind == CursorKind.UNARY_OPERATOR and self.text(cursor).startswith("!"):
            self.add(cursor, "negated", "!")
        self.statement(cursor, parent)

    def binary(self, cursor):
        operator = cursor.binary_operator
        children = list(cursor.get_children())
        if len(children) != 2:
            return
        left, right = (self.text(child) for child in children)
        if operator in WIDENED:
            right_one = WIDENED[operator]
            self.add(cursor, f"{right_one[0]} is {right_one[1]}",
                     f"({left}) {right_one[1]} ({right})")
        elif operator in EXCHANGED:
            if operator not in (BinaryOperator.LAnd, BinaryOperator.LOr):
                if not all(is_number(part) for part in (cursor, *children)):
                    return
            was, now = EXCHANGED[operator]
            self.add(cursor, f"{was} is {now}", f"({left}) {now} ({right})")

    def condition(self, cursor):
        children = list(cursor.get_children())
        if children and children[0].kind.is_expression():
            self.add(children[0], "negated condition", "!")

    def literal(self, cursor):
        text = self.text(cursor)
        if not re.fullmatch(r"\d+", text):
            return
        value = int(text)
        self.add(cursor, "one more", str(value + 1))
        if value > 1:
            self.add(cursor, "one less", str(value - 1))

    def call(self, cursor):
        whole = self.text(cursor)
        name = cursor.spelling
        if name in ("operator==", "operator!="):
            self.add(cursor, "negated", "!")
            return
        if name in ENDS:
            # The name stands right in front of the arguments.
            changed, count = re.subn(rf"\b{name}(?=\((?:[^()]|\([^()]*\))*\)$)", ENDS[name], whole)
            if count == 1:
                self.add(cursor, f"{name} is {ENDS[name]}", changed)
        arguments = list(cursor.get_arguments())
        if name == "operator=" or self.is_text(cursor) or \
                COMMUTATIVE.search(whole[: whole.find("(") + 1]):
            return
        if name in SYMMETRIC:
            arguments = arguments[1:]
        for one, two in zip(arguments, arguments[1:]):
            if one is None or two is None or not (self.is_own(one) and self.is_own(two)):
                continue
            if one.type.get_canonical() != two.type.get_canonical():
                continue
            first, second = self.text(one), self.text(two)
            a, b = one.extent, two.extent
            base = cursor.extent.start.offset
            if not first or not second or first == second or a.end.offset > b.start.offset:
                continue
            data = self.data[base : cursor.extent.end.offset]
            # In a template the operator has no name yet.
            if data[a.end.offset - base : b.start.offset - base].strip() in (b"==", b"!="):
                continue
            swapped = (data[: a.start.offset - base] + second.encode()
                       + data[a.end.offset - base : b.start.offset - base] + first.encode()
                       + data[b.end.offset - base :])
            self.add(cursor, "arguments swapped", swapped.decode())

    def enumerator(self, cursor):
        constant = cursor.referenced
        if constant is None or constant.kind != CursorKind.ENUM_CONSTANT_DECL:
            return
        names = [child.spelling for child in constant.semantic_parent.get_children()
                 if child.kind == CursorKind.ENUM_CONSTANT_DECL]
        following = names[(names.index(constant.spelling) + 1) % len(names)]
        text = self.text(cursor)
        if text.endswith(constant.spelling) and following != constant.spelling:
            self.add(cursor, "enumerator", text[: -len(constant.spelling)] + following)

    def statement(self, cursor, parent):
        """A statement of a block or the body of a loop or condition."""
        in_block = parent.kind == CursorKind.COMPOUND_STMT
        in_body = (parent.kind == CursorKind.IF_STMT or parent.kind in LOOPS) and \
            self.data[cursor.extent.end.offset :].lstrip().startswith(b";")
        if not in_block and not in_body:
            return
        dropped = cursor.kind in (CursorKind.BREAK_STMT, CursorKind.CONTINUE_STMT)
        if cursor.kind.is_expression():
            dropped = cursor.kind in (CursorKind.CALL_EXPR, CursorKind.UNARY_OPERATOR,
                                      CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)
            if cursor.kind == CursorKind.BINARY_OPERATOR:
                dropped = cursor.binary_operator in ASSIGNMENTS
            elif cursor.kind == CursorKind.UNEXPOSED_EXPR:
                dropped = True
        semicolon = self.data.find(b";", cursor.extent.end.offset)
        if dropped and not self.data[cursor.extent.end.offset : semicolon].strip():
            self.add(cursor, "left out", "", semicolon + 1)


def render(text, mutations):
    """`text` with the mutations, and the range of each in what is returned."""
    data = text.encode()
    ordered = sorted(mutations, key=lambda m: (m.start, -m.end, m.wrong != ""))
    out, ranges = bytearray(), {}

    def group(index, end):
        """The mutations of the outermost range at `index`, and the index behind all inside."""
        first = ordered[index]
        own = [m for m in ordered[index:] if (m.start, m.end) == (first.start, first.end)]
        after = index + len(own)
        inside = after
        while after < len(ordered) and ordered[after].start < first.end:
            after += 1
        return own, inside, after

    def write(start, end, index, stop):
        while index < stop:
            own, inside, after = group(index, end)
            out.extend(data[start : own[0].start])
            begins = len(out)
            dropped = [m for m in own if not m.wrong]
            for m in dropped:
                out.extend(f"{{ if (!SHARD_MUTANT({m.number})) {{ ".encode())
            expressions = [m for m in own if m.wrong]
            for m in expressions:
                if m.wrong == "!":
                    out.extend(f"(SHARD_MUTANT({m.number}) != static_cast<bool>(".encode())
                else:
                    wrong = " ".join(line.strip() for line in m.wrong.splitlines())
                    out.extend(f"(SHARD_MUTANT({m.number}) ? ({wrong}) : (".encode())
            write(own[0].start, own[0].end, inside, after)
            out.extend(b"))" * len(expressions) + b" } }" * len(dropped))
            for m in own:
                ranges[m.number] = (begins, len(out))
            start, index = own[0].end, after
        out.extend(data[start:end])

    write(0, len(data), 0, len(ordered))
    return out.decode(), ranges


def without_crossing(mutations):
    """Those that lie inside each other or apart: macros may expand to others."""
    kept, open_ends = [], []
    for m in sorted(mutations, key=lambda m: (m.start, -m.end)):
        while open_ends and open_ends[-1] <= m.start:
            open_ends.pop()
        if open_ends and m.end > open_ends[-1]:
            continue
        # Lines of comments or of the preprocessor cannot be joined.
        if "//" in m.wrong or "#" in m.wrong:
            continue
        kept.append(m)
        open_ends.append(m.end)
    return kept


def candidates(path, arguments):
    """The mutations of the source at `path`. Some of them may not compile."""
    text = open(path, encoding="utf-8").read()
    unit = ci.Index.create().parse(path, arguments)
    finder = Finder(path, text)
    finder.find(unit.cursor)
    return list({(m.start, m.end, m.wrong): m
                 for m in without_crossing(finder.found)}.values())


def compiling(path, arguments, header, mutations):
    """Those of `mutations` that compile together."""
    text = open(path, encoding="utf-8").read()
    # A changed bound of an array would be an extension of clang's.
    arguments = [*arguments, "-Werror=vla-cxx-extension"]
    index = ci.Index.create()
    head = f'#include "{header}"\n#line 1 "{path}"\n'
    for _ in range(MOST_ROUNDS):
        for number, m in enumerate(mutations, 1):
            m.number = number
        body, ranges = render(text, mutations)
        unit = index.parse(path, arguments, [(path, head + body)])
        errors = [d for d in unit.diagnostics if d.severity >= ci.Diagnostic.Error]
        if not errors:
            return mutations
        bad = set()
        for error in errors:
            bad |= blamed(error, path, ranges, body.encode(), len(head.encode()))
        mutations = [m for m in mutations if m.number not in bad] if bad else []
    return []


def mutate(path, arguments, header):
    """The mutations of the source at `path` that compile; render() writes them."""
    return compiling(path, arguments, header, candidates(path, arguments))


def blamed(error, path, ranges, data, shift):
    """The innermost mutation at the first place of the error inside this source; else those
    of its line; else those near it."""
    for place in [error.location, *(child.location for child in error.children)]:
        if place.file is None or place.file.name != path:
            continue
        offset = place.offset - shift
        around = [(end - start, number) for number, (start, end) in ranges.items()
                  if start <= offset < end]
        if around:
            size = min(around)[0]
            return {number for length, number in around if length == size}
        line_start = data.rfind(b"\n", 0, offset) + 1
        line_end = data.find(b"\n", offset) % (len(data) + 1)
        for low, high in ((line_start, line_end), (offset - NEAR, offset + NEAR)):
            near = {number for number, (start, end) in ranges.items() if low <= start <= high}
            if near:
                return near
    return set()
