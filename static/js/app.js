// Every page: the time zone for the server, running clocks, Enter sends, one line for errors.
(() => {
  "use strict";
  const notice = document.getElementById("notice");

  function say(text, stays) {
    notice.textContent = text;
    notice.hidden = !text;
    clearTimeout(say.timer);
    if (text && !stays) say.timer = setTimeout(() => say(""), 8000);
  }

  function changed() {
    clearTimeout(changed.timer);
    changed.timer = setTimeout(() => document.body.dispatchEvent(new Event("walissh:changed")), 300);
  }

  window.walissh = { say, changed };

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone) document.cookie = `zone=${zone}; path=/; max-age=31536000; samesite=lax`;

  const began = new WeakMap();
  function tick() {
    const now = performance.now();
    for (const one of document.querySelectorAll(".tick")) {
      if (!began.has(one)) began.set(one, now - Number(one.dataset.elapsed) * 1000);
      const s = Math.floor((now - began.get(one)) / 1000);
      one.textContent = s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
    }
  }
  tick();
  setInterval(tick, 1000);
  document.addEventListener("walissh:made", tick);

  document.addEventListener("keydown", (event) => {
    // isComposing: Enter that ends the choice of a Chinese word must not send
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (event.target.id !== "content") return;
    event.preventDefault();
    const button = event.target.form.querySelector(".button-first");
    if (!button.disabled && event.target.value.trim()) event.target.form.requestSubmit(button);
  });

  document.addEventListener("click", (event) => {
    const menu = document.querySelector("details.menu[open]");
    if (menu && !menu.contains(event.target)) menu.open = false;
  });

  document.body.addEventListener("htmx:responseError", (event) => {
    const { status, responseText } = event.detail.xhr;
    say(status < 500 && responseText.length < 500 ? responseText : responseText.length < 300 ? responseText : document.body.dataset.failed);
  });
  document.body.addEventListener("htmx:sendError", (event) => {
    if (event.detail.requestConfig.verb !== "get") say(document.body.dataset.failed);
  });
  function here() {
    for (const link of document.querySelectorAll(".session")) {
      if (link.pathname === window.location.pathname) link.setAttribute("aria-current", "page");
    }
  }
  here();
  document.body.addEventListener("htmx:afterSwap", here);
})();
