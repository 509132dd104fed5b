"""The transformers of scikit-learn: vectors by hand, scikit-learn's own checks, and its tools over them."""

import pickle
import re
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks as checks
from sklearn.utils._param_validation import InvalidParameterError

from core.common.config import ModelShape
from core.common.errors import BadInput, CorruptArtifact
from core.elmo import estimators
from core.elmo.estimators import ContextVectorizer, ElmoVectorizer
from core.elmo.model import BiLM
from core.elmo.models import open_model
from core.elmo.weights import save_hdf5

TEXTS = ["We sat on the bank.", "The bank refused the loan.", "The river ran fast.", "He paid the money back."] * 2
LABELS = [0, 1, 0, 1] * 2


@pytest.fixture(scope="module", autouse=True)
def _open_once():
    """Open each model once: a test fits up to ten times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(estimators, "open_model", cache(open_model))
        yield


@pytest.fixture(scope="module")
def layers(model) -> list[np.ndarray]:
    return model.encoder.encode([model.language.tokenize(text) for text in TEXTS[:2]])


@pytest.mark.parametrize(
    ("pooling", "over"), [("mean", lambda v: v.mean(0)), ("max", lambda v: v.max(0)), ("first", lambda v: v[0]), ("last", lambda v: v[-1])]
)
def test_a_text_is_pooled_over_its_tokens_and_becomes_zeros_if_it_has_none(layers, pooling, over):
    vectors = ElmoVectorizer(layer=1, pooling=pooling).fit_transform([*TEXTS[:2], ""])
    assert vectors.dtype == np.float32 and not vectors[2].any()
    np.testing.assert_allclose(vectors[:2], [over(item[1]) for item in layers], atol=1e-5)


@pytest.mark.parametrize(("weights", "scaled"), [(None, [1 / 3] * 3), ([0, 2, -1], [0, 2, -1]), ([1e-50] * 3, [1, 1, 1])])
def test_the_mix_is_of_equal_weights_or_of_those_given_which_are_scaled_if_they_vanish_in_float32(layers, weights, scaled):
    vectors = ElmoVectorizer(weights=weights).fit_transform(TEXTS[:2])
    np.testing.assert_allclose(vectors, [np.tensordot(scaled, item, 1).mean(0) for item in layers], atol=1e-4)


def test_a_word_in_context_is_found_by_its_spelling_a_form_of_it_or_its_position(layers):
    vectors = ContextVectorizer(layer=2).fit_transform(zip(TEXTS[:2], ["bank", 1], strict=True))
    np.testing.assert_allclose(vectors, [layers[0][2, 4], layers[1][2, 1]], atol=1e-5)
    formed = ContextVectorizer(layer=2).fit_transform([("The bank refused the loan.", "banks")])
    np.testing.assert_allclose(formed[0], vectors[1], atol=1e-5)


THREE = ["We sat on the bank.", "The bank lent money.", "A wet bank."]
TABLE = pd.DataFrame({"text": THREE, "word": ["bank"] * 3, "position": [4, 1, 2]}, index=list("abc"))


WORDS, PLACES = TABLE[["text", "word"]], TABLE[["text", "position"]]
TEXT_FORMS = [
    *(TABLE["text"], TABLE[["text"]], TABLE["text"].astype("category"), TABLE["text"].astype("string"), TABLE["text"].to_numpy()),
    *(np.array(THREE), np.array(THREE)[:, None], np.array(THREE, object)),
    *(pa.array(THREE), pa.chunked_array([THREE[:1], THREE[1:]]), pa.table({"text": THREE}), tuple(THREE), (text for text in THREE)),
]
PAIR_FORMS = [
    *(WORDS, WORDS.set_axis(["text", "text"], axis=1), np.array(WORDS, str), WORDS.to_records(index=False)),
    *(PLACES, PLACES.astype({"position": float}), PLACES.to_numpy()),
    *(pa.table({"text": THREE, "position": [4, 1, 2]}), pa.table([THREE, ["bank"] * 3], ["text", "text"])),
    *(list(zip(np.array(THREE), np.array(["bank"] * 3), strict=True)), list(zip(THREE, np.array([4, 1, 2]), strict=True))),
    [[THREE[0], np.int8(4)], (THREE[1], 1.0), np.array([THREE[2], "bank"])],
    zip(THREE, ["bank"] * 3, strict=True),
]


def test_rows_come_in_whatever_pandas_and_numpy_hold_them():
    pairs = list(zip(THREE, [4, 1, 2], strict=True))
    for vectorizer, plain, forms in ((ElmoVectorizer(), THREE, TEXT_FORMS), (ContextVectorizer(), pairs, PAIR_FORMS)):
        expected = vectorizer.fit_transform(plain)
        for number, rows in enumerate(forms):
            np.testing.assert_array_equal(vectorizer.fit_transform(rows), expected, err_msg=f"{type(rows)} {number}")


MISSING = [
    *(None, np.nan, float("nan"), complex("nan"), Decimal("NaN"), Decimal("sNaN")),
    *(pd.NA, pd.NaT, np.timedelta64("NaT"), np.datetime64("NaT"), np.datetime64("NaT", "D"), np.float32("nan")),
]
MASKED = np.ma.array(WORDS.to_numpy(), mask=[[False, False], [True, False], [False, False]])
WRONG_TEXTS = [
    *((rows, "") for rows in ("one text", [1, 2], [], 3, {"a": "text"}, [b"text"])),
    *(
        (pd.Series([THREE[0], missing, THREE[2]], dtype=object), r"Row 2: no text \(1 of 3 rows, counted from 1\)\. Fill or drop .*\.$")
        for missing in MISSING
    ),
    *(
        (rows, r"Row 2: no text \(1 of 3 rows.* Fill or drop")
        for rows in (
            *(pa.array([THREE[0], None, THREE[2]]), pa.table({"text": [THREE[0], None, THREE[2]]})),
            *(MASKED[:, 0], MASKED[:, :1], MASKED[:, 0].astype(str), list(MASKED[:, 0])),
        )
    ),
    *(([THREE[0], value], r"Row 2: not text \(1 of 2 rows") for value in (np.datetime64("2020-01-01"), Decimal(1), 1j)),
    (np.array("one text"), r"Give a list of at least one text\.$"),
    *(([THREE[0], wrong], r"Row 2: not text \(1 of 2 rows") for wrong in (np.timedelta64(1, "s"), 10**400, np.array("text"), ["text"])),
    ([None] * 20 + ["bank"], r"Rows 1, 2, 3, 4, 5, 6, 7, 8 …: no text \(20 of 21 rows"),
    *((TABLE, r"X has 3 columns \(text, word, position\), not 1\."), (np.array([THREE[:2]]), r"X has 2 columns, not 1\.")),
]
WRONG_PAIRS = [
    *((rows, "") for rows in (TEXTS, np.array(TEXTS), [("The bank.", "bank", 1)])),
    (np.array("one text"), r"Give a list of pairs: .*\.$"),
    *(
        ([(THREE[0], "bank"), (THREE[1], wrong)], r"Row 2: not a pair \(1 of 2 rows")
        for wrong in (["bank"], (1,), (1, 2), np.array([1]), np.array("bank"), np.timedelta64(1, "s"), np.timedelta64(1), 10**400)
    ),
    *(
        ([(THREE[0], "bank"), wrong], r"Row 2: not a pair \(1 of 2 rows")
        for wrong in (np.array("x"), np.array([THREE[:2], ["bank"] * 2]), [[THREE[0]], ["bank"]])
    ),
    (pd.DataFrame({"text": THREE, "word": ["bank", ["bank"], "bank"]}), r"Row 2: not a pair \(1 of 3 rows"),
    *(([("The bank.", place)], "") for place in (9, "river", 1.5, True)),
    *(([(missing, "bank"), (THREE[1], "bank"), (missing, "bank")], r"Rows 1, 3: no text \(2 of 3 rows") for missing in MISSING),
    *((pd.DataFrame({"text": THREE, "word": ["bank", "bank", missing]}), r"Row 3: no word or position \(1 of 3") for missing in MISSING),
    (MASKED, r"Row 2: no text \(1 of 3 rows.* Fill or drop"),
    (MASKED[:, ::-1], r"Row 2: no word or position \(1 of 3 rows.* Fill or drop"),
    ([(THREE[0], "bank"), np.ma.masked], r"Row 2: not a pair \(1 of 2 rows"),
    (TABLE[["text"]], r"X has 1 columns \(text\), not 2\."),
]


@pytest.mark.parametrize(
    ("vectorizer", "rows", "said"),
    [(kind(), *case) for kind, cases in ((ElmoVectorizer, WRONG_TEXTS), (ContextVectorizer, WRONG_PAIRS)) for case in cases],
)
def test_unreadable_rows_are_refused_by_number(vectorizer, rows, said):
    with pytest.raises(ValueError, match=f"^{said}") as caught:
        vectorizer.fit_transform(rows)
    assert isinstance(caught.value, BadInput)


EITHER = (ElmoVectorizer, ContextVectorizer)
WRONG_PARAMETERS = [
    *(((ElmoVectorizer,), "batch_texts", n, rf"an int in the range \[1, inf\). Got {n!r} instead") for n in (0, -1, 2.5, "8")),
    ((ElmoVectorizer,), "pooling", "sum", "a str among .*'mean'.*Got 'sum' instead"),
    ((ElmoVectorizer,), "normalize", "yes", "an instance of 'bool'"),
    *((EITHER, "layer", n, f"Got {n} instead") for n in (-1, 1.5)),
    (EITHER, "layer", 7, "There is no layer '7'. Use 0 to 2 or 'mix'."),
    (EITHER, "layer", "top", "There is no layer 'top'"),
    (EITHER, "weights", [1], "Give 3 layer weights, one per layer, not 1"),
    *((EITHER, "weights", weights, "Layer weights must be numbers") for weights in ({1: 0.5, 2: 0.5, 3: 0}, {1, 2, 3})),
    (EITHER, "weights", 5, "an array-like or None. Got 5 instead"),
    *((EITHER, name, value, "an instance of 'str'") for name, value in (("model", 3), ("device", None))),
    (EITHER, "model", "elmo", "Unknown model 'elmo'"),
    (EITHER, "device", "gpu", "Unknown device 'gpu'. Choose: auto, cpu, cuda, mps"),
]


@pytest.mark.parametrize(("kinds", "name", "value", "said"), WRONG_PARAMETERS)
def test_a_wrong_parameter_is_named_with_what_it_may_be(kinds, name, value, said):
    for kind in kinds:
        rows = TABLE["text"] if kind is ElmoVectorizer else TABLE[["text", "word"]]
        with pytest.raises(InvalidParameterError, match=rf"^The '{name}' parameter of {kind.__name__} .*{said}") as caught:
            kind(**{name: value}).fit(rows)
        assert isinstance(caught.value, BadInput)
        fitted = kind().fit(rows)
        with pytest.raises(InvalidParameterError, match=f"'{name}'"):
            fitted.set_params(**{name: value}).transform(rows)


def test_columns_of_a_table_are_transformed_side_by_side_with_their_rows_and_names():
    parts = [("e", ElmoVectorizer(), ["text"]), ("f", ElmoVectorizer(layer=0), "text"), ("c", ContextVectorizer(), ["text", "word"])]
    columns = clone(ColumnTransformer(parts)).set_output(transform="pandas")
    vectors = columns.fit_transform(TABLE)
    assert vectors.shape == (3, 768) and list(vectors.index) == list("abc")
    assert list(vectors.columns[[0, 256, 512]]) == ["e__elmovectorizer0", "f__elmovectorizer0", "c__contextvectorizer0"]
    assert list(columns.get_feature_names_out()) == list(vectors.columns)
    np.testing.assert_array_equal(vectors.iloc[:, 512:], ContextVectorizer().fit_transform(TABLE[["text", "word"]]))
    pd.testing.assert_frame_equal(columns.transform(TABLE), vectors)


APPLY = """check_dataframe_column_names_consistency check_do_not_raise_errors_in_init_or_set_params check_estimator_cloneable
check_estimator_repr check_estimator_sparse_array check_estimator_sparse_matrix check_estimator_tags_renamed check_estimators_unfitted check_fit1d
check_get_feature_names_out_error check_get_params_invariance check_global_output_transform_pandas check_mixin_order
check_n_features_in_after_fitting check_no_attributes_set_in_init check_param_validation check_parameters_default_constructible
check_set_output_transform check_set_output_transform_pandas check_set_params check_transformer_get_feature_names_out
check_transformer_get_feature_names_out_pandas check_transformer_n_iter check_transformer_preserve_dtypes check_transformers_unfitted
check_valid_tag_types"""


@pytest.mark.parametrize("vectorizer", [ElmoVectorizer(), ContextVectorizer()], ids=lambda item: type(item).__name__)
def test_scikit_learn_own_checks_pass_where_they_apply(vectorizer):
    for name in APPLY.split():
        getattr(checks, name)(type(vectorizer).__name__, clone(vectorizer))


def test_a_pipeline_is_searched_over_layers_and_pickled_without_the_model():
    pipeline = make_pipeline(ElmoVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"elmovectorizer__layer": [*np.arange(2), "mix"]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ == 1.0
    stored = pickle.dumps(search.best_estimator_)
    assert len(stored) < 100_000
    again = pickle.loads(stored)
    assert (again.predict(TEXTS) == LABELS).all()
    assert again[0].get_feature_names_out()[0] == "elmovectorizer0" and again[0].n_features_out_ == 256


@pytest.fixture
def tiny(tmp_path) -> str:
    save_hdf5(BiLM(ModelShape(filters=((1, 2), (3, 3)), hidden=5, projection=4, n_highway=2)).eval(), tmp_path / "tiny")
    return str(tmp_path / "tiny")


def test_another_model_after_fit_needs_another_fit_unless_its_weights_are_the_same(model, tiny):
    fitted = ElmoVectorizer().fit(TEXTS).set_params(model=tiny)
    said = f"^The 'model' parameter of ElmoVectorizer was changed after fit, from elmo-mini to {re.escape(tiny)}. Fit again.$"
    for vectorizer in (fitted, pickle.loads(pickle.dumps(fitted))):
        with pytest.raises(InvalidParameterError, match=said) as caught:
            vectorizer.transform(TEXTS)
        assert isinstance(caught.value, BadInput)
        np.testing.assert_array_equal(vectorizer.fit(TEXTS).transform(TEXTS), ElmoVectorizer(tiny).fit_transform(TEXTS))
    fitted = ElmoVectorizer().fit(TEXTS)
    vectors = fitted.transform(TEXTS)
    with pytest.raises(InvalidParameterError, match="'weights'"):
        fitted.set_params(model=tiny, weights=[1]).fit(TEXTS)  # a failed fit leaves the fitted model
    with pytest.raises(InvalidParameterError, match="changed after fit"):
        fitted.set_params(weights=None).transform(TEXTS)
    with pytest.raises(BadInput, match="Unknown device 'nonsense'"):
        fitted.set_params(model="elmo-mini", device="nonsense").transform(TEXTS)
    for vectorizer in (fitted, pickle.loads(pickle.dumps(fitted))):  # the same weights elsewhere need no other fit
        np.testing.assert_array_equal(vectorizer.set_params(device="cpu", model=model.folder).transform(TEXTS), vectors)
    fitted.fingerprint_ = "another"  # other weights of the same name
    with pytest.raises(CorruptArtifact):
        pickle.loads(pickle.dumps(fitted)).transform(TEXTS)
