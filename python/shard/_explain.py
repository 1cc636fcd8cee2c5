# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The explanation of a partition as text."""

import json
from typing import Any


def explanation_text(raw: dict[str, Any], about: str) -> str:
    """What `raw`, the explanation of the C API, says about `about`; all if that is empty.

    Raises KeyError if it says nothing about it.
    """
    lines: list[str] = []
    for value in raw["values"]:
        if not _concerns(about, value["value"], value["place"], value["reasons"]):
            continue
        lines.append(f"{value['value']} at {value['place']}: {value['sharding']}")
        for reason in value["reasons"]:
            lines.append(
                f"    axis {reason['axis']} in dimension {reason['dimension']}: {_way(reason)}"
            )
    for entry in raw["reshards"]:
        if not _concerns(about, entry["value"], entry["place"], [entry["user"], entry["verdict"]]):
            continue
        # An op that exchanges something itself takes its operand as it is.
        change = "" if entry["from"] == entry["to"] else f" -> {entry['to']}"
        lines.append(
            f"{entry['value']} for {entry['user']} at {entry['place']}: {entry['from']}{change}"
        )
        for side, word in (("has", "it has"), ("wants", "wanted is")):
            for reason in entry[side]:
                of = f" of {reason['of']}" if reason["of"] else ""
                lines.append(
                    f"    {word} axis {reason['axis']} in dimension "
                    f"{reason['dimension']}{of}: {_way(reason)}"
                )
        if entry["verdict"]:
            lines.append(f"    decided: {entry['verdict']}")
        lines.append(f"    so: {entry['steps']}")
        for choice in entry["instead"]:
            lines.append(
                f"    instead, {choice['how']}: {choice['bytes']} bytes for the op, "
                f"not {entry['bytes_of_op']}"
            )
    if about and not lines:
        raise KeyError(f"nothing that is split or resharded is called {about!r}")
    return "\n".join(lines)


def _way(reason: dict[str, Any]) -> str:
    through = "".join(f"through {op}, " for op in reason["through"])
    return f"{through}from {reason['hint']}"


def _concerns(about: str, value: str, place: str, others: object) -> bool:
    return (
        not about
        or value == about
        or about in place
        or (not about.startswith("%") and about in json.dumps(others))
    )
