"""What people found, laid over what the reader of texts made of the same replies."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from horsesense.models.messages import Key
from horsesense.readers.reading import CLASSES, RIGHT, STATUSES
from horsesense.trials.trial import NONE_OPTION

VERDICTS: Mapping[str, int] = {rule: code for code, rule in enumerate(CLASSES)}
"""Class of a reply to a free question -> its code in a cell."""
_REVIEWED_STATUS: Mapping[str, int] = {
    **dict.fromkeys(RIGHT, STATUSES.index("none")),
    "incorrect_option": STATUSES.index("answer"),
    "new_wrong": STATUSES.index("illegal"),
}


def with_reviews(
    found: pl.DataFrame, trials: pl.LazyFrame, reviewed: Mapping[Key, str]
) -> pl.DataFrame:
    """Readings with those of replies to free questions as people reviewed them.

    `found` has columns trial, variant, reader, verdict, correct, option and status, of which the
    last four are replaced where the reader of texts is concerned.
    """
    said = pl.DataFrame(
        {"key": list(reviewed), "said": list(reviewed.values())},
        schema={"key": pl.Binary, "said": pl.String},
    )
    free = trials.filter(answer_format="free").select("trial", "variant", "key")
    frame = found.join(
        free.join(said.lazy(), on="key").drop("key").collect(), on=["trial", "variant"], how="left"
    )
    judged = pl.col("said").is_not_null() & (pl.col("reader").cast(pl.String) == "text")
    right = pl.col("said").is_in(list(RIGHT))
    wrong_option = pl.col("said") == "incorrect_option"

    def either(reviewed: pl.Expr, name: str) -> pl.Expr:
        return pl.when(judged).then(reviewed).otherwise(pl.col(name)).alias(name)

    codes = pl.col("said").replace_strict(VERDICTS, default=-1, return_dtype=pl.Int8)
    status = pl.col("said").replace_strict(_REVIEWED_STATUS, default=None, return_dtype=pl.Int8)
    option = pl.when(right).then(pl.lit(NONE_OPTION, pl.Int16))
    return frame.with_columns(
        either(codes, "verdict"),
        either(right, "correct"),
        either(option.otherwise(pl.when(wrong_option).then(pl.col("option"))), "option"),
        either(status.fill_null(pl.col("status")), "status"),
    ).drop("said")
