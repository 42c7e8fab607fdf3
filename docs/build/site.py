"""Hooks of mkdocs: README.md becomes the first page, and links to files outside docs/ become plain text."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Any, config: Any) -> Any:
    """Add README.md as index.md, with links relative to docs/."""
    text = LINK.sub(_from_docs, (ROOT / "README.md").read_text(encoding="utf8"))
    files.append(File.generated(config, "index.md", content=text))
    return files


def _from_docs(link: re.Match[str]) -> str:
    """A link of README.md as seen from docs/."""
    mark, text, target, anchor = link.groups()
    inside = target.removeprefix("docs/") if target.startswith("docs/") else target
    if not target.startswith(("docs/", "http")):
        inside = f"../{target}"
    return f"{mark}[{text}]({inside}{anchor or ''})"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Replace links to files of the program by their text; links to missing files stay, so that mkdocs reports them."""
    folder = ROOT / "docs" / Path(page.file.src_uri).parent

    def named(link: re.Match[str]) -> str:
        mark, text, target, _ = link.groups()
        path = (folder / target).resolve()
        outside = not path.is_relative_to(ROOT / "docs") or path.is_relative_to(ROOT / "docs" / "examples")
        return text if not mark and path.exists() and outside else link[0]

    return LINK.sub(named, markdown)
