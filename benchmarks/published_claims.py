"""Turn tables of published results into claims for `horsesense check-paper`.

    python benchmarks/published_claims.py PUBLISHED.yaml > claims.yaml
    horsesense check-paper claims.yaml

PUBLISHED.yaml holds the tables of four papers, as numbers; how many decimals were printed is
known per table and put back here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Claim = dict[str, Any]
CS_VALUES = ("1.00", "0.75", "0.50", "0.25")
RUNS = 3
ORDERS = 4


def printed(value: float, decimals: int = 2) -> str:
    return f"{value:.{decimals}f}"


def know_no(data: dict[str, Any]) -> Iterator[Claim]:
    """Table 3 (three runs of 1,000 items; EquInfer one or three of 1,049) and table 4."""
    sizes = {"MC-Test": [1000 * RUNS], "Bank-77": [1000 * RUNS], "EquInfer": [1049, 1049 * RUNS]}
    for name, table in data["table3"].items():
        for place, model in enumerate(data["models"][: len(table["w_gold"])]):
            cell = {row: printed(values[place]) for row, values in table.items()}
            where = f"know_no/table3/{name}"
            for row in ("w_gold", "hint_as_option", "hint_in_instruction", "no_hint"):
                n = sizes[name] if model != "Human" else [100, 100 * RUNS]
                yield share(f"{where}/{row}/{model}", cell[row], n)
            hints = [cell[row] for row in ("hint_as_option", "hint_in_instruction", "no_hint")]
            yield mean(f"{where}/E_wo/{model}", hints, cell["E_wo"])
            yield mean(f"{where}/omni/{model}", [cell["w_gold"], cell["E_wo"]], cell["omni"])
            exact = {"weights": ["3", "1", "1", "1"]}
            parts = [cell["w_gold"], *hints]
            yield mean(f"{where}/omni-from-parts/{model}", parts, cell["omni"], **exact)
    table4 = data["table4_gold_plus_none"]
    for name in ("MC-Test", "EquInfer"):
        for model, value in zip(table4["models"], table4[name]["plus_none"], strict=True):
            yield share(f"know_no/table4/{name}/plus_none/{model}", printed(value), 250)


def revas(data: dict[str, Any]) -> Iterator[Claim]:
    """Appendix A, and tables 2, 3 and 8."""
    sizes = {column: data["data"]["MMLU" if "MMLU" in column else "MedMCQA"]
             for column in data["columns"]}  # fmt: skip
    for row, measures in data["appendix_A"].items():
        for place, column in enumerate(data["columns"]):
            n, where = sizes[column], f"revas/appendix_A/{row}"
            value = {m: printed(v[place]) for m, v in measures.items() if v is not None}
            yield share(f"{where}/Acc/{column}", value["Acc"], n)
            yield share(f"{where}/CS/{column}", value["CS"], n * ORDERS)
            if "AccH" in value:
                yield share(f"{where}/AccH/{column}", value["AccH"], n)
                yield {
                    "id": f"{where}/bounds/{column}", "kind": "bounds", "acc": value["Acc"],
                    "acch": value["AccH"], "cs": value["CS"], "orders": ORDERS,
                }  # fmt: skip
    yield from agreement_table(data, sizes)
    yield from changes(data, sizes)


def agreement_table(data: dict[str, Any], sizes: dict[str, int]) -> Iterator[Claim]:
    """Table 2: shares of items by agreement, their sum, and the mean that they imply."""
    table = data["table2_cs_distribution"]
    for place, column in enumerate(data["columns"]):
        shares = [printed(table[cs][column][0]) for cs in CS_VALUES]
        for cs, text in zip(CS_VALUES, shares, strict=True):
            yield share(f"revas/table2/share/{cs}/{column}", text, sizes[column])
        yield {"id": f"revas/table2/sum/{column}", "kind": "sum", "parts": shares,
               "equals": "100.00"}  # fmt: skip
        agreement = printed(data["appendix_A"]["orig_0shot"]["CS"][place])
        parts = ["100.0000", "75.0000", "50.0000", "25.0000"]
        yield mean(f"revas/table2/mean/{column}", parts, agreement, weights=shares)


def changes(data: dict[str, Any], sizes: dict[str, int]) -> Iterator[Claim]:
    """Tables 3 and 8: values, and printed changes against the original."""
    for row, table in data["table3_none_of_the_above"].items():
        measure, shots = row.split("_")
        original = data["appendix_A"][f"orig_{shots}"][measure]
        for place, column in enumerate(data["columns"]):
            where = f"revas/table3/{row}/{column}"
            value = printed(table["v"][place])
            yield share(f"{where}/value", value, sizes[column])
            yield difference(where, value, printed(original[place]), printed(table["d"][place]))
    table8 = data["table8_training"]
    for run in ("Pos+SFT", "Pos+Neg+SFT"):
        for test in ("mcqa", "tf"):
            numbers = (table8[run][test], table8["SFT"][test], table8[run][f"d_{test}"])
            yield difference(f"revas/table8/{run}/{test}", *map(printed, numbers))


def multi_problem(data: dict[str, Any]) -> Iterator[Claim]:
    """Row and column means of tables 2, 4, 6, 7 and 8 (printed with one decimal).

    The overall row averages the seven models; in tables 2 and 6 each with its number of cells.
    """
    models = list(data["table2_scacc"])[:-1]
    cells = ["29" if model == "Vicuna" else "30" for model in models]
    for place, threshold in enumerate((90, 80, 75)):
        yield column(
            f"multi/table2/{threshold}", data["table2_scacc"], models, place, weights=cells
        )
    for place in range(5):
        yield column(f"multi/table4/{place}", data["table4_cot_size10"], models, place)
    for task, table in data["table6_prompt_versions"].items():
        for place, version in enumerate(("final", "early")):
            yield column(f"multi/table6/{task}/{version}", table, models, place, weights=cells)
    table7 = data["table7_size10"]
    for task, name in enumerate(("SelectOne", "SelectOne_CoT", "SelectAll", "SelectAll_CoT",
                                 "BatchClf")):  # fmt: skip
        rows = {model: table7[model][name] for model in table7}
        for place in range(6):
            yield column(f"multi/table7/{name}/{place}", rows, models, place)
        for model, values in rows.items():
            average = printed(data["table4_cot_size10"][model][task], 1)
            parts = [printed(value, 1) for value in values]
            yield mean(f"multi/table7/{name}/{model}/row", parts, average)
    for version in ("zero", "two"):
        rows = {model: row[version] for model, row in data["table8_cola_2shot_size5"].items()}
        for place in range(4):
            yield column(f"multi/table8/{version}/{place}", rows, models, place)


def column(
    where: str, table: dict[str, list[float]], models: list[str], place: int, **extra: Any
) -> Claim:
    """The overall value of one column as the mean over the models."""
    parts = [printed(table[model][place], 1) for model in models]
    return mean(where, parts, printed(table["Overall"][place], 1), **extra)


def look_at_text(data: dict[str, Any]) -> Iterator[Claim]:
    """Averages of table 3 (three decimals), totals of table 9."""
    for training in ("ID_MMLU", "OOD_OpinionQA"):
        for model, row in data["table3_classifier"][training].items():
            for place, name in enumerate(("accuracy", "f1")):
                parts = [printed(value, 3) for value in row["v"][place::2]]
                where = f"look/table3/{training}/{model}/{name}"
                yield mean(where, parts, printed(row["avg"][place], 3))
    for model, parts in data["table9_annotation"].items():
        if model == "totals":
            continue
        counts = [str(count) for kind in parts.values() for count in kind.values()]
        total = str(data["table9_annotation"]["totals"][model])
        yield {"id": f"look/table9/{model}", "kind": "sum", "parts": counts, "equals": total}


def share(where: str, value: str, n: int | list[int]) -> Claim:
    return {"id": where, "kind": "proportion", "value": value, "n": n}


def mean(where: str, parts: list[str], reported: str, **extra: Any) -> Claim:
    return {"id": where, "kind": "mean", "parts": parts, "reported": reported, **extra}


def difference(where: str, a: str, b: str, reported: str) -> Claim:
    return {"id": where, "kind": "difference", "a": a, "b": b, "reported": reported}


def claims(published: dict[str, Any]) -> list[Claim]:
    """All claims that can be made from the tables."""
    return [
        *know_no(published["know_no"]),
        *revas(published["revas"]),
        *multi_problem(published["multi_problem"]),
        *look_at_text(published["look_at_text"]),
    ]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    published = yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8"))
    yaml.safe_dump({"claims": claims(published)}, sys.stdout, sort_keys=False, width=200)


if __name__ == "__main__":
    main()
