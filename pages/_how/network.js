export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".network"), held = root.getRootNode().activeElement?.dataset?.step;
  if (root.drawn !== data.drawn) {
    root.innerHTML = root.drawn = data.drawn;
    if (held) [...root.querySelectorAll(`[data-step="${held}"]`)].find((box) => box.checkVisibility())?.focus();
  }
  const press = (k, frames) => {  // the numbers may load later than this
    const number = document.querySelectorAll('.st-key-step [role="radio"]')[k];
    number ? number.click() : frames && requestAnimationFrame(() => press(k, frames - 1));
  };
  const go = (event) => {
    const box = event.target.closest("[data-step]");
    if (!box || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    press(+box.dataset.step - 1, 600);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    document.querySelector(".st-key-step")?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
  };
  root.onclick = root.onkeydown = go;
}
