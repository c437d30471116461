"""The measures, by name. A new measure is one short file and one line here."""

from __future__ import annotations

from horsesense.measures.accuracy import Accuracy, AccuracyHard, AccuracyValid
from horsesense.measures.agreement import (
    AnswerDisagreement,
    AnswerEntropy,
    EntropyBits,
    EntropyCorrected,
    EntropyNormalised,
    PluralityAgreement,
)
from horsesense.measures.base import Measure
from horsesense.measures.by_subject import NoneBySubject, RefusalBySubject, RstdBySubject
from horsesense.measures.calibration import Brier, CalibrationError, ConfidenceAuroc
from horsesense.measures.composition import CompositionQuestionless, ScoreComposition
from horsesense.measures.contrast import (
    AccuracyChange,
    AnswerChangeRate,
    ChangeBeyondRepeat,
    SwitchBeyondRepeat,
    ValidChange,
)
from horsesense.measures.know_no import (
    AccuracyBesideNone,
    AccuracyWithoutGold,
    AccuracyWithoutGoldByName,
    AccuracyWithoutGoldLenient,
    FalseNoneRate,
    GoldDetection,
    GoldDetectionBalanced,
    LeakRate,
    OmniAccuracy,
    OmniAccuracyLenient,
    ResponseClassShare,
    WithoutGoldNotWrong,
)
from horsesense.measures.option_text import LetterDifference
from horsesense.measures.per_problem import (
    AccuracyByPosition,
    LabelPrecision,
    LabelRecall,
    PerProblemAccuracy,
    PerProblemErrors,
    PerProblemLenient,
    PerProblemRepaired,
)
from horsesense.measures.per_prompt import ExtraLabels, LengthError, OutOfRange, UnreadReplies
from horsesense.measures.positions import PositionLocked, PositionPreference, Recall, Rstd
from horsesense.measures.score_variance import ScoreVariance
from horsesense.measures.second_look import (
    MultiExact,
    MultiPrecision,
    MultiRate,
    RecallGold,
    RecallMisleading,
    RecoveryRate,
)
from horsesense.measures.strata import AgreementShare, StratumAccuracy, StratumPlurality
from horsesense.measures.task_contrast import (
    SingleChange,
    SingleShare,
    TaskDifference,
    TaskDifferenceByItem,
)
from horsesense.measures.true_false import (
    OptionAuroc,
    OptionConfidence,
    OptionConfidenceRelative,
    TrueFalseAccuracy,
    TrueFalseBalanced,
    TrueFalseConsistency,
    TrueFalseNotWrong,
)
from horsesense.measures.validity import (
    MismatchKappa,
    MismatchRate,
    MismatchValid,
    ScoreGain,
    StatusShare,
    ValidRate,
)
from horsesense.measures.votes import AnswerFloating, AnswerFlow, VoteTieRate
from horsesense.plugins import Registry


def _accepted(found: object) -> Measure:
    if not (isinstance(found, type) and issubclass(found, Measure)):
        raise TypeError("it is not a class derived from Measure")
    return found()


MEASURES: Registry[Measure] = Registry(
    "measure",
    group="horsesense.measures",
    accept=_accepted,
    declares=("name", "title", "summary"),
)
for _measure in (
    Accuracy(),
    AccuracyValid(),
    AccuracyHard(),
    ScoreVariance(),
    PluralityAgreement(),
    AnswerEntropy(),
    EntropyBits(),
    EntropyNormalised(),
    EntropyCorrected(),
    AnswerDisagreement(),
    AgreementShare(),
    StratumAccuracy(),
    StratumPlurality(),
    Rstd(),
    Recall(),
    PositionPreference(),
    PositionLocked(),
    ValidRate(),
    StatusShare(),
    MismatchRate(),
    MismatchValid(),
    MismatchKappa(),
    ScoreGain(),
    LetterDifference(),
    Brier(),
    CalibrationError(),
    ConfidenceAuroc(),
    RefusalBySubject(),
    NoneBySubject(),
    RstdBySubject(),
    VoteTieRate(),
    AnswerFloating(),
    AnswerFlow(),
    AccuracyChange(),
    AnswerChangeRate(),
    ChangeBeyondRepeat(),
    SwitchBeyondRepeat(),
    ValidChange(),
    ScoreComposition(),
    CompositionQuestionless(),
    OmniAccuracy(),
    OmniAccuracyLenient(),
    AccuracyWithoutGold(),
    AccuracyWithoutGoldLenient(),
    AccuracyWithoutGoldByName(),
    WithoutGoldNotWrong(),
    ResponseClassShare(),
    AccuracyBesideNone(),
    FalseNoneRate(),
    GoldDetection(),
    GoldDetectionBalanced(),
    LeakRate(),
    TrueFalseConsistency(),
    TrueFalseNotWrong(),
    TrueFalseBalanced(),
    TrueFalseAccuracy(),
    OptionConfidence(),
    OptionConfidenceRelative(),
    OptionAuroc(),
    MultiRate(),
    MultiExact(),
    MultiPrecision(),
    RecallGold(),
    RecallMisleading(),
    RecoveryRate(),
    PerProblemAccuracy(),
    PerProblemErrors(),
    PerProblemLenient(),
    PerProblemRepaired(),
    UnreadReplies(),
    LengthError(),
    OutOfRange(),
    ExtraLabels(),
    LabelPrecision(),
    LabelRecall(),
    AccuracyByPosition(),
    SingleChange(),
    TaskDifference(),
    TaskDifferenceByItem(),
    SingleShare(),
):
    MEASURES.add(_measure.name, _measure)
