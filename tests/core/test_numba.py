"""The undocumented features of numba that the core uses exist, and a missing one would be named."""

import re

import numba
import pytest

from driving_sandbox.physics.kernel import numba_internals
from driving_sandbox.physics.kernel.jit import JIT, ROOT, kernel
from driving_sandbox.physics.kernel.numba_internals import INTERNALS, OF_INSTANCES, missing

EACH = [
    pytest.param(owner, name, id=f"{owner.__name__}.{name}") for owner, names in INTERNALS.items() for name in names
]


@pytest.fixture
def compiled():
    function = kernel(lambda x: x + 1.0)
    assert function(1.0) == 2.0
    return function


@pytest.mark.parametrize(("owner", "name"), EACH)
def test_numba_still_has_every_internal_name_in_use(owner, name):
    assert hasattr(owner, name)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
@pytest.mark.parametrize("owner", OF_INSTANCES)
def test_a_compiled_function_still_has_every_internal_name_in_use(owner, compiled):
    reach, names = OF_INSTANCES[owner]
    assert [name for name in names if not hasattr(reach(compiled), name)] == []


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_no_feature_is_missing_and_a_missing_one_is_named(monkeypatch, compiled):
    context, reach = numba_internals.typing.Context, OF_INSTANCES["function._compiler"][0]
    assert missing(compiled) == []
    monkeypatch.setitem(INTERNALS, context, ("resolve_function_type", "gone"))
    monkeypatch.setitem(OF_INSTANCES, "function._compiler", (reach, ("fold_argument_types", "lost")))
    assert missing() == [f"{context.__module__}.Context.gone"]
    assert missing(compiled)[1:] == ["function._compiler.lost"]


def test_the_list_has_all_private_names_used():
    """Every private name in the compiling modules is one of numba's listed here, or their own."""
    files = (ROOT / "physics" / "kernel" / name for name in ("jit.py", "jit_compiler.py"))
    text = "".join(path.read_text(encoding="utf8") for path in files)
    groups = (*INTERNALS.values(), *(names for _, names in OF_INSTANCES.values()))
    listed = {name for names in groups for name in names} | {owner.__name__ for owner in INTERNALS}
    own = set(re.findall(r"(?:self|cls|fresh)\.(_\w+) = |^(_\w+) = |(?:class|def) (_\w+)", text, re.M))
    own = {name for names in own for name in names if name} | {"_plain", "_nrt"}
    mentioned = {name for name in re.findall(r"\.(_[a-zA-Z]\w*)", text) if not name.startswith("__")}
    assert mentioned - own - listed == set()
    assert numba.__version__ in (ROOT / "requirements.txt").read_text(encoding="utf8")
