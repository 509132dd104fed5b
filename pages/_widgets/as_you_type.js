let timer = null;
export default function ({ data }) {
  const typed = (event) => {
    const box = event.target;
    if (event.isComposing || !(box instanceof HTMLTextAreaElement) || box.getAttribute("aria-label") !== data.label) return;
    clearTimeout(timer);
    const page = location.pathname, enter = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true });
    const send = () => { if (location.pathname === page) box.dispatchEvent(enter); };
    timer = setTimeout(send, data.pause);
  };
  const composed = (event) => typed({ target: event.target, isComposing: false });
  document.addEventListener("input", typed);
  document.addEventListener("compositionend", composed);
  return () => {
    document.removeEventListener("input", typed);
    document.removeEventListener("compositionend", composed);
  };
}
