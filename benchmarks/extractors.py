r"""Replies that threads of evaluation harnesses report as misread, by each program's own extractor.

    python benchmarks/extractors.py ENVIRONMENTS

ENVIRONMENTS is a folder of virtual environments, each named after the package installed in it (the
keys of `EXTRACTORS`). Each extractor is the program's own code, called in its environment. Replies
are written anew in the form that the thread reports; `means` is what is stated, "" for no option.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import distribution, version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import NamedTuple

FOUR = ("iron", "water", "granite", "helium")
TEN = (*FOUR, "copper", "quartz", "neon", "ice", "mercury", "basalt")
LETTERS = "ABCDEFGHIJ"
COT = "(A) iron melts late, and (C) granite is a rock. "


class Case(NamedTuple):
    thread: str
    reply: str
    means: str
    options: Sequence[str] = FOUR


CASES = (
    Case("inspect_ai#5145", "ANSWER: $B$", "B"),
    Case("inspect_ai#5145", "ANSWER: **B**", "B"),
    Case("inspect_ai#5145", "ANSWER: (B)", "B"),
    Case("inspect_ai#721", "Of A, B, C and D only one flows.\n\n**ANSWER: B**", "B"),
    Case("inspect_ai#2216", "ANSWER: None of the above", ""),
    Case("inspect_ai#2216", "ANSWER: Don't know", ""),
    Case("inspect_ai#2216", "ANSWER: I don't know", "", TEN),
    Case("inspect_ai#3910", "ANSWER: b", "B"),
    Case("inspect_ai#3910", "Answer: this is about liquids, so rocks are out.\nANSWER: B", "B"),
    Case("simple-evals#33", "Antwort:\n\nAntwort: C", "C"),
    Case("lm-evaluation-harness#4187", "B. water", "B"),
    Case("lm-evaluation-harness#4188", "b", "B"),
    Case("lm-evaluation-harness#4188", "The answer is B because a stone sinks.", "B"),
    Case("lm-evaluation-harness#4188", "I would take B, a safe guess.", "B"),
    Case("lm-evaluation-harness#2279", "water", "B"),
    Case("lm-evaluation-harness#2237", f"{COT}(B) water flows. The answer is (B).", "B"),
    Case("lm-evaluation-harness#3404", f"{COT}\nAnswer: (B)", "B"),
    Case("Ollama-MMLU-Pro#6", "Rocks do not flow. answer: (B)", "B", TEN),
    Case("omlx#3668", "The answer is B. Note that many would take A.", "B"),
    Case("omlx#3668", "ANSWER IS D. A is wrong.", "D"),
    Case("omlx#3668", "The answer is C because I weighed all ten.", "C", TEN),
    Case("NeMo-Skills#1511", r"So \boxed{\langle H\rangle \ll \Delta E} holds." "\n\n**Answer: D**",
         "D", TEN),
    Case("NeMo-Gym#1790", r"\boxed{\text{E}}", "E", TEN),
    Case("NeMo-Gym#1790", r"Hence \boxed{\text{C: granite}}", "C"),
    Case("lighteval#998", r"It flows, so \boxed{B}", "B"),
    Case("lighteval#829", "A guess would not help: the question does not say how warm it is.", ""),
    Case("opencompass#2600", "A和B都会流动，只有选项C是对的。", "C"),
    Case("opencompass#1933", "Answer: Let's think step by step. It flows. The answer is (B).",
         "B", TEN),
    Case("opencompass#1462", f"Let's think step by step. {COT}The answer is (B).", "B", TEN),
    Case("openbench#348", "Answer seems to be B.\n\nAnswer: B", "B"),
    Case("frontier-evals#125", "Answer: A\nI have to correct this: iron is solid.\nAnswer: B", "B"),
    Case("evals#1767", "ANSWER: A, no, wait. ANSWER: B", "B"),
    Case("VLMEvalKit#1591", "Water flows.\n\nAnswer: $B", "B"),
    Case("AssetOpsBench#475", "Both iron and granite are solid at that warmth.\n\nB", "B"),
    Case("tpu-inference#3518", "<think>Is the answer A? No.</think>\nAnswer: B", "B"),
    Case("tpu-inference#3518", "Deciding this needs the pressure, which is not given.", ""),
    Case("azureml-assets#5274", "**ANSWER:** B", "B"),
    Case("azureml-assets#5274", "***ANSWER***: ***B***", "B"),
    Case("helm#4323", "That leaves one liquid. [answer: B]", "B"),
    Case("lm-evaluation-harness#2013", "So the answer is (B). ", "B"),
    Case("lm-evaluation-harness#2905", "So the answer is (B).", "B"),
    Case("lm-evaluation-harness#3842", "정답: C", "C"),
    Case("lm-evaluation-harness#3879", "Conclusion: (B). Ruled out: (A), (C), (D).", "B"),
)  # fmt: skip
Extract = Callable[[str, int], str]
"""Makes the letter that is taken, "" for none, of a reply to so many options."""


def inspect_ai() -> tuple[str, Extract]:
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import TaskState
    from inspect_ai.solver._multiple_choice import parse_answers

    def extract(reply: str, n: int) -> str:
        output = ModelOutput.from_content("m", reply)
        state = TaskState("m", "1", 1, "", [], choices=list(TEN[:n]), output=output)
        return "".join(sorted(parse_answers(state, False)))

    return f"Inspect {version('inspect-ai')}: multiple_choice", extract


def lm_eval(task: str, name: str, right: str = "{}") -> tuple[str, Extract]:
    import lm_eval.tasks
    from lm_eval.api.instance import Instance
    from lm_eval.api.metrics import exact_match_fn
    from lm_eval.filters import build_filter_ensemble
    from lm_eval.tasks._yaml_loader import load_yaml

    folder = Path(lm_eval.tasks.__file__).parent
    config = load_yaml(folder / task, resolve_func=False)
    [steps] = [f["filter"] for f in config["filter_list"] if f["name"] == name]
    parts = [(s["function"], {k: v for k, v in s.items() if k != "function"}) for s in steps]
    [how] = config["metric_list"]
    rules = {k: v for k, v in how.items() if k.startswith(("ignore", "regexes"))}

    def extract(reply: str, n: int) -> str:
        asked = Instance("generate_until", {"choices": list(TEN[:n])}, ("", {}), 0, resps=[reply])
        build_filter_ensemble(name, parts).apply([asked])
        said = asked.filtered_resps[name]
        for letter in LETTERS[:n]:
            given = {"predictions": [said], "references": [right.format(letter)]}
            if exact_match_fn(**given, **rules)["exact_match"]:
                return letter
        return ""

    return f"lm-eval {version('lm-eval')}: {Path(task).parts[0]} {name}", extract


def lighteval() -> tuple[str, Extract]:
    from lighteval.metrics.metrics import Metrics
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    metric = Metrics.gpqa_instruct_metric.value.sample_level_fn

    def extract(reply: str, n: int) -> str:
        for place in range(n):
            asked = Doc(query="", choices=list(LETTERS[:n]), gold_index=place)
            if metric.compute(doc=asked, model_response=ModelResponse(text=[reply])):
                return LETTERS[place]
        return ""

    return f"lighteval {version('lighteval')}: gpqa_instruct", extract


def simple_evals() -> tuple[str, Extract]:
    import re

    from simple_evals import common

    def extract(reply: str, n: int) -> str:
        text = common.normalize_response(reply)
        for words in common.MULTILINGUAL_ANSWER_REGEXES:
            found = re.search(common.MULTILINGUAL_ANSWER_PATTERN_TEMPLATE.format(words), text)
            if found:
                return str(common.normalize_extracted_answer(found[1])).strip()
        return ""

    return f"simple-evals (NVIDIA's {version('nvidia-simple-evals')}): MMLU's patterns", extract


def openbench() -> tuple[str, Extract]:
    from openbench.scorers.mcq import extract_mcq_answer

    return (
        f"openbench {version('openbench')}: mcq",
        lambda reply, n: extract_mcq_answer(reply) or "",
    )


def evalscope() -> tuple[str, Extract]:
    from evalscope.utils.multi_choices import parse_answers

    def extract(reply: str, n: int) -> str:
        state = SimpleNamespace(choices=TEN[:n], output=SimpleNamespace(completion=reply))
        return "".join(sorted(parse_answers(state)))

    return f"evalscope {version('evalscope')}: multi_choices", extract


def opencompass(name: str) -> tuple[str, Extract]:
    from opencompass.utils import text_postprocessors

    found = getattr(text_postprocessors, name)

    def extract(reply: str, n: int) -> str:
        return str(found(reply, LETTERS[:n]))

    return f"OpenCompass {version('opencompass')}: {name}", extract


def helm() -> tuple[str, Extract]:
    from helm.benchmark.metrics.gpqa_chain_of_thought_metric import extract_answer

    return f"HELM {version('crfm-helm')}: GPQA", lambda reply, n: extract_answer(reply) or ""


def vlmeval() -> tuple[str, Extract]:
    site = Path(str(distribution("ms-vlmeval").locate_file("")))
    for name in ("vlmeval", "vlmeval.smp", "vlmeval.utils"):  # which import all that they have
        sys.modules[name] = package = ModuleType(name)
        package.__path__ = [str(site / name.replace(".", "/"))]
    from vlmeval.utils.matching_util import can_infer

    def extract(reply: str, n: int) -> str:
        found = can_infer(reply, dict(zip(LETTERS, TEN[:n], strict=False)))
        return "" if found in (False, "Z") else str(found)  # Z: it says that it cannot answer

    return f"VLMEvalKit (ModelScope's {version('ms-vlmeval')}): can_infer", extract


EXTRACTORS: Mapping[str, Sequence[Callable[[], tuple[str, Extract]]]] = {
    "inspect-ai": (inspect_ai,),
    "lm-eval": (
        partial(lm_eval, "mmlu/generative/_default_template_yaml", "get_response"),
        partial(lm_eval, "mmlu_pro/_default_template_yaml", "custom-extract"),
        partial(lm_eval, "gpqa/cot_zeroshot/_gpqa_cot_zeroshot_yaml", "flexible-extract", "({})"),
    ),
    "lighteval": (lighteval,),
    "nvidia-simple-evals": (simple_evals,),
    "openbench": (openbench,),
    "evalscope": (evalscope,),
    "opencompass": (
        partial(opencompass, "first_option_postprocess"),
        partial(opencompass, "last_option_postprocess"),
    ),
    "crfm-helm": (helm,),
    "ms-vlmeval": (vlmeval,),
}


def here(package: str) -> dict[str, list[str]]:
    """What the extractors of a package, which this interpreter has, make of the cases."""
    made = [make() for make in EXTRACTORS[package]]
    return {
        name: [extract(case.reply, len(case.options)) for case in CASES] for name, extract in made
    }


def ours() -> dict[str, list[str]]:
    from horsesense.readers.text import TextReader
    from horsesense.version import __version__

    def letter(case: Case) -> str:
        found = TextReader().read(case.reply, case.options, LETTERS[: len(case.options)])
        return "".join(LETTERS[place] for place in found.positions)

    return {f"horsesense {__version__}": [letter(case) for case in CASES]}


def elsewhere(folder: Path) -> dict[str, list[str]]:
    """The same of every package that has an environment in a folder."""
    found: dict[str, list[str]] = {}
    for package in EXTRACTORS:
        python = folder / package / "bin/python"
        if not python.exists():
            print(f"{package}: not run, {folder / package} is no environment", file=sys.stderr)
            continue
        run = [str(python), __file__, "--here", package]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{package}: {done.stderr[-500:]}")
        found |= json.loads(done.stdout.splitlines()[-1])
    return found


def table(found: Mapping[str, Sequence[str]]) -> str:
    """A row a reply, a column an extractor; what is not what the reply means stands bold."""
    lines = [
        f"|thread|reply|means|{'|'.join(str(n) for n in range(1, len(found) + 1))}|",
        f"|---|---|---|{'---|' * len(found)}",
    ]
    for place, case in enumerate(CASES):
        said = [answers[place] for answers in found.values()]
        cells = [(t or "–") if t == case.means else f"**{t or '–'}**" for t in said]
        text = case.reply.replace("\n", "⏎")
        lines.append(f"|{case.thread}|`{text}`|{case.means or '–'}|{'|'.join(cells)}|")
    return "\n".join(lines)


def counts(answers: Sequence[str]) -> str:
    right = sum(a == case.means for a, case in zip(answers, CASES, strict=True))
    wrong = sum(bool(a) and a != case.means for a, case in zip(answers, CASES, strict=True))
    return f"{right}|{wrong}|{len(CASES) - right - wrong}"


def main() -> None:
    if sys.argv[1] == "--here":
        with redirect_stdout(sys.stderr):
            found = here(sys.argv[2])
        print(json.dumps(found))
        return
    found = ours() | elsewhere(Path(sys.argv[1]))
    threads = len({case.thread for case in CASES})
    print(
        f"- {len(CASES)} replies in forms that {threads} threads report. They were gathered because"
        " a program misread them: no count here is an error rate of a program.\n"
        "- Programs ask in words of their own; under their prompt some of these forms are rare.\n"
        "- The text reader was developed with such forms in sight.\n"
        "- Inspect scores the choices of inspect_evals too. NeMo-Skills and omlx publish no"
        " package and were not run. NeMo-Skills#1526 mends #1511.\n"
        "- Searched for and not found: inspect_evals#2457, #2097 and #1362,"
        " lm-evaluation-harness#3675, NeMo-Skills#1281, lighteval#1047 and #869.\n\n"
        "||extractor|right|another letter|nothing read|\n|---|---|---|---|---|"
    )
    for number, (name, answers) in enumerate(found.items(), 1):
        print(f"|{number}|{name}|{counts(answers)}|")
    print(
        "\nBold: not what the reply means; a small b counts as another letter than B. –: no option."
        " ⏎: a new line.\n"
    )
    print(table(found))


if __name__ == "__main__":
    main()
