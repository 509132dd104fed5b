export default function (given) {
  var news = given.data, name = news.instrument, event = "elmoscope-" + name, page = document.documentElement, wait = 0;
  var root = given.parentElement.querySelector("span"), here = root.elmoscopePage = root.elmoscopePage || location.pathname;
  window[event] = news;
  window.dispatchEvent(new CustomEvent(event, { detail: news }));
  function check() { if (page.dataset[name] !== "alive" && location.pathname === here) given.setStateValue("plain", true); }
  window.addEventListener(event + "-failed", check);
  wait = setTimeout(check, page.dataset[name] === "failed" ? 0 : 12000);
  return function () {
    clearTimeout(wait);
    window.removeEventListener(event + "-failed", check);
    if (window[event] === news) delete window[event];
  };
}
