"""Take the moving picture at the top of README from the running app: a sentence is typed, the layers are scrubbed, another word is typed.

usage: python -m tests.bench.film http://localhost:8501 [--output assets/screenshots/home.gif]
"""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from tests.bench.measure import options, say
from tests.browser.conftest import AT_REST
from tests.run import start_chromium

WIDTH, HEIGHT = 1024, 720
FIRST, SECOND = "The pitcher threw a fast ball.", "She filled the pitcher with lemonade."
AFTER = "He broke the pitcher with a fast ball."
MOST_BYTES = 2_000_000
SCRUB = "(input, place) => { input.value = place; input.dispatchEvent(new Event('input', { bubbles: true })); }"


class Film:
    def __init__(self, page: Page) -> None:
        self.page = page
        self.frames: list[Image.Image] = []
        self.durations: list[int] = []

    def take(self, milliseconds: int) -> None:
        self.frames.append(Image.open(BytesIO(self.page.screenshot())).convert("RGB"))
        self.durations.append(milliseconds)

    def type(self, key: str, text: str, *, step: int) -> None:
        """Type `step` letters a frame, and wait for the answer."""
        box = self.page.locator(f".st-key-{key} input")
        box.click()
        box.press("Control+a")
        for start in range(0, len(text), step):
            box.press_sequentially(text[start : start + step], delay=25)
            self.take(140)
        self.page.wait_for_timeout(1_200)
        self.page.wait_for_function(AT_REST)
        self.page.wait_for_timeout(600)
        self.take(1_400)

    def scrub(self, steps: int) -> None:
        """Go from layer 0 to the sense space and back to layer 1."""
        slider = self.page.locator(".map.compact .scrubber input")
        top = float(slider.get_attribute("max") or 3)
        for k in [*range(steps + 1), *range(steps - 1, steps // 3 - 1, -1)]:
            slider.evaluate(SCRUB, top * k / steps)
            self.page.wait_for_timeout(60)
            self.take(110)
        self.take(1_200)

    def save(self, path: Path) -> int:
        """Write a file as small as it must be, with one palette for all frames. Return its number of bytes."""
        some = self.frames[:: max(1, len(self.frames) // 8)]
        joined = Image.new("RGB", (WIDTH * len(some), HEIGHT))
        for k, frame in enumerate(some):
            joined.paste(frame, (WIDTH * k, 0))
        for colors in (128, 96, 64, 48):
            palette = joined.quantize(colors)
            frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
            frames[0].save(path, save_all=True, append_images=frames[1:], duration=self.durations, loop=0, optimize=True)
            if path.stat().st_size <= MOST_BYTES:
                break
        return path.stat().st_size


def film(address: str, output: Path) -> int:
    with start_chromium() as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(f"{address}/?a={FIRST}&b={SECOND}")
        page.locator(".map.compact .scrubber input").wait_for()
        page.add_style_tag(content="[data-testid=stSidebar] {display: none;}")
        page.wait_for_timeout(2_500)
        page.wait_for_function(AT_REST)
        reel = Film(page)
        reel.take(1_200)
        reel.type("a", AFTER, step=3)
        reel.scrub(18)
        reel.type("a", FIRST, step=4)
    return reel.save(output)


if __name__ == "__main__":
    parser = options(__doc__, output="assets/screenshots/home.gif")
    parser.add_argument("address", help="of the running app")
    request = parser.parse_args()
    say(f"{request.output}: {film(request.address.rstrip('/'), Path(request.output)):,} bytes")
