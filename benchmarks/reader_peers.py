"""Answers as another package reads them; runs inside that package's own environment.

    python reader_peers.py PACKAGE < answers.jsonl > readings.json

Prints the package's version and, for each of its ways of reading, one letter (or "") an answer.
Nothing of the packages is written anew here: each letter comes from their own code.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

Rows = list[dict[str, Any]]

# Tuned by hand to the annotated files: a letter after "answer is", "option" or at the start.
TUNED = (
    r"(?:[Aa]nswer(?: to (?:the|this) question)?(?: is|:)[:\s]*(?:option )?|[Oo]ption |^\s*)"
    r"\(?([A-Z])(?=[).:,\s]|$)"
)


def lm_eval(rows: Rows) -> dict[str, list[str]]:
    from lm_eval.filters.extraction import MultiChoiceRegexFilter

    def read(**settings: Any) -> list[str]:
        chosen = MultiChoiceRegexFilter(**settings)
        docs = [{"choices": list(row["options"])} for row in rows]
        found = chosen.apply([[row["response"]] for row in rows], docs)
        return [letters[0].strip("()") for letters in found]

    common = {"ignore_case": True, "ignore_punctuation": True}
    return {
        "multi_choice_regex, defaults": read(),
        "multi_choice_regex, (X) as in its tasks": read(regex_pattern=r"(\([A-Z]\))", **common),
        "multi_choice_regex, tuned": read(regex_pattern=TUNED, **common),
    }


def opencompass(rows: Rows) -> dict[str, list[str]]:
    from opencompass.utils.text_postprocessors import first_option_postprocess

    return {
        "first_option_postprocess": [
            first_option_postprocess(row["response"], "".join(row["letters"])) for row in rows
        ]
    }


def inspect_ai(rows: Rows) -> dict[str, list[str]]:
    from inspect_ai.model import ModelName, ModelOutput
    from inspect_ai.solver import TaskState
    from inspect_ai.solver._multiple_choice import parse_answers

    def read(row: dict[str, Any]) -> str:
        state = TaskState(
            model=ModelName("mockllm/model"),
            sample_id=1,
            epoch=1,
            input="",
            messages=[],
            choices=list(row["options"]),
            output=ModelOutput.from_content("mockllm/model", row["response"]),
        )
        return "".join(sorted(parse_answers(state, multiple_correct=False)))

    return {"parse_answers": [read(row) for row in rows]}


PACKAGES: dict[str, Callable[[Rows], dict[str, list[str]]]] = {
    "lm-eval": lm_eval,
    "opencompass": opencompass,
    "inspect-ai": inspect_ai,
}


if __name__ == "__main__":
    package = sys.argv[1]
    rows = [json.loads(line) for line in sys.stdin]
    found = PACKAGES[package](rows)
    print(json.dumps({"version": version(package), "found": found}))
