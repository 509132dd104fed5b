"""The transformers of scikit-learn: vectors by hand, scikit-learn's own checks, and its tools over them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks as checks
from sklearn.utils._param_validation import InvalidParameterError

from core.common.errors import BadInput, CorruptArtifact
from core.elmo.estimators import ContextVectorizer, ElmoVectorizer
from core.elmo.models import open_model

TEXTS = ["We sat on the bank.", "The bank refused the loan.", "The river ran fast.", "He paid the money back."] * 2
LABELS = [0, 1, 0, 1] * 2
PAIRS = list(zip(TEXTS[:2], ["bank", 1], strict=True))


@pytest.fixture(scope="module")
def layers() -> list[np.ndarray]:
    model = open_model("elmo-mini")
    return model.encoder.encode([model.language.tokenize(text) for text in TEXTS[:2]])


@pytest.mark.parametrize(
    ("pooling", "over"), [("mean", lambda v: v.mean(0)), ("max", lambda v: v.max(0)), ("first", lambda v: v[0]), ("last", lambda v: v[-1])]
)
def test_a_text_is_pooled_over_its_tokens(layers, pooling, over):
    vectors = ElmoVectorizer(layer=1, pooling=pooling).fit_transform(TEXTS[:2])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, [over(item[1]) for item in layers], atol=1e-5)


def test_the_mix_is_of_equal_weights_or_of_those_given(layers):
    np.testing.assert_allclose(ElmoVectorizer().fit_transform(TEXTS[:2]), [item.mean(0).mean(0) for item in layers], atol=1e-5)
    given = ElmoVectorizer(weights=[0, 2, -1]).fit_transform(TEXTS[:2])
    np.testing.assert_allclose(given, [(2 * item[1] - item[2]).mean(0) for item in layers], atol=1e-4)


def test_a_word_in_context_is_found_by_its_spelling_a_form_of_it_or_its_position(layers):
    vectors = ContextVectorizer(layer=2).fit_transform(PAIRS)
    np.testing.assert_allclose(vectors, [layers[0][2, 4], layers[1][2, 1]], atol=1e-5)
    formed = ContextVectorizer(layer=2).fit_transform([("The bank refused the loan.", "banks")])
    np.testing.assert_allclose(formed[0], vectors[1], atol=1e-5)


def test_a_text_without_a_token_becomes_zeros():
    assert not ElmoVectorizer().fit_transform(["", "bank"])[0].any()


@pytest.mark.parametrize(
    ("vectorizer", "texts"),
    [
        (ElmoVectorizer(), "one text"),
        (ElmoVectorizer(), [1, 2]),
        (ElmoVectorizer(pooling="sum"), TEXTS),
        (ElmoVectorizer(layer=7), TEXTS),
        (ElmoVectorizer(weights=[1]), TEXTS),
        (ContextVectorizer(), TEXTS),
        (ContextVectorizer(), [("The bank.", 9)]),
        (ContextVectorizer(), [("The bank.", "river")]),
        (ContextVectorizer(), [("The bank.", 1.5)]),
        (ElmoVectorizer(), []),
        (ElmoVectorizer(), 3),
        (ElmoVectorizer(), {"a": "text"}),
        (ElmoVectorizer(), [b"text"]),
        (ContextVectorizer(), [("The bank.", True)]),
        (ContextVectorizer(), [("The bank.", "bank", 1)]),
        (ContextVectorizer(), np.array(TEXTS)),
    ],
)
def test_what_cannot_be_read_is_reported(vectorizer, texts):
    with pytest.raises(BadInput):
        vectorizer.fit_transform(texts)


THREE = ["We sat on the bank.", "The bank lent money.", "A wet bank."]
TABLE = pd.DataFrame({"text": THREE, "word": ["bank"] * 3, "position": [4, 1, 2]}, index=list("abc"))


@pytest.mark.parametrize(
    "texts",
    [
        TABLE["text"],
        TABLE[["text"]],
        TABLE["text"].astype("category"),
        TABLE["text"].astype("string"),
        TABLE["text"].to_numpy(),
        np.array(THREE),
        np.array(THREE)[:, None],
        np.array(THREE, object),
        tuple(THREE),
        (text for text in THREE),
    ],
    ids=lambda item: type(item).__name__,
)
def test_texts_come_in_whatever_pandas_and_numpy_hold_them(texts):
    np.testing.assert_array_equal(ElmoVectorizer().fit_transform(texts), ElmoVectorizer().fit_transform(THREE))


@pytest.mark.parametrize(
    "pairs",
    [
        TABLE[["text", "word"]],
        TABLE[["text", "position"]],
        TABLE[["text", "position"]].astype({"position": float}),
        TABLE[["text", "position"]].to_numpy(),
        np.array(TABLE[["text", "word"]], str),
        list(zip(np.array(THREE), np.array(["bank"] * 3), strict=True)),
        list(zip(THREE, np.array([4, 1, 2]), strict=True)),
        [[THREE[0], np.int8(4)], (THREE[1], 1.0), np.array([THREE[2], "bank"])],
        zip(THREE, ["bank"] * 3, strict=True),
    ],
    ids=lambda item: type(item).__name__,
)
def test_pairs_come_in_whatever_pandas_and_numpy_hold_them(pairs):
    wanted = ContextVectorizer().fit_transform([(THREE[0], 4), (THREE[1], 1), (THREE[2], 2)])
    np.testing.assert_array_equal(ContextVectorizer().fit_transform(pairs), wanted)


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, pd.NaT])
def test_missing_values_are_named_by_row(missing):
    with pytest.raises(ValueError, match=r"^Row 2: no text \(1 of 3 rows, counted from 1\)\. Fill or drop what is missing\.$"):
        ElmoVectorizer().fit_transform(pd.Series([THREE[0], missing, THREE[2]], dtype=object))
    with pytest.raises(ValueError, match=r"^Rows 1, 3: no text \(2 of 3 rows"):
        ContextVectorizer().fit_transform([(missing, "bank"), (THREE[1], "bank"), (missing, "bank")])
    with pytest.raises(ValueError, match=r"^Row 3: no word or position \(1 of 3 rows"):
        ContextVectorizer().fit_transform(pd.DataFrame({"text": THREE, "word": ["bank", "bank", missing]}))


def test_many_missing_values_are_counted():
    with pytest.raises(ValueError, match=r"^Rows 1, 2, 3, 4, 5, 6, 7, 8 …: no text \(20 of 21 rows"):
        ElmoVectorizer().fit_transform([None] * 20 + ["bank"])


def test_a_table_with_the_wrong_columns_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^X has 3 columns \(text, word, position\), not 1\."):
        ElmoVectorizer().fit_transform(TABLE)
    with pytest.raises(ValueError, match=r"^X has 1 columns \(text\), not 2\."):
        ContextVectorizer().fit_transform(TABLE[["text"]])
    with pytest.raises(ValueError, match=r"^X has 2 columns, not 1\."):
        ElmoVectorizer().fit_transform(np.array([THREE[:2]]))


@pytest.mark.parametrize("kind", [ElmoVectorizer, ContextVectorizer])
@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("batch_texts", 0, r"an int in the range \[1, inf\). Got 0 instead"),
        ("batch_texts", -1, "Got -1 instead"),
        ("batch_texts", 2.5, "Got 2.5 instead"),
        ("batch_texts", "8", "Got '8' instead"),
        ("pooling", "sum", "a str among .*'mean'.*Got 'sum' instead"),
        ("normalize", "yes", "an instance of 'bool'"),
        ("layer", -1, "Got -1 instead"),
        ("layer", 1.5, "Got 1.5 instead"),
        ("layer", 7, "There is no layer '7'. Use 0 to 2 or 'mix'."),
        ("layer", "top", "There is no layer 'top'"),
        ("weights", [1], "Give 3 layer weights, one per layer, not 1"),
        ("weights", 5, "an array-like or None. Got 5 instead"),
        ("model", 3, "an instance of 'str'"),
        ("device", None, "an instance of 'str'"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_it_may_be(kind, name, value, said):
    if name not in kind().get_params():
        pytest.skip("only the other has it")
    texts = TABLE["text"] if kind is ElmoVectorizer else TABLE[["text", "word"]]
    with pytest.raises(InvalidParameterError, match=rf"^The '{name}' parameter of {kind.__name__} .*{said}"):
        kind(**{name: value}).fit(texts)
    fitted = kind().fit(texts)
    with pytest.raises(InvalidParameterError, match=f"'{name}'"):
        fitted.set_params(**{name: value}).transform(texts)


def test_numpy_scalars_are_parameters_like_any_other():
    plain = ElmoVectorizer(layer=1, batch_texts=2, normalize=True).fit_transform(THREE)
    of_numpy = ElmoVectorizer(layer=np.int64(1), batch_texts=np.int32(2), normalize=np.bool_(True), pooling=np.str_("mean"))
    np.testing.assert_array_equal(of_numpy.fit_transform(THREE), plain)
    weights = np.array([0, 2, -1], np.float32)
    np.testing.assert_array_equal(
        ElmoVectorizer(weights=weights).fit_transform(THREE), ElmoVectorizer(weights=[0, 2, -1]).fit_transform(THREE)
    )


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
NUMBERS = "It fits an array of numbers, where these transformers take texts."
OTHER = "It is about another kind of estimator."
LEFT_OUT = {
    NUMBERS: """check_complex_data check_dict_unchanged check_dont_overwrite_parameters check_dtype_object check_estimator_sparse_tag
    check_estimators_data_not_an_array check_estimators_dtypes check_estimators_empty_data_messages check_estimators_fit_returns_self
    check_estimators_nan_inf check_estimators_overwrite_params check_estimators_pickle check_f_contiguous_array_estimator check_fit2d_1feature
    check_fit2d_1sample check_fit2d_predict1d check_fit_check_is_fitted check_fit_idempotent check_fit_non_negative check_fit_score_takes_y
    check_inplace_ensure_writeable check_methods_sample_order_invariance check_methods_subset_invariance check_n_features_in
    check_nonsquare_error check_pipeline_consistency check_positive_only_tag_during_fit check_readonly_memmap_input check_requires_y_none
    check_supervised_y_2d check_supervised_y_no_nan check_transformer_data_not_an_array check_transformer_general""",
    "It passes arrays of another library than numpy.": """check_array_api_input check_array_api_input_and_values check_array_api_mixed_inputs
    check_array_api_same_namespace""",
    "polars is not installed.": "check_global_set_output_transform_polars check_set_output_transform_polars",
    "There are no sample weights.": """check_all_zero_sample_weights_error check_sample_weight_equivalence_on_dense_data
    check_sample_weight_equivalence_on_sparse_data check_sample_weights_list check_sample_weights_not_an_array
    check_sample_weights_not_overwritten check_sample_weights_pandas_series check_sample_weights_shape""",
    "A model is opened by fit, so transform needs it.": "check_transformers_unfitted_stateless",
    "It runs all the others.": "check_estimator",
    OTHER: """check_class_weight_balanced_classifiers check_class_weight_balanced_linear_classifier check_class_weight_classifiers
    check_classifier_data_not_an_array check_classifier_multioutput check_classifier_not_supporting_multiclass check_classifiers_classes
    check_classifiers_multilabel_output_format_decision_function check_classifiers_multilabel_output_format_predict
    check_classifiers_multilabel_output_format_predict_proba check_classifiers_multilabel_representation_invariance
    check_classifiers_one_label check_classifiers_one_label_sample_weights check_classifiers_predictions check_classifiers_regression_target
    check_classifiers_train check_clusterer_compute_labels_predict check_clustering check_decision_proba_consistency
    check_estimators_partial_fit_n_features check_non_transformer_estimators_n_iter check_outlier_contamination check_outlier_corruption
    check_outliers_fit_predict check_outliers_train check_regressor_data_not_an_array check_regressor_multioutput check_regressors_int
    check_regressors_no_decision_function check_regressors_train check_sparsify_coefficients""",
}
VECTORIZERS = pytest.mark.parametrize("vectorizer", [ElmoVectorizer(), ContextVectorizer()], ids=lambda item: type(item).__name__)


@VECTORIZERS
@pytest.mark.parametrize("name", APPLY.split())
def test_scikit_learn_own_checks_pass_where_they_apply(vectorizer, name):
    getattr(checks, name)(type(vectorizer).__name__, clone(vectorizer))


def test_every_check_of_scikit_learn_is_run_or_left_out_for_a_reason():
    there = {name for name in vars(checks) if name.startswith("check_") and getattr(checks, name).__module__ == checks.__name__}
    named = [*APPLY.split(), *" ".join(LEFT_OUT.values()).split()]
    assert len(named) == len(set(named)) and set(named) == there


@VECTORIZERS
def test_scikit_learn_own_choice_of_checks_passes(vectorizer):
    with pytest.warns(SkipTestWarning):  # those that fit numbers
        results = checks.check_estimator(vectorizer, on_skip=None, on_fail="raise")
    assert {item["status"] for item in results} <= {"passed", "skipped"}


def test_a_pipeline_is_searched_over_layers_and_pickled_without_the_model():
    pipeline = make_pipeline(ElmoVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"elmovectorizer__layer": [0, 1, "mix"]}, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ == 1.0
    stored = pickle.dumps(search.best_estimator_)
    assert len(stored) < 100_000
    again = pickle.loads(stored)
    assert (again.predict(TEXTS) == LABELS).all()
    assert again[0].get_feature_names_out()[0] == "elmovectorizer0" and again[0].n_features_out_ == 256


def test_other_weights_than_those_fitted_with_are_refused():
    fitted = ElmoVectorizer().fit(TEXTS)
    fitted.fingerprint_ = "another"
    with pytest.raises(CorruptArtifact):
        pickle.loads(pickle.dumps(fitted)).transform(TEXTS)


def test_nothing_is_read_before_fit():
    with pytest.raises(NotFittedError):
        ElmoVectorizer().transform(TEXTS)
    with pytest.raises(NotFittedError):
        ContextVectorizer().transform(PAIRS)
