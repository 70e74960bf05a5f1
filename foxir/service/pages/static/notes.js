// Notes and references open in place. Links to sections, tables and figures lead there, as all do without this script.
"use strict";
document.addEventListener("click", (event) => {
  const link = event.target.closest("#text a[href^='#e']"), note = document.getElementById("note");
  if (!link || !note || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const target = document.getElementById(link.hash.slice(1));
  if (!target || target.contains(link) || target.textContent.length > 1500 || target.querySelector("table, img")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const copy = target.cloneNode(true), there = document.createElement("a");
  copy.querySelectorAll(".why").forEach((each) => each.remove());
  [copy, ...copy.querySelectorAll("[id]")].forEach((each) => each.removeAttribute("id"));
  copy.hidden = false;
  Object.assign(there, { href: link.href, textContent: "Show it in the text", onclick: () => note.hidePopover() });
  note.replaceChildren(copy, there);
  note.showPopover({ source: link });
  const { left, top, bottom } = link.getBoundingClientRect(), { offsetWidth, offsetHeight } = note;
  note.style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
  note.style.top = `${bottom + 4 + offsetHeight < innerHeight ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
  note.focus({ preventScroll: true });
});
