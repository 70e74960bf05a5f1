// Places are UTF-16 units of #text; for the service, code points.
const [text, desk, note, lost, feedback, help] = ["text", "desk", "note", "lost", "feedback", "keys"].map((id) => document.getElementById(id));
const { start: base, retrieved, judgements, formToken, next: nextPage } = desk.dataset;
let state = JSON.parse(desk.dataset.state);
const { checksum } = state;
let cursor = null, chosen = null, resume = 0;

const nodes = [], begins = [];
let whole = "";
for (const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT); walker.nextNode();) {
  nodes.push(walker.currentNode);
  begins.push(whole.length);
  whole += walker.currentNode.data;
}
const below = (list, value) => list.filter((each) => each < value).length;
const pairs = Array.from(whole.matchAll(/[\u{10000}-\u{10ffff}]/gu), ({ index }) => index);
const pairPoints = pairs.map((unit, number) => unit - number);
const toPoint = (unit) => Number(base) + unit - below(pairs, unit);
const toUnit = (point) => point - base + below(pairPoints, point - base);
const toPoints = ([start, end]) => ({ start: toPoint(start), end: toPoint(end) });
const toUnits = ({ start, end }) => [toUnit(start), toUnit(end)];
const rangeOf = ([start, end]) => {
  const range = document.createRange();
  const at = (unit, number) => [nodes[number], Math.min(unit - begins[number], nodes[number].length)];
  range.setStart(...at(Math.max(0, start), Math.max(0, below(begins, start + 1) - 1)));
  range.setEnd(...at(end, Math.max(0, below(begins, end) - 1)));
  return range;
};
const unitOf = (container, offset) => {
  const range = rangeOf([0, 0]);
  range.setEnd(container, offset);
  return range.toString().length;
};

const paint = (name, spans) => {  // retrieved, judged, cursor, entry: the last on top
  const ranges = spans.filter(([start, end]) => start < whole.length && end > Math.max(0, start)).map(rangeOf);
  if (CSS.highlights) return CSS.highlights.set(name, Object.assign(new Highlight(...ranges), { priority: "rjce".indexOf(name[0]) }));
  document.querySelectorAll(`.shade.${name}`).forEach((each) => each.remove());  // boxes, in old browsers
  for (const { x, y, width, height } of ranges.flatMap((range) => [...range.getClientRects()])) {
    const style = `left:${x + scrollX}px;top:${y + scrollY}px;width:${width}px;height:${height}px`;
    document.body.append(Object.assign(document.createElement("i"), { className: `shade ${name}`, style }));
  }
};
const found = JSON.parse(retrieved).map(toUnits);
const draw = () => {
  paint("retrieved", found);
  const entry = state.best_entry_point, begin = toUnit(entry);
  paint("judged", state.highlights.map(toUnits));
  paint("cursor", cursor ? [cursor] : []);
  paint("entry", entry === null ? [] : [[begin, wordAt(begin)[1]]]);
  const isOff = { undo: !state.can_undo, redo: !state.can_redo, entry: !cursor, delete: !chosen };
  for (const name in isOff) desk.querySelector(`[data-do=${name}]`).disabled = isOff[name];
  desk.querySelector("[data-do=nothing]").ariaPressed = state.nothing_relevant;
  lost.hidden = !state.lost.length && !state.lost_entry_point;
  document.body.classList.toggle("judged", state.highlights.length > 0 || (state.done && !state.lost.length));
  lost.classList.toggle("found", !state.lost_entry_point);
};
const say = (message, isWrong = false) => {
  feedback.textContent = message;
  feedback.classList.toggle("wrong", isWrong);
};
const summary = () => {
  if (state.nothing_relevant) return "Nothing relevant. Saved.";
  const n = state.highlights.length, entry = state.best_entry_point === null ? "" : ", best entry point";
  return `${n} highlight${n === 1 ? "" : "s"}${entry}. Saved.`;
};

let queue = Promise.resolve(), pending = 0, failures = 0;
const post = async (body, left = 4) => {
  const response = await fetch(judgements, {
    method: "POST",
    keepalive: true,
    headers: { "Content-Type": "application/json", "X-Form-Token": formToken },
    body,
  });
  const seconds = Number(response.headers.get("Retry-After"));
  if (response.status !== 503 || !seconds || !left) return response;
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  return post(body, left - 1);
};
const save = async (kind, body) => {
  const { topic, document, version } = state;
  const response = await post(JSON.stringify({ topic, document, kind, version, checksum, ...body }));
  const answer = await response.json().catch(() => ({ detail: `the answer, status ${response.status}, cannot be read.` }));
  if (answer.version === undefined) throw new Error(answer.detail);
  const isTyped = isEdited(), isOutdated = answer.checksum !== checksum;
  state = isOutdated ? { ...state, note: answer.note, version: answer.version } : answer;
  if (!isTyped) note.value = state.note;
  draw();
  say(isOutdated ? "Saved. The document has changed: load the page again." : summary(), isOutdated);
  return true;
};
const send = (kind, body) => {
  const known = failures;
  pending += 1;
  say("Saving …");
  queue = queue.then(() => failures === known && save(kind, body)).catch((error) => {
    failures += 1;
    say(`Not saved: ${error.message}`, true);
    return false;
  }).finally(() => { pending -= 1; });
  return queue;
};
if (note.value === note.defaultValue) note.value = state.note;
const isEdited = () => note.value !== state.note.replace(/\r\n?/g, "\n");
const saveNote = () => (isEdited() ? send("note", { text: note.value }) : queue);
note.onchange = saveNote;
document.onvisibilitychange = () => { if (document.hidden) saveNote(); };
onbeforeunload = (event) => { if (pending || isEdited()) event.preventDefault(); };
const allSaved = async () => {
  const known = failures;
  while ((pending || isEdited()) && failures === known) await saveNote();
  return failures === known;
};

const blocks = [];
nodes.forEach(({ data, parentElement }, number) => {
  const holder = /[\p{L}\p{N}\p{M}]/u.test(data) ? parentElement.closest("div, td, th, caption") : null;
  if (!holder?.checkVisibility()) return;
  const start = begins[number] + data.search(/\S/), end = begins[number] + data.trimEnd().length;
  if (blocks.at(-1)?.holder === holder) blocks.at(-1).end = end; else blocks.push({ holder, start, end });
});
const blockFrom = (unit) => blocks.findIndex(({ end }) => end > unit);
const edges = [0, ...blocks.map(({ start }) => start), whole.length];
const words = edges.flatMap((edge, number) =>
  [...whole.slice(edge, edges[number + 1]).matchAll(/\S+/g)].map(({ index, 0: word }) => [edge + index, edge + index + word.length]));
const wordAt = (unit) => words.find(([, end]) => end > unit) ?? [whole.length, whole.length];
const wordBefore = (unit) => words.findLast(([start]) => start < unit) ?? words[0] ?? [0, 0];
const wordAround = (unit) => {
  const [start, end] = wordAt(unit);
  const { index, segment } = new Intl.Segmenter([], { granularity: "word" }).segment(whole.slice(start, end)).containing(unit - start);
  return [start + index, start + index + segment.length];
};

const frame = ([start, end], scrolls = true) => {
  cursor = end > start ? [start, end] : null;
  draw();
  if (!cursor) return;
  const { top, bottom } = rangeOf([start, end]).getBoundingClientRect();
  if (scrolls && (top < 180 || bottom > innerHeight - 160)) scrollBy({ top: top - innerHeight / 3, behavior: "instant" });
  say(whole.slice(start, end).replace(/\s+/g, " ").slice(0, 200));
};
const step = (key, isLonger) => {
  const [start, end] = cursor ?? [resume, resume], keeps = isLonger && cursor, isDown = key === "ArrowDown";
  if (isDown || key === "ArrowUp") {
    const here = end ? blockFrom(isDown || keeps ? end - 1 : start) : -1;
    const next = isDown ? Math.min(here + 1, blocks.length - 1) : Math.max(0, (here < 0 ? blocks.length : here) - 1);
    if (!blocks[next] || (keeps && next < blockFrom(start))) return;
    frame([keeps ? start : blocks[next].start, blocks[next].end]);
  } else if (key === "ArrowRight") {
    const word = wordAt(end);
    frame([keeps ? start : word[0], word[1]]);
  } else if (keeps) {
    frame([start, Math.max(wordBefore(wordBefore(end)[0])[1], wordAt(start)[1])]);
  } else frame(wordBefore(start));
};

const letGo = () => {
  resume = cursor?.[1] ?? resume;
  cursor = chosen = null;
  getSelection().removeAllRanges();
  draw();
};
const withFrame = (act) => () => {
  if (!cursor) return say("Frame some text first: arrows, or drag.");
  const here = toPoints(cursor), old = chosen;
  letGo();
  return act(here, old);
};
const mark = withFrame((here, old) =>
  send(old ? "change" : "mark", old ? { ...here, old_start: old.start, old_end: old.end } : here));
const erase = withFrame((here, old) => send("erase", old ?? here));
const choose = (highlight) => {
  chosen = highlight;
  frame(toUnits(highlight));
  say("Highlight chosen: Shift and arrows move its end, Enter saves.");
};
const nextHighlight = () => {
  const from = cursor ? toPoint(cursor[0]) : -1;
  const next = state.highlights.find(({ start }) => start > from) ?? state.highlights[0];
  if (next) choose(next);
};
let last = -1;
const nextRetrieved = (by) => {
  if (!found.length) return say("No element of this page was retrieved.");
  last = last < 0 && by < 0 ? found.length - 1 : (last + by + found.length) % found.length;
  frame(found[last]);
  say(`Retrieved element ${last + 1} of ${found.length}: Enter marks it.`);
};
const actions = {
  undo: () => send("undo"),
  redo: () => send("redo"),
  entry: withFrame(({ start }) => send("entry", { offset: start })),
  delete: erase,
  nothing: () => send(state.nothing_relevant ? "reopen" : "nothing"),
  forget: () => send("forget"),
  done: async () => { if (await allSaved() && await send("done") && await allSaved()) location.assign(nextPage); },
};
document.onclick = ({ target }) => actions[target.dataset.do]?.();

// On links, on buttons and in fields, keys are theirs.
const keys = {
  enter: mark, delete: erase, backspace: erase, z: actions.undo, y: actions.redo, b: actions.entry,
  n: actions.nothing, s: actions.done, h: nextHighlight, j: () => nextRetrieved(1), k: () => nextRetrieved(-1),
  escape: () => (help.matches(":popover-open") ? help.hidePopover() : letGo()), "?": () => help.togglePopover(),
};
document.onkeydown = (event) => {
  const { key, target } = event;
  if (event.altKey || target.closest("textarea, select, input:not([type=radio])")) return;
  if (key.length > 1 && !text.contains(target) && target.closest("a, button, summary, input")) return;
  if ((event.ctrlKey || event.metaKey) && !"zy".includes(key)) return;
  const done = keys[key.toLowerCase()] ?? (key.startsWith("Arrow") && (() => step(key, event.shiftKey)));
  if (!done) return;
  event.preventDefault();
  done();
};

let isPressed = false;
text.onpointerdown = () => { isPressed = true; };
const selected = (isExact) => {
  if (!getSelection().rangeCount) return;
  const range = getSelection().getRangeAt(0);
  if (!range.intersectsNode(text)) return;
  let start = unitOf(range.startContainer, range.startOffset);
  let end = Math.min(unitOf(range.endContainer, range.endOffset), whole.length);
  if (range.collapsed) {
    const here = state.highlights.find((each) => each.start <= toPoint(start) && toPoint(start) < each.end);
    if (here) choose(here); else letGo();
    return;
  }
  const quote = whole.slice(start, end);
  if (!quote.trim()) return;
  start += quote.search(/\S/);
  end = start + quote.trim().length;
  if (!isExact) [start, end] = [wordAround(start)[0], wordAround(end - 1)[1]];
  const how = desk.querySelector("[name=pen]:checked").value;
  if (how === "read") return frame([start, end], false);
  letGo();
  text.focus({ preventScroll: true });
  send(how, toPoints([start, end]));
};
onpointerup = onpointercancel = ({ altKey }) => {
  if (isPressed) setTimeout(selected, 0, altKey);
  isPressed = false;
};

document.documentElement.dataset.judging = "ready";
onresize = draw;
draw();
if (document.activeElement === document.body && !location.hash) text.focus({ preventScroll: innerHeight > 450 });
