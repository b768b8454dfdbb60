// The talk: puts what the stream brings in its place, keeps the view where the reader is,
// says in the tab's title how it stands.
(() => {
  "use strict";
  const talk = document.getElementById("talk");
  const below = document.getElementById("new-below");
  const spoken = document.getElementById("spoken");
  const title = document.title;
  const KEPT_CHARS = 12000;
  const LONG_S = 20;
  const END_PX = 80;
  const SPOKEN_CHARS = 600;
  let fresh = 0;
  let doneMark = "";

  const room = () => document.scrollingElement;
  const atEnd = () => room().scrollHeight - room().scrollTop - window.innerHeight < END_PX;
  const toEnd = () => { room().scrollTop = room().scrollHeight; };

  function swap({ id, parent, sig, html, after }) {
    const there = document.getElementById(id);
    if (there && there.dataset.sig === sig) return;
    const holder = document.createElement("template");
    holder.innerHTML = html;
    let made = holder.content.firstElementChild;
    if (!made) return;
    made.dataset.sig = sig;
    if (there) {
      keepFolds(there, made);
      const focused = there.contains(document.activeElement);
      if (there.tagName === "ASIDE") {
        // it stays in its place: on a phone an opened sheet is the target of the address
        there.replaceChildren(...made.childNodes);
        there.dataset.sig = sig;
        made = there;
      } else there.replaceWith(made);
      if (focused && made.tabIndex >= -1 && made.matches(".card, .asked")) made.focus({ preventScroll: true });
    } else {
      const home = document.getElementById(parent);
      if (!home) return;
      home.append(made);
      if (id.startsWith("command-") || id.startsWith("turn-")) fresh += 1;
    }
    if (after !== undefined) {
      const before = document.getElementById(after);
      if (before) before.after(made); else document.getElementById(parent).prepend(made);
    }
    if (window.htmx) window.htmx.process(made);
    document.dispatchEvent(new CustomEvent("walissh:made", { detail: made }));
    if (id.startsWith("status-") || id.startsWith("command-")) window.walissh.changed();
  }

  function keepFolds(old, made) {
    for (const one of old.querySelectorAll("[data-fold]")) {
      const same = made.querySelector(`[data-fold="${one.dataset.fold}"]`);
      if (same) same.open = one.open;
    }
  }

  function output({ id, offset, end, text }) {
    const box = document.getElementById(`output-${id}`);
    if (!box || !box.classList.contains("output-live")) return;
    const have = Number(box.dataset.end);
    if (end <= have) return;
    if (!have) box.closest("details").open = true; // room is made when something comes
    // the server counts characters, a string here counts UTF-16 units
    let part = offset < have ? [...text].slice(have - offset).join("") : text;
    if (offset > have) part = `…\n${part}`;
    const bottom = box.scrollHeight - box.scrollTop - box.clientHeight < 24;
    let whole = box.textContent + part;
    if (whole.length > KEPT_CHARS) whole = whole.slice(whole.indexOf("\n", whole.length - KEPT_CHARS) + 1);
    box.textContent = whole;
    box.dataset.end = end;
    if (bottom) box.scrollTop = box.scrollHeight;
  }

  function place(name, data) {
    const stay = atEnd();
    if (name === "swap") swap(data); else output(data);
    if (stay) { fresh = 0; toEnd(); }
    showNew();
  }

  function showNew() {
    below.hidden = fresh === 0;
    below.textContent = below.dataset.text.replace("#", fresh);
  }

  function lost(yes) { talk.classList.toggle("talk-lost", yes); window.walissh.say(yes ? talk.dataset.lost : "", yes); }

  function tellState() {
    const all = talk.querySelectorAll(".status");
    const last = all[all.length - 1];
    const state = last ? last.dataset.state : "";
    const before = talk.dataset.shown;
    talk.dataset.shown = state;
    speak(last, before !== undefined);
    const over = before === "open" || before === "waits";
    if (over && state !== "open" && state !== "waits") ended(last);
    if (state === "open" || state === "waits") doneMark = "";
    const marks = { open: `● ${talk.dataset.running} · `, waits: `! ${talk.dataset.waits} · `, asks: `? ${talk.dataset.asks} · ` };
    document.title = (marks[state] || doneMark) + title;
    for (const button of talk.querySelectorAll(".notify-me")) {
      button.hidden = !("Notification" in window) || Notification.permission !== "default";
    }
  }

  // screen readers say what changes in an element that stays; replaced ones they pass over
  function speak(status, aloud) {
    const said = status ? status.dataset.said : "";
    // with the turn: a quick one may be over before it was seen to run
    const of = status ? `${status.id} ${said}` : "";
    if (of === spoken.dataset.of) return;
    spoken.dataset.of = of;
    if (!aloud || !said) return;
    const answer = ["done", "asks"].includes(status.dataset.state) ? `: ${answerOf(status).slice(0, SPOKEN_CHARS)}` : "";
    spoken.textContent = said + answer;
  }

  function answerOf(status) {
    const turn = status.closest(".turn");
    return (turn.querySelector(".asked-text") || turn.querySelector(".answer")).textContent.trim();
  }

  function ended(status) {
    if (!document.hidden) return;
    doneMark = `✓ ${talk.dataset.done} · `;
    const allowed = "Notification" in window && Notification.permission === "granted";
    if (!allowed || Number(status.dataset.seconds) < LONG_S) return;
    const answer = answerOf(status).slice(0, 160);
    const note = new Notification(title, { body: answer || talk.dataset.done, tag: talk.dataset.events });
    note.onclick = () => { window.focus(); note.close(); };
  }

  function cite(link) {
    const { command, first, last } = link.dataset;
    const card = document.getElementById(`command-${command}`);
    if (!card) return false;
    for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
    card.querySelector("details").open = true;
    let target = null;
    for (let n = Number(first); n <= Number(last); n += 1) {
      const line = document.getElementById(`L-${command}-${n}`);
      if (line) { line.classList.add("lit"); target = target || line; }
    }
    if (!target) { window.location.href = `/commands/${command}/output?line=${first}#L-${command}-${first}`; return true; }
    target.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
    return true;
  }

  Object.assign(window.walissh, { place, lost });
  document.addEventListener("walissh:made", tellState);
  document.body.addEventListener("htmx:afterSwap", tellState);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && doneMark) { doneMark = ""; tellState(); } });
  window.addEventListener("scroll", () => { if (fresh && atEnd()) { fresh = 0; showNew(); } }, { passive: true });
  below.addEventListener("click", () => { fresh = 0; toEnd(); showNew(); });
  document.body.addEventListener("htmx:beforeSwap", (event) => {
    // an error that comes as a piece of the page is shown in its place
    const { xhr } = event.detail;
    if (xhr.status === 400 && (xhr.getResponseHeader("Content-Type") || "").startsWith("text/html")) {
      Object.assign(event.detail, { shouldSwap: true, isError: false });
    }
    // the stream may have brought the new turn before the answer to its form
    if (event.detail.target.id !== "turns") return;
    const made = /id="(turn-[0-9a-f]+)"/.exec(event.detail.serverResponse);
    if (made && document.getElementById(made[1])) event.detail.swapOverride = "none";
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    const { requestConfig: { elt }, successful } = event.detail;
    if (!successful) return;
    if (elt.id === "ask") { elt.reset(); toEnd(); }
    if (elt.matches(".asked-form")) {
      // the buttons are gone, and the focus with them
      const card = document.getElementById(elt.closest(".asked").id);
      if (card) card.focus({ preventScroll: true });
      toEnd();
    }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".cite-link");
    if (link && cite(link)) event.preventDefault();
    if (event.target.closest(".notify-me")) Notification.requestPermission().then(tellState);
  });
  for (const box of talk.querySelectorAll(".output-live")) box.scrollTop = box.scrollHeight;
  tellState();
  // what was just said stands at the top
  if (!window.location.hash && !document.querySelector(".said")) toEnd();
})();
