// The words expected in each sentence's place: a line of chips a sentence, as many as fit, the largest the likeliest. Nodes stay when the words
// change, so that the keyboard's place does.

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".expected"), sides = (root.sides ??= data.sides.map(() => side(root)));
  data.sides.forEach((news, k) => {
    const { own, head, chips } = sides[k];
    own.style.setProperty("--own", news.color);
    say(head, news.words.length ? data.text.head : "");
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
  const head = el("span", { className: "head" }), chips = el("div", { className: "chips", role: "group" }), own = el("section", {}, head, chips);
  root.append(own);
  return { own, head, chips };
}
