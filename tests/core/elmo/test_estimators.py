"""The transformers of scikit-learn: vectors by hand, scikit-learn's own checks, and its tools over them."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks as checks

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
    ],
)
def test_what_cannot_be_read_is_said(vectorizer, texts):
    with pytest.raises(BadInput):
        vectorizer.fit_transform(texts)


# scikit-learn's other checks fit arrays of numbers, which neither reads
APPLY = [
    checks.check_estimator_cloneable,
    checks.check_estimator_tags_renamed,
    checks.check_valid_tag_types,
    checks.check_estimator_repr,
    checks.check_no_attributes_set_in_init,
    checks.check_do_not_raise_errors_in_init_or_set_params,
    checks.check_mixin_order,
    checks.check_parameters_default_constructible,
    checks.check_get_params_invariance,
    checks.check_set_params,
]


@pytest.mark.parametrize("vectorizer", [ElmoVectorizer(), ContextVectorizer()], ids=lambda item: type(item).__name__)
def test_scikit_learns_own_checks_pass_where_they_apply(vectorizer):
    for check in APPLY:
        check(type(vectorizer).__name__, clone(vectorizer))
    with pytest.warns(SkipTestWarning):  # for that reason
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
