// The page's one event stream. htmx's own forgets the last id after a 503; this one keeps it,
// tries again with longer pauses, and asks every 3 s instead when streams do not come through.
(() => {
  "use strict";
  const talk = document.getElementById("talk");
  const LONGEST_PAUSE_MS = 15000;
  const POLL_MS = 3000;
  const SILENCE_MS = 40000; // the server says something at least each 15 s
  let after = talk.dataset.after;
  let failures = 0;
  let source = null;
  let timer = 0;
  let watch = 0;

  const place = (name, data) => window.walissh.place(name, data);

  function heard() {
    failures = 0;
    window.walissh.lost(false);
    clearTimeout(watch);
    watch = setTimeout(failed, SILENCE_MS);
  }

  function open() {
    source = new EventSource(`${talk.dataset.events}?after=${encodeURIComponent(after)}`);
    source.addEventListener("open", heard);
    source.addEventListener("at", (event) => { after = event.data; heard(); });
    source.addEventListener("beat", heard);
    source.addEventListener("error", failed);
    for (const name of ["swap", "output"]) {
      source.addEventListener(name, (event) => { heard(); place(name, JSON.parse(event.data)); });
    }
  }

  function failed() {
    clearTimeout(watch);
    if (source) source.close();
    source = null;
    failures += 1;
    window.walissh.lost(failures > 1);
    clearTimeout(timer);
    if (failures >= 3) timer = setTimeout(poll, POLL_MS);
    else timer = setTimeout(open, Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failures) * (0.5 + Math.random()));
  }

  let polls = 0;
  async function poll() {
    try {
      const answer = await fetch(`${talk.dataset.state}?after=${encodeURIComponent(after)}`);
      // signed out, or the session was deleted: the page itself says which
      if (answer.redirected || [401, 404].includes(answer.status)) { window.location.reload(); return; }
      if (!answer.ok) throw new Error(String(answer.status));
      const told = await answer.json();
      told.items.forEach((item) => place(item.name, item.data));
      after = told.after;
      window.walissh.lost(false);
      polls += 1;
    } catch {
      window.walissh.lost(true);
    }
    // every tenth time the stream is given another chance
    if (polls % 10 === 9) { polls += 1; open(); } else timer = setTimeout(poll, POLL_MS);
  }

  window.addEventListener("pagehide", () => { if (source) source.close(); clearTimeout(timer); clearTimeout(watch); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });
  window.addEventListener("load", open);
})();
