export default function ({ data: { numbers, back, next, arrows }, parentElement }) {
  let listening = true;
  let steps = 0;  // pressed before the numbers are drawn, which load later than this
  const step = (by) => {
    steps += by;
    const radios = [...document.querySelectorAll(`.${numbers} [role="radio"]`)];
    const now = radios.findIndex((radio) => radio.ariaChecked === "true");
    if (now < 0) {
      if (listening) requestAnimationFrame(() => step(0));
      return;
    }
    const next = Math.min(Math.max(now + steps, 0), radios.length - 1);
    steps = 0;
    if (next !== now) radios[next].click();
  };
  const typed = (node) => node.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName);
  const onKey = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.composedPath().some(typed)) return;
    event.preventDefault();
    event.stopPropagation();
    step(by);
  };
  const onClick = (event) => {
    const by = event.target.closest(`.${back} button`) ? -1 : event.target.closest(`.${next} button`) ? 1 : 0;
    if (!by) return;
    event.stopPropagation();
    step(by);
  };
  const page = document.documentElement;
  parentElement.stop?.();  // this may be called again, and what an earlier call returned is not
  if (arrows) page.addEventListener("keydown", onKey);
  page.addEventListener("click", onClick, true);
  page.dataset.steps = numbers;
  return parentElement.stop = () => {
    listening = false;
    page.removeEventListener("keydown", onKey);
    page.removeEventListener("click", onClick, true);
    delete page.dataset.steps;
  };
}
