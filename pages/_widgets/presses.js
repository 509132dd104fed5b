const counts = new Map();  // of each button, however often its page is drawn
export default function ({ data: { button }, parentElement, setStateValue }) {
  const onClick = (event) => {
    if (!event.target.closest(`.${button} button:enabled`)) return;
    event.stopPropagation();
    counts.set(button, (counts.get(button) ?? 0) + 1);
    setStateValue("presses", counts.get(button));
  };
  const page = document.documentElement;
  parentElement.stop?.();  // this may be called again, and what an earlier call returned is not
  page.addEventListener("click", onClick, true);
  return parentElement.stop = () => page.removeEventListener("click", onClick, true);
}
