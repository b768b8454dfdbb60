// Keys of the whole page; `?` shows them. None acts while somebody types.
(() => {
  "use strict";
  const dialog = document.getElementById("keys");
  let prefix = "";

  const typing = (node) => node.closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
  const go = (path) => { window.location.href = path; };
  const stops = () => [...document.querySelectorAll(document.querySelector(".card") ? ".card" : ".lists a")];

  function move(step) {
    const all = stops();
    if (!all.length) return;
    const at = all.findIndex((one) => one.contains(document.activeElement));
    const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }

  function decide(key) {
    const card = document.activeElement.closest(".card-awaiting_approval");
    const button = card && card.querySelector(`[data-key="${key}"]`);
    if (!button) return;
    const confirm = key === "a" && card.querySelector(".approve .confirm");
    if (confirm && !confirm.value) { confirm.focus(); return; }
    button.click();
    const field = button.closest("details") && button.closest("details").querySelector("textarea, input:not([type=hidden])");
    if (field && key !== "a") field.focus();
  }

  function toWaiting() {
    const card = document.querySelector(".card-awaiting_approval") || document.querySelector(".asked-open");
    if (card) { card.focus({ preventScroll: true }); card.scrollIntoView({ block: "center" }); return; }
    const link = document.querySelector(".waiting a");
    if (link) go(link.href);
  }

  const actions = {
    "/": () => document.getElementById("search").focus(),
    n: () => go("/"),
    j: () => move(1),
    k: () => move(-1),
    w: toWaiting,
    i: () => { const box = document.getElementById("content"); if (box) box.focus(); },
    a: () => decide("a"),
    e: () => decide("e"),
    d: () => decide("d"),
    "?": () => dialog.showModal(),
    "g h": () => go("/hosts"),
    "g m": () => go("/memory"),
    "g r": () => go("/running"),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape" && typing(event.target)) { event.target.blur(); return; }
    if (typing(event.target) || dialog.open) return;
    if (!document.getElementById("search")) return;
    const action = actions[prefix + event.key];
    prefix = event.key === "g" ? "g " : "";
    if (!action) return;
    event.preventDefault();
    action();
  });
})();
