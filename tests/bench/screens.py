"""What a page shows as it opens: words in its main column, how long it is on a laptop and on a phone, and its picture.

usage: python -m tests.bench.screens http://localhost:8501 [view ...] [--photos FOLDER] [--language ko] [--dark]

A row a view: words (those of its components apart), height at 1,366 x 768 in screens, height at 390 x 844 in px, how much of the first picture is in sight at once on
each, whether anything runs over the right edge, and requests that were answered 404.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from pages._frame.menu import door, list_views
from tests.browser.conftest import AT_REST
from tests.run import find_chromium

SIZES = {"laptop": (1366, 768), "phone": (390, 844)}
MEASURE = """() => {
  const main = document.querySelector('[data-testid=stMain]'), block = main.querySelector('[data-testid=stMainBlockContainer]');
  const roots = [block];  // the column, and what stands in components' shadow roots, theirs too
  for (const root of roots) for (const e of root.querySelectorAll('*')) if (e.shadowRoot) roots.push(e.shadowRoot);
  const texts = roots.flatMap((root) => root === block ? [block] : [...root.children].filter((e) => !/STYLE|SCRIPT/.test(e.tagName)));
  const count = (text) => text.split(/\\s+/).filter((word) => /\\p{L}/u.test(word)).length;
  const words = count(block.innerText), drawn = count(texts.slice(1).map((e) => e.innerText ?? '').join(' '));
  const pictures = roots.flatMap((root) => [...root.querySelectorAll('svg, canvas, .picture, .st-key-both_ways')]).map((e) => e.getBoundingClientRect());
  const first = pictures.filter((r) => r.width > 100 && r.height > 90).sort((a, b) => a.top - b.top)[0];
  const sight = first ? Math.max(0, Math.min(first.bottom, innerHeight) - first.top) / Math.min(first.height, innerHeight) : 0;
  const wide = Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth);
  return { words, drawn, height: main.scrollHeight, sight: Math.round(100 * sight), wide };
}"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A view at one size. `drawn` counts the words in its components; `sight` is the share of its first picture, in percent, that is seen without scrolling."""

    words: int
    drawn: int
    height: int
    sight: int
    wide: int
    missing: tuple[str, ...]


def show(browser: Browser, base: str, view: str, size: str, arguments: argparse.Namespace) -> Shown:
    width, height = SIZES[size]
    theme = "dark" if arguments.dark else "light"
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page = context.new_page()
    missing = []
    page.on("response", lambda r: missing.append(r.url) if r.status == 404 else None)
    file, parameters = door(view)
    path = "" if file == "app.py" else Path(file).stem
    query = {**parameters, **({"lang": arguments.language} if arguments.language != "en" else {})}
    page.goto(f"{base}/{path}" + "".join(f"{'&' if k else '?'}{key}={value}" for k, (key, value) in enumerate(query.items())))
    page.wait_for_selector("[data-testid=stMainBlockContainer] h1, [data-testid=stMainBlockContainer] h2", timeout=90_000)
    page.wait_for_timeout(1_500)
    page.wait_for_function(AT_REST, timeout=120_000)
    page.wait_for_timeout(1_500)
    result = page.evaluate(MEASURE)
    if arguments.photos:
        arguments.photos.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=arguments.photos / f"{view}-{size}-{arguments.language}-{theme}-fold.png")
        page.set_viewport_size({"width": width, "height": min(result["height"] + 60, 12_000)})
        page.wait_for_timeout(900)
        page.screenshot(path=arguments.photos / f"{view}-{size}-{arguments.language}-{theme}.png")
    context.close()
    return Shown(**result, missing=tuple(missing))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("views", nargs="*")
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--dark", action="store_true")
    arguments = parser.parse_args()
    views = arguments.views or list_views()
    total = 0
    print("view        words  in pictures  screens  phone px  picture in sight: laptop %, phone %   too wide   404")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"])
        for view in views:
            laptop, phone = (show(browser, arguments.base.rstrip("/"), view, size, arguments) for size in SIZES)
            total += laptop.words
            screens, missing = laptop.height / SIZES["laptop"][1], {*laptop.missing, *phone.missing}
            print(
                f"{view:10} {laptop.words:6}  {laptop.drawn:11}  {screens:7.1f}  {phone.height:8}  {laptop.sight:12} {phone.sight:6}"
                f"   {max(laptop.wide, 0)}/{max(phone.wide, 0)}   {len(missing)} {sorted(missing)[:2] or ''}",
                flush=True,
            )
        browser.close()
    print(f"words in all: {total:,}")


if __name__ == "__main__":
    main()
