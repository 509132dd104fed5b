"""The address of a view, by the name of the view."""

from pathlib import Path
from urllib.parse import parse_qsl

from pages._frame.menu import list_views, page_address


def address(link: str) -> str:
    """Return the address of a view, given as "view" or "view?query"; what names no view stays as it is."""
    view, _, query = link.partition("?")
    if view not in list_views():
        return link
    file, parameters = page_address(view)
    page = "" if file == "app.py" else Path(file).stem
    named = dict(parse_qsl(query, keep_blank_values=True))
    query = "&".join([*(f"{name}={value}" for name, value in parameters.items() if name not in named), *filter(None, [query])])
    return f"{page}?{query}" if query else page
