const ENDED = "elmoscope.tour";
// Streamlit's two boxes around the sentences and the picture are as if they were not, so that the card can stand between what is in them.
const PICTURE = ".stMainBlockContainer :has(> .st-key-home_picture)", AROUND = ["* >", "* > * >"].map((way) => `.stMainBlockContainer :has(> ${way} .st-key-home_picture)`);
const IN_PAGE = (above) => `${AROUND} {display: contents !important} ${PICTURE} {order: ${above ? 1 : 0}} ${PICTURE} ~ *, ${AROUND[1]} ~ * {order: 2}
  .stApp .st-key-tour {position: static; width: auto; height: auto; order: 1}`; // of one order, what comes first in the page stands first: the card
let step = 0, request = false, over = false;
const remembered = () => { try { return localStorage.getItem(ENDED) } catch { return null } };
const remember = () => { try { localStorage.setItem(ENDED, "ended") } catch { /* this visit only */ } };
export default function ({ data, parentElement, setTriggerValue }) {
  const card = parentElement.querySelector("section"), part = (name) => card.querySelector(name);
  if (data.asked && !request) { step = 0; over = false }
  request = data.asked;
  const ring = document.createElement("style");
  document.head.append(ring);
  // Its place: the foot of the menu where that is open beside the page, with room below for scrolling; else in the page, under the picture and, once
  // it speaks of that, above it.
  const beside = () => {
    const box = document.querySelector('[data-testid="stSidebar"]')?.getBoundingClientRect();
    return box && box.right > 150 && box.width < innerWidth / 2 ? box : null;
  };
  const place = () => {
    const menu = beside();
    card.style.position = menu ? "" : "static";
    card.style.width = menu ? `${menu.right - 24}px` : "";
    ring.textContent = card.hidden ? "" : `${data.steps[step].at} {outline: 2px solid #4292C6; outline-offset: 5px; border-radius: 4px}
      ${menu ? `[data-testid="stSidebarUserContent"] {padding-bottom: ${card.offsetHeight + 48}px}` : IN_PAGE(step)}`;
  };
  const draw = () => {
    card.hidden = over || !(request || !remembered());
    if (!card.hidden) {
      card.setAttribute("aria-label", data.title);
      part(".number").textContent = data.steps[step].number;
      part(".said").textContent = data.steps[step].said;
      part(".next").textContent = step < data.steps.length - 1 ? data.next : data.done;
      part(".skip").textContent = data.skip;
      part(".skip").hidden = step === data.steps.length - 1;
    }
    place();
  };
  const end = () => {
    remember();
    over = true;
    draw();
    if (request) setTriggerValue("ended", true);
  };
  part(".next").onclick = () => {
    if (step === data.steps.length - 1) return end();
    step += 1;
    draw();
    if (beside()) document.querySelector(data.steps[step].at)?.scrollIntoView({ block: "center" });
    else card.scrollIntoView({ block: "start" }); // what it speaks of stands below it
  };
  part(".skip").onclick = end;
  card.onkeydown = (event) => { if (event.key === "Escape") end() };
  const watch = new ResizeObserver(place);
  watch.observe(document.body);
  const menu = document.querySelector('[data-testid="stSidebar"]');
  if (menu) watch.observe(menu);
  draw();
  return () => { watch.disconnect(); ring.remove() };
}
