export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".network"), held = root.getRootNode().activeElement?.dataset?.step;
  if (root.drawn !== data.drawn) {
    root.innerHTML = root.drawn = data.drawn;
    if (held) [...root.querySelectorAll(`[data-step="${held}"]`)].find((box) => box.checkVisibility())?.focus();
  }
  const go = (event) => {
    const box = event.target.closest("[data-step]");
    if (!box || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    document.querySelectorAll('.st-key-step [role="radio"]')[+box.dataset.step - 1]?.click();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    document.querySelector(".st-key-step")?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
  };
  root.onclick = root.onkeydown = go;
}
