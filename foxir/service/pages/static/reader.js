// The reader of a document: notes and references open in place, the link to a place is copied, and keys. Without this
// script, all links lead somewhere, as those to sections, tables and figures do with it.
"use strict";
const bar = (name) => document.querySelector(`.bar .${name}`);
const openNote = (link, event) => {
  const note = document.getElementById("note"), target = document.getElementById(link.hash.slice(1));
  if (!note || !target || target.contains(link) || target.textContent.length > 1500 || target.querySelector("table, img")) return;
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
};
const copyLink = async (link) => {
  const text = link.textContent;
  try { await navigator.clipboard.writeText(link.href); } catch { return location.assign(link.href); }
  link.textContent = "Link copied";
  setTimeout(() => { link.textContent = text; }, 2000);
};
document.addEventListener("click", (event) => {
  const link = event.target.closest("#text a[href^='#e'], .bar .lasting");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (!link.matches(".lasting")) return openNote(link, event);
  event.preventDefault();
  copyLink(link);
});
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")) return;
  if (key === "?") document.getElementById("keys")?.togglePopover();
  if (key === "Escape" && document.querySelector(":popover-open")) return;
  const link = { n: bar("after"), p: bar("before"), w: bar("because"), Escape: bar("close") ?? document.querySelector(".back a") }[key];
  if (!link) return;
  event.preventDefault();
  link.click();
});
