"""Tests of properties with random examples, which an ordinary run tries with the same ones every time (hypothesis)."""

import ast
import importlib
import secrets
import traceback
from pathlib import Path

import hypothesis
import pytest

TESTS = Path(__file__).parents[1]
FOLDERS = ("recording", "road")  # with tests of properties; conftest.py makes them importable


def properties_of(path):
    """Names of the functions of a file that hypothesis gives examples."""
    functions = [n for n in ast.parse(path.read_text(encoding="utf8")).body if isinstance(n, ast.FunctionDef)]
    calls = [(f.name, d.func) for f in functions for d in f.decorator_list if isinstance(d, ast.Call)]
    return [name for name, decorator in calls if isinstance(decorator, ast.Name) and decorator.id == "given"]


FILES = sorted(path for folder in FOLDERS for path in (TESTS / folder).glob("test_*.py") if properties_of(path))


class Search:
    """Tries a property with random examples.

    Attributes:
        examples: number of examples tried so far.
    """

    def __init__(self, test):
        self.examples, self._test = 0, test

    def attempt(self, seed):
        """The failing example of a seed and its error as text, or ""."""
        inner = self._test.hypothesis.inner_test

        def counted(*arguments, **values):
            self.examples += 1
            inner(*arguments, **values)

        self._test.hypothesis.inner_test = counted
        try:
            hypothesis.seed(seed)(self._test)()
        except Exception as error:
            return f"{self._test.__name__}, seed {seed}: {''.join(traceback.format_exception_only(error))}"
        finally:
            hypothesis.seed(None)(self._test)
            self._test.hypothesis.inner_test = inner
        return ""


def test_every_test_of_properties_is_searched():
    paths = set(TESTS.glob("*/test_*.py")) - {Path(__file__)}
    users = {path for path in paths if "from hypothesis import" in path.read_text(encoding="utf8")}
    assert users == set(FILES) and len(FILES) >= 5


@hypothesis.given(hypothesis.strategies.integers(0, 1000))
def never_large(number):
    """A property that does not hold."""
    assert number < 900


def test_a_search_prints_the_failing_example():
    """Each of a hundred examples fails with a probability of a tenth."""
    search = Search(never_large)
    found = [text for text in map(search.attempt, range(2)) if text]
    assert found and search.examples > 10
    assert all("never_large, seed" in text and "number=900" in text for text in found)


@pytest.mark.nightly
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_random_examples_have_the_property(path, seeds, report_row):
    """Other examples every night; what fails is printed with its seed, to be kept by `@example`."""
    module, names, first = importlib.import_module(path.stem), properties_of(path), secrets.randbits(32)
    searches = [Search(getattr(module, name)) for name in names]
    failed = []
    for k in seeds(minimum=len(searches)):
        if text := searches[k % len(searches)].attempt(first + k // len(searches)):
            failed.append(text)
            print(text)
    tried = sum(search.examples for search in searches)
    report_row(f"properties of {path.stem}", f"{tried:,} examples of {len(names)}", f"{len(failed)} fail")
    assert not failed, failed[0]
