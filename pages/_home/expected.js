// The words expected in each sentence's place: a line of chips a sentence, as many as fit, the largest the likeliest. Nodes stay when the words
// change, so that the keyboard's place does.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".expected"), sides = (root.sides ??= data.sides.map(() => side(root)));
  const ways = (root.ways ??= el("span", { className: "ways", role: "group" }));
  ways.setAttribute("aria-label", data.text.read);
  data.directions.forEach(([code, name], k) => {
    const button = (ways.children[k] ?? ways.appendChild(el("button", { type: "button" })));
    say(button, name);
    button.setAttribute("aria-pressed", code === data.direction);
    button.onclick = () => setTriggerValue("direction", code);
  });
  if (!ways.isConnected) sides[0].head.after(ways);
  data.sides.forEach((news, k) => {
    const { head, which, chips, note } = sides[k];
    which.style.setProperty("--own", news.colour);
    say(which, news.which), say(head, data.text.head), say(note, news.note);
    chips.setAttribute("aria-label", `${news.which}: ${data.text.head}`);
    while (chips.children.length > news.words.length) chips.lastChild.remove();
    news.words.forEach(({ word, size, label }, n) => {
      const chip = (chips.children[n] ?? chips.appendChild(el("button", { type: "button" })));
      say(chip, word);
      chip.title = label, chip.setAttribute("aria-label", label), chip.style.setProperty("--size", size);
      chip.onclick = () => setTriggerValue("put", `${news.side}:${word}`);
    });
  });
  const fit = () => sides.forEach(({ chips }) => {
    const all = [...chips.children];
    all.forEach((chip) => (chip.hidden = false));
    const over = all.map((chip, n) => n && chip.offsetLeft + chip.offsetWidth > chips.clientWidth);
    all.forEach((chip, n) => (chip.hidden = Boolean(over[n])));
  });
  const watch = new ResizeObserver(fit);
  watch.observe(root);
  fit();
  return () => watch.disconnect();
}

function side(root) {
  const which = el("b", { className: "which" }), head = el("span"), note = el("span", { className: "note" }), chips = el("div", { className: "chips", role: "group" });
  root.append(el("section", {}, el("div", { className: "line" }, which, head, note), chips));
  return { which, head, note, chips };
}
