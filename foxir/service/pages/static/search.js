// The box, and answers beside their document. Without it, links lead from page to page.
"use strict";
const box = document.getElementById("q");
const hints = document.getElementById("hints");
let pause = 0, chosen = -1;
// Suggestions under the box: completed queries, then titles of documents, which a choice opens beside the answers.
const choose = (place) => {
  chosen = place;
  [...hints.children].forEach((each, number) => each.setAttribute("aria-selected", number === place));
  if (place < 0) box.removeAttribute("aria-activedescendant"); else box.setAttribute("aria-activedescendant", hints.children[place].id);
};
const hide = () => {
  clearTimeout(pause);
  hints.hidden = true;
  choose(-1);
};
const take = ({ dataset, textContent }) => {
  hide();
  if (dataset.document === undefined) {
    box.value = `${textContent} `;
    return box.focus();
  }
  const address = new URL(hints.dataset.open, location.href);
  address.searchParams.set("q", textContent);
  address.searchParams.set("open", dataset.document);
  location.assign(address);
};
const suggest = async () => {
  const typed = box.value, address = new URL(hints.dataset.suggest, location.href);
  address.searchParams.set("q", typed);
  const response = await fetch(address).catch(() => null);
  const found = response?.ok ? await response.json() : { queries: [], documents: [] };
  if (box.value !== typed || document.activeElement !== box) return;
  const shown = [...found.queries.map((text) => [text]), ...found.documents.map(({ title, document }) => [title, document])];
  hints.replaceChildren(...shown.map(([text, id], number) => {
    const hint = document.createElement("li");
    Object.assign(hint, { id: `hint-${number}`, role: "option", textContent: text });
    if (id !== undefined) hint.dataset.document = id;
    return hint;
  }));
  choose(-1);
  hints.hidden = !shown.length;
};
box.addEventListener("input", () => {
  hide();
  const typed = box.value;
  if (typed.trim().length > 1 && typed.length <= 200 && !typed.startsWith("/")) pause = setTimeout(suggest, 150);
});
box.addEventListener("blur", hide);
hints.addEventListener("pointerdown", (event) => {
  event.preventDefault();  // the box keeps the focus
  const hint = event.target.closest("li");
  if (hint) take(hint);
});
// Enter searches; Shift and Enter begin a new line. Empty fields stay out of the address.
box.addEventListener("keydown", (event) => {
  const n = hints.children.length;
  if (!hints.hidden && ["ArrowDown", "ArrowUp", "Escape"].includes(event.key)) {
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") return hide();
    return choose((chosen + (event.key === "ArrowDown" ? 2 : n + 1)) % (n + 1) - 1);
  }
  if (event.key === "Escape") return reader && box.value === box.defaultValue && box.blur();
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  if (chosen >= 0) {
    event.preventDefault();
    return take(hints.children[chosen]);
  }
  event.preventDefault();
  box.form.requestSubmit(box.form.querySelector("button"));
});
box.form.addEventListener("formdata", (event) => {
  for (const [name, value] of [...event.formData]) {
    if (name !== "q" && (value === "" || (value instanceof File && !value.name))) event.formData.delete(name);
  }
});
if (matchMedia("(max-width: 30rem)").matches) document.querySelectorAll(".options, .narrowing").forEach((each) => { each.open = false; });

const reader = document.getElementById("reader");
if (reader) {
  const PLACE = ["path", "start", "end", "part", "checksum"];
  const links = [...document.querySelectorAll(".list h2 a")];
  const isWide = () => matchMedia("(min-width: 56.01rem)").matches;
  const isOpen = () => document.body.classList.contains("open");
  const openIn = (address) => new URL(address).searchParams.get("open");
  let shown = location.search, loading = null, left = 0;

  // The address of both panes for a link that leads to a document, null for another link.
  const panesOf = (link) => {
    const from = new URL(link.href), to = new URL(location.href);
    const document = from.searchParams.get(from.pathname.endsWith("/read") ? "document" : "open");
    if (!document || link.matches(".bar a:not(.steps a)")) return null;
    for (const name of PLACE) {
      to.searchParams.delete(name);
      if (from.searchParams.has(name)) to.searchParams.set(name, from.searchParams.get(name));
    }
    to.searchParams.set("open", document);
    to.hash = from.hash;
    return to;
  };
  const here = () => {
    shown = location.search;
    document.querySelector(".permalink").href = location.href;
  };
  const fetched = async (address) => {
    loading?.abort();
    loading = new AbortController();
    const response = await fetch(address, { signal: loading.signal });
    if (!response.ok || response.redirected) throw new Error(response.statusText);
    return response.text();
  };
  const current = (document) => {
    for (const link of links) {
      const isIt = document !== null && new URL(link.href).searchParams.get("document") === document;
      link.closest("article").toggleAttribute("aria-current", isIt);
      if (isIt) link.closest("article").setAttribute("aria-current", "true");
    }
  };
  const close = () => {
    if (!isOpen()) return;
    const card = document.querySelector("article[aria-current] h2 a");
    document.body.classList.remove("open");
    reader.replaceChildren();
    here();
    current(null);
    if (!isWide()) scrollTo({ top: left, behavior: "instant" });
    card?.focus({ preventScroll: !isWide() });
  };
  const toPlace = (hash) => {
    const target = hash && document.getElementById(hash.slice(1));
    if (target) target.scrollIntoView({ block: "start", behavior: "instant" });
    else if (isWide()) reader.scrollTop = 0; else scrollTo(0, 0);
  };
  if (isOpen()) toPlace(location.hash);  // loaded again, a page is where it was, but not a part of it that scrolls
  // Shows a document beside the answers. how: "pushState", "replaceState", or "" where the address is there already.
  const open = async (address, how, takesFocus = true) => {
    const from = new URL("read", box.form.action);
    from.search = address.search;
    from.searchParams.set("document", openIn(address));
    for (const name of ["open", "blocks", "offset", "limit"]) from.searchParams.delete(name);
    from.searchParams.set("pane", "1");
    try {
      const pane = await fetched(from);
      if (!isOpen()) left = scrollY;
      reader.innerHTML = pane;
    } catch (error) {
      if (error.name !== "AbortError") location.assign(address);
      return;
    }
    document.body.classList.add("open");
    if (how) history[how](null, "", address);
    here();
    current(openIn(address));
    toPlace(address.hash);
    if (!takesFocus) return;
    const answer = reader.querySelector(".text .focus") ?? reader.querySelector("#text");
    if (answer.tabIndex < 0) answer.tabIndex = -1;
    answer.focus({ preventScroll: true });
  };
  const explain = async (link) => {
    const old = reader.querySelector(".panel");
    if (old) return old.remove();
    const panel = document.createElement("section");
    panel.className = "panel";
    panel.tabIndex = -1;
    panel.setAttribute("aria-label", "Why?");
    try { panel.innerHTML = await fetched(`${link.href}&pane=1`); } catch { return location.assign(link.href); }
    const focus = document.getElementById("focus");
    const holder = focus?.closest(".table-box, .focus, #text div") ?? document.getElementById("text");
    holder.before(panel);
    panel.scrollIntoView({ block: "nearest", behavior: "instant" });
    panel.focus({ preventScroll: true });
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.matches(".bar .close")) {
      event.preventDefault();
      history.pushState(null, "", link.href);
      close();
    } else if (link.matches(".bar .because")) {
      event.preventDefault();
      explain(link);
    } else if (link.closest(".list, .reader") && panesOf(link)) {
      event.preventDefault();
      open(panesOf(link), "pushState");
    }
  });
  addEventListener("popstate", () => {
    if (location.search === shown) return;  // only another place in the same text
    if (openIn(location.href)) open(new URL(location.href), ""); else close();
  });

  const step = (by) => {
    const at = links.findIndex((link) => link === document.activeElement || link.closest("article[aria-current]"));
    const next = links[Math.min(Math.max(at < 0 ? 0 : at + by, 0), links.length - 1)];
    next.focus();
    if (isOpen() && isWide()) open(panesOf(next), "replaceState", false);
  };
  const keys = {
    j: () => step(1), k: () => step(-1), ArrowDown: () => step(1), ArrowUp: () => step(-1),
    "/": () => { close(); box.focus(); box.select(); },
  };
  document.addEventListener("keydown", (event) => {  // those of the document are in reader.js
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")) return;
    if (event.key.startsWith("Arrow") && !target.closest(".list h2")) return;  // they scroll, elsewhere
    const done = keys[event.key];
    if (!done || !links.length) return;
    event.preventDefault();
    done();
  });
}
