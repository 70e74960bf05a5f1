// Judging by highlighting. Offsets are code points of the document's text: the text nodes of #text, in order, are that
// text from data-start on. Nothing is read from selection.toString(), which shows text as it is laid out.
"use strict";
(() => {
  const text = document.getElementById("text");
  const desk = document.getElementById("desk");
  const feedback = document.getElementById("feedback");
  const note = document.getElementById("note");
  const lost = document.getElementById("lost");
  const lostEntry = document.getElementById("lost-entry");
  const base = Number(desk.dataset.start);
  const painter = typeof Highlight === "function" && CSS.highlights ? new Map() : null;
  let state = JSON.parse(desk.dataset.state);
  const { checksum } = state;  // of the text on this page
  let pending = 0;
  let cursor = null;  // {start, end}: what is framed, in UTF-16 units of `whole`
  let resume = 0;  // where the keyboard goes on when nothing is framed
  let chosen = null;  // the highlight that is being changed: {start, end} in code points

  // ---- places: UTF-16 units of the whole text <-> nodes, and <-> code points
  const nodes = [];
  const begins = [];
  let whole = "";
  const measure = () => {
    nodes.length = begins.length = 0;
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const pieces = [];
    let length = 0;
    while (walker.nextNode()) {
      nodes.push(walker.currentNode);
      begins.push(length);
      pieces.push(walker.currentNode.data);
      length += walker.currentNode.length;
    }
    whole = pieces.join("");
  };
  measure();
  const pairs = [];  // units at which a character of two units begins
  for (const match of whole.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) pairs.push(match.index);
  const before = (list, value) => {  // how many of an ascending list are below a value
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  };
  const toPoints = (unit) => base + unit - before(pairs, unit);
  const pairPoints = pairs.map((unit, number) => unit - number);
  const toUnits = (point) => point - base + before(pairPoints, point - base);
  const atUnit = (unit, isEnd) => {
    let number = before(begins, unit + (isEnd ? 0 : 1)) - 1;
    if (number < 0) number = 0;
    return [nodes[number], Math.min(Math.max(0, unit - begins[number]), nodes[number].length)];
  };
  const rangeOf = (start, end) => {
    const range = document.createRange();
    range.setStart(...atUnit(start, false));
    range.setEnd(...atUnit(end, true));
    return range;
  };
  // A border of a DOM range as a unit: in a text node by its offset, in an element by the first text after the place.
  const unitOf = (container, offset) => {
    if (container.nodeType === Node.TEXT_NODE) {
      const number = nodes.indexOf(container);
      if (number >= 0) return begins[number] + offset;
    }
    const place = document.createRange();
    place.setStart(container, offset);
    let low = 0, high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const position = place.comparePoint(nodes[middle], 0);
      if (position < 0) low = middle + 1; else high = middle;
    }
    return low < nodes.length ? begins[low] : whole.length;
  };

  // ---- painting: the Custom Highlight API, or mark elements where it is missing
  const paint = (name, ranges) => {
    const shown = ranges.filter(([start, end]) => end > start && end > 0 && start < whole.length)
      .map(([start, end]) => [Math.max(0, start), Math.min(whole.length, end)]);
    if (painter) {
      const highlight = new Highlight(...shown.map(([start, end]) => rangeOf(start, end)));
      highlight.priority = { retrieved: 0, judged: 1, cursor: 2, entry: 3 }[name];
      CSS.highlights.set(name, highlight);
      return;
    }
    for (const mark of text.querySelectorAll(`mark.${name}`)) mark.replaceWith(...mark.childNodes);
    text.normalize();
    measure();
    for (const [start, end] of shown.slice().reverse()) {
      for (let number = before(begins, end) - 1; number >= 0 && begins[number] + nodes[number].length > start; number--) {
        const node = nodes[number];
        const from = Math.max(0, start - begins[number]), to = Math.min(node.length, end - begins[number]);
        if (from >= to) continue;
        const piece = document.createRange();
        piece.setStart(node, from);
        piece.setEnd(node, to);
        const mark = document.createElement("mark");
        mark.className = name;
        piece.surroundContents(mark);
      }
    }
    measure();
  };
  const marks = () => state.highlights.map(({ start, end }) => [toUnits(start), toUnits(end)]);
  const draw = () => {
    paint("judged", marks());
    const entry = state.best_entry_point;
    paint("cursor", cursor ? [[cursor.start, cursor.end]] : []);
    paint("entry", entry === null ? [] : [[toUnits(entry), wordAt(toUnits(entry))[1]]]);
    const button = (name) => desk.querySelector(`[data-do="${name}"]`);
    button("undo").disabled = !state.can_undo;
    button("redo").disabled = !state.can_redo;
    button("entry").disabled = !cursor;
    button("delete").disabled = !chosen;
    button("nothing").setAttribute("aria-pressed", String(state.nothing_relevant));
    lost.hidden = !state.lost.length && !state.lost_entry_point;
    if (lostEntry) lostEntry.hidden = !state.lost_entry_point;
  };
  const say = (message, wrong) => {
    feedback.textContent = message;
    feedback.classList.toggle("wrong", Boolean(wrong));
  };
  const summary = () => {
    const n = state.highlights.length;
    const characters = state.highlights.reduce((sum, { start, end }) => sum + end - start, 0);
    if (state.nothing_relevant) return "Nothing relevant. Saved.";
    const entry = state.best_entry_point === null ? "" : ", best entry point";
    return `${n} highlight${n === 1 ? "" : "s"}, ${characters.toLocaleString("en")} characters${entry}. Saved.`;
  };

  // ---- saving: one action after another; an action counts when the service has answered
  // An action that is not saved takes those with it that already wait after it: they built on it.
  let queue = Promise.resolve();
  let failures = 0;
  const patiently = async (ask) => {  // while the service has too much to do, a few times
    for (let left = 4; ; left--) {
      const response = await ask();
      const seconds = Number(response.headers.get("Retry-After"));
      if (response.status !== 503 || !seconds || !left) return response;
      await new Promise((done) => setTimeout(done, 1000 * seconds));
    }
  };
  const send = (kind, body = {}) => {
    const before = failures;
    pending += 1;
    say("Saving …");
    const saved = queue.then(async () => {
      if (failures !== before) return false;
      const response = await patiently(() => fetch(desk.dataset.judgements, {
        method: "POST",
        credentials: "same-origin",
        keepalive: true,  // it is sent even if another page is opened meanwhile
        headers: { "Content-Type": "application/json", "X-Form-Token": desk.dataset.formToken },
        body: JSON.stringify({ topic: state.topic, document: state.document, kind, version: state.version, checksum, ...body }),
      }));
      const answer = await response.json().catch(() => ({ detail: `the answer, status ${response.status}, cannot be read.` }));
      if (answer.version === undefined) throw new Error(answer.detail);
      const edited = isEdited();
      const isOutdated = answer.checksum !== checksum;  // its places are not those of this page
      state = isOutdated ? { ...state, note: answer.note, version: answer.version } : answer;
      if (!edited) note.value = state.note;  // undone, or done again
      draw();
      if (isOutdated) say("Saved. The document has changed meanwhile: load the page again.", true);
      else say(summary());
      return true;
    }).catch((error) => {
      failures += 1;
      say(`Not saved: ${error.message}`, true);
      return false;
    }).finally(() => { pending -= 1; });
    queue = saved;
    return saved;
  };
  // ---- the note: saved when it is left, or the page
  if (note.value === note.defaultValue) note.value = state.note;  // with a line end at its start, too
  const isEdited = () => note.value !== state.note.replace(/\r\n?/g, "\n");
  const saveNote = () => (isEdited() ? send("note", { text: note.value }) : queue);
  note.addEventListener("change", saveNote);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") saveNote(); });
  addEventListener("beforeunload", (event) => { if (pending || isEdited()) event.preventDefault(); });
  const allSaved = async () => {
    const before = failures;
    while ((pending || isEdited()) && failures === before) {
      await queue;
      await saveNote();
    }
    return failures === before;
  };

  // ---- words and blocks, for the keyboard
  const isWord = /[\p{L}\p{N}\p{M}]/u;
  // A word ends at white space, and where a block begins: between blocks there may be no white space.
  const wordAt = (unit) => {
    const word = /[^\s]+/gu;
    word.lastIndex = Math.max(0, whole.lastIndexOf(" ", unit - 1) - 200);
    for (let match; (match = word.exec(whole));) {
      const end = match.index + match[0].length;
      if (end <= unit) continue;
      const next = before(starts, Math.max(unit, match.index) + 1);
      return [Math.max(match.index, starts[next - 1] ?? 0), Math.min(end, starts[next] ?? end)];
    }
    return [whole.length, whole.length];
  };
  const wordBefore = (unit) => {
    const found = /[^\s]+\s*$/u.exec(whole.slice(Math.max(0, unit - 2000), unit));
    if (!found) return [0, wordAt(0)[1]];
    const start = Math.max(0, unit - 2000) + found.index;
    const end = start + found[0].trimEnd().length;
    return [Math.max(start, starts[before(starts, end) - 1] ?? 0), end];
  };
  // Blocks are the lowest elements with text of their own; inline elements belong to the block around them.
  const blocks = [];
  for (let number = 0; number < nodes.length; number++) {
    if (!isWord.test(nodes[number].data)) continue;
    const holder = nodes[number].parentElement.closest("div, td, th, caption");
    if (!holder || getComputedStyle(holder).display === "none") continue;
    const start = begins[number] + nodes[number].data.search(/\S/);
    const end = begins[number] + nodes[number].data.trimEnd().length;
    const last = blocks[blocks.length - 1];
    if (last && last.holder === holder) last.end = end; else blocks.push({ holder, start, end });
  }
  const starts = blocks.map((block) => block.start);
  // The whole word around a place, as far as its block has it: a drag that ends inside a word means all of it.
  const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });
  const wordAround = (unit) => {
    const block = before(starts, unit + 1);
    const from = Math.max(starts[block - 1] ?? 0, unit - 200), to = Math.min(starts[block] ?? whole.length, unit + 200);
    let first = unit, end = unit + 1;
    while (first > from && /\S/.test(whole[first - 1])) first -= 1;
    while (end < to && /\S/.test(whole[end])) end += 1;
    const word = segmenter.segment(whole.slice(first, end)).containing(unit - first);
    return [first + word.index, first + word.index + word.segment.length];
  };
  const blockFrom = (unit) => blocks.findIndex((block) => block.end > unit);
  const frame = (start, end, scroll = true) => {
    cursor = end > start ? { start, end } : null;
    if (cursor && scroll) {
      const box = rangeOf(start, end).getBoundingClientRect();
      if (box.top < 60 || box.bottom > innerHeight - 160) scrollBy({ top: box.top - innerHeight / 3, behavior: "instant" });
    }
    draw();
    if (cursor) say(whole.slice(start, end).replace(/\s+/g, " ").slice(0, 200));
  };
  const step = (key, extends_) => {
    const at = cursor || { start: resume, end: resume };
    if (key === "ArrowUp" && extends_ && cursor) {  // takes the last block back, if there are several
      const last = blockFrom(at.end - 1);
      if (last > blockFrom(at.start)) frame(at.start, blocks[last - 1].end);
      return;
    }
    if (key === "ArrowDown" || key === "ArrowUp") {
      const here = at.end > 0 ? blockFrom(key === "ArrowDown" ? at.end - 1 : at.start) : -1;
      const next = key === "ArrowDown" ? here + 1 : Math.max(0, (here < 0 ? blocks.length : here) - 1);
      const block = blocks[Math.min(next, blocks.length - 1)];
      if (!block) return;
      frame(extends_ && cursor ? at.start : block.start, block.end);
      return;
    }
    if (key === "ArrowRight") {
      const [start, end] = wordAt(at.end);
      frame(extends_ && cursor ? at.start : start, end);
    } else if (extends_ && cursor) {
      const [start] = wordBefore(at.end);
      const [, end] = wordBefore(Math.max(start, at.start + 1));
      frame(at.start, Math.max(end, wordAt(at.start)[1]));
    } else {
      const [start, end] = wordBefore(at.start);
      frame(start, end);
    }
  };

  // ---- actions
  const points = (range) => ({ start: toPoints(range.start), end: toPoints(range.end) });
  const letGo = () => { if (cursor) resume = cursor.end; cursor = null; chosen = null; getSelection().removeAllRanges(); draw(); };
  const markCursor = () => {
    if (!cursor) return say("Frame some text first: arrows, or drag.");
    const here = points(cursor);
    const old = chosen;
    letGo();
    return old
      ? send("change", { ...here, old_start: old.start, old_end: old.end })
      : send("mark", here);
  };
  const erase = () => {
    const here = chosen || (cursor && points(cursor));
    if (!here) return say("Frame some text first: arrows, or drag.");
    letGo();
    return send("erase", { start: here.start, end: here.end });
  };
  const choose = (highlight) => {
    chosen = highlight ? { start: highlight.start, end: highlight.end } : null;
    if (highlight) {
      frame(toUnits(highlight.start), toUnits(highlight.end));
      say("Highlight chosen: extend or shorten it with Shift and the arrows, Enter changes, Delete erases.");
    }
  };
  const nextHighlight = () => {
    const from = cursor ? toPoints(cursor.start) : base - 1;
    choose(state.highlights.find(({ start }) => start > from) || state.highlights[0]);
  };
  const retrieved = JSON.parse(desk.dataset.retrieved).map(([start, end]) => [toUnits(start), toUnits(end)])
    .filter(([start, end]) => end > start && start >= 0 && end <= whole.length);
  let last = -1;
  const nextRetrieved = (step) => {
    if (!retrieved.length) return say("No run has an element on this page.");
    last = last < 0 ? (step > 0 ? 0 : retrieved.length - 1) : (last + step + retrieved.length) % retrieved.length;
    frame(...retrieved[last]);
    say(`Retrieved element ${last + 1} of ${retrieved.length}: Enter marks it.`);
  };
  const actions = {
    undo: () => send("undo"),
    redo: () => send("redo"),
    entry: () => (cursor ? send("entry", { offset: toPoints(cursor.start) }) : say("Frame some text first.")),
    delete: erase,
    nothing: () => send(state.nothing_relevant ? "reopen" : "nothing"),
    forget: () => send("forget"),
    done: async () => {
      if (await allSaved() && await send("done") && await allSaved()) location.assign(desk.dataset.next);
    },
  };
  for (const button of document.querySelectorAll("[data-do]")) button.addEventListener("click", () => actions[button.dataset.do]());

  // Keys work wherever the focus is, but in fields; what Enter and arrows do to a link or a button stays.
  const isOthers = (target, key) => target.closest("textarea, select, input:not([type=radio])")
    || (!text.contains(target) && target.closest("a, button, summary, input") && (key.length > 1));
  document.addEventListener("keydown", (event) => {
    if (isOthers(event.target, event.key)) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === "z") { event.preventDefault(); actions.undo(); }
      if (event.key === "y") { event.preventDefault(); actions.redo(); }
      return;
    }
    if (event.altKey) return;
    const done = {
      Enter: markCursor, m: markCursor, Delete: erase, Backspace: erase, e: erase, z: actions.undo, y: actions.redo,
      b: actions.entry, n: actions.nothing, s: actions.done, h: nextHighlight,
      j: () => nextRetrieved(1), k: () => nextRetrieved(-1), Escape: letGo,
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (done) { event.preventDefault(); done(); }
    else if (event.key.startsWith("Arrow")) { event.preventDefault(); step(event.key, event.shiftKey); }
  });

  const pen = () => desk.querySelector("[name=pen]:checked").value;
  let pressed = false;
  text.addEventListener("pointerdown", () => { pressed = true; });
  const released = ({ altKey: exact }) => {
    if (!pressed) return;
    pressed = false;
    setTimeout(() => {  // the selection is settled after the event
      const selection = getSelection();
      if (!selection.rangeCount) return;
      const range = selection.getRangeAt(0);
      if (range.collapsed) {
        if (!text.contains(range.startContainer)) return;
        const point = toPoints(unitOf(range.startContainer, range.startOffset));
        const here = state.highlights.find(({ start, end }) => start <= point && point < end);
        if (here) choose(here); else letGo();
        return;
      }
      const box = document.createRange();
      box.selectNodeContents(text);
      if (range.compareBoundaryPoints(Range.END_TO_START, box) >= 0 || range.compareBoundaryPoints(Range.START_TO_END, box) <= 0) return;
      let start = range.compareBoundaryPoints(Range.START_TO_START, box) < 0 ? 0 : unitOf(range.startContainer, range.startOffset);
      let end = range.compareBoundaryPoints(Range.END_TO_END, box) > 0 ? whole.length : unitOf(range.endContainer, range.endOffset);
      while (start < end && /\s/.test(whole[start])) start += 1;  // blanks at the ends are not meant
      while (end > start && /\s/.test(whole[end - 1])) end -= 1;
      if (start >= end) return;
      if (!exact) [start, end] = [wordAround(start)[0], wordAround(end - 1)[1]];
      const how = pen();
      if (how === "read") return frame(start, end, false);
      const here = { start: toPoints(start), end: toPoints(end) };
      letGo();
      text.focus({ preventScroll: true });
      send(how, here);
    }, 0);
  };
  addEventListener("pointerup", released);
  addEventListener("pointercancel", released);

  document.documentElement.dataset.judging = "ready";
  draw();
  if (painter) paint("retrieved", retrieved);
  if (document.activeElement === document.body && !location.hash) text.focus({ preventScroll: true });
})();
