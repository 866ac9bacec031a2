"use strict";
(() => {
// What stands in the file beside the pictures: data.panels are rows [svg, panel, run, tier, at, body and axes..., side, raw].
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const svgs = [...document.querySelectorAll("figure svg")];
const make = (name, words, ...inside) => {
  const element = document.createElement(name);
  Object.entries(words || {}).forEach(([key, value]) => key in element && key !== "list" ? element[key] = value : element.setAttribute(key, value));
  element.append(...inside.filter(part => part !== null && part !== ""));
  return element;
};
const count = number => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
// As the pictures write them: a number has one unit on the page.
const bytes = size => {
  const one = {B: 1, KiB: 2 ** 10, MiB: 2 ** 20};
  let unit = data.unit || (size < 1024 ? "B" : size < 2 ** 20 ? "KiB" : "MiB");
  if (data.fitted && size && unit === "MiB" && size * 100 < one.MiB) unit = "KiB";
  if (data.fitted && size && unit === "KiB" && size * 100 < one.KiB) unit = "B";
  if (unit === "B") return `${count(size)} B`;
  const value = size / one[unit], digits = value < 1 ? 3 : value < 100 ? 2 : value < 10000 ? 1 : 0;
  const [whole, part] = value.toFixed(digits).replace(/\.?0+$/, value % 1 ? "" : "$&").split(".");
  return size && Number(value.toFixed(3)) === 0 ? `<0.001 ${unit}` : `${count(whole)}${part && Number(part) ? `.${part}` : ""} ${unit}`;
};
const exact = size => size < 1024 || data.unit === "B" ? bytes(size) : `${bytes(size)} (${count(size)} bytes)`;

// ---- the runs ----
const runs = data.runs.map((run, number) => {
  run.number = number;
  run.of = new Map(run.ids.map((id, i) => [id, run.b[i]]));
  run.d = run.d || [];
  run.looks = new Map();
  run.told = new Map((run.told || []).map(([key, words, stack]) => [key, [words, stack]]));
  run.decided = new Map(run.d.map((d, i) => [d[0], i]));
  run.panels = data.panels.filter(panel => panel[2] === number);
  // Pictures of several steps of one run stand still: each is a step of its own.
  run.slides = run.d.length > 0 && run.panels.some(panel => panel[3] >= 0) && run.panels.every(panel => panel[4] === run.panels[0][4]);
  run.home = run.decided.has(run.at) ? run.decided.get(run.at) + 1 : run.at ? run.d.length : 0;
  run.position = run.home;
  return run;
});
runs.forEach(run => {
  const side = run.panels.length ? run.panels[0][13] : ""; // of a difference
  if (side) run.label = `${side}: ${run.label}`;
});
runs.forEach(run => {
  const alike = runs.filter(other => other.label === run.label);
  if (alike.length > 1) alike.forEach((other, i) => other.label += `, ${i + 1}`);
});
const NAME = 0, SIZE = 1, FIRST = 2, LAST = 3, KIND = 4, WRITER = 5, READERS = 6, MORE = 7, STACK = 8, PLACES = 9, MADE = 10, PIECES = 11;
const time = (run, step) => run.times ? run.times[step] : step;
const life = (run, b) => `${time(run, b[FIRST])}..${time(run, b[LAST] + 1) - 1}`;
const spans = (b, places) => !places ? [] : Array.isArray(places[0]) ? places : [[places[0], places[1], b[FIRST], b[LAST]]];
const where = (run, b, places) => spans(b, places).map(place =>
  `${run.tiers.length > 1 ? `${run.tiers[place[0]]}+` : ""}${count(place[1] + data.base)}` +
  (place[2] > b[FIRST] || place[3] < b[LAST] ? ` in ${time(run, place[2])}..${time(run, place[3] + 1) - 1}` : "")).join(", ");

// Each group of a block: its run, its number, its titles.
const groups = [];
const of_run = runs.map(() => new Map());
data.panels.forEach(panel => {
  const blocks = svgs[panel[0]].querySelector(`.blocks[data-p="${panel[1]}"]`);
  [...blocks.children].forEach(group => {
    const title = group.querySelector("title"), words = title ? title.textContent : "";
    if (title) title.remove(); // the card says it
    group.setAttribute("aria-label", words);
    group.setAttribute("role", "img");
    const id = group.dataset.b === undefined ? -1 : Number(group.dataset.b);
    const step = group.dataset.d === undefined ? 0 : Number(group.dataset.d);
    const item = {group, panel, words, id, step, run: panel[2] >= 0 ? runs[panel[2]] : null};
    group.item = item;
    groups.push(item);
    if (item.run && id >= 0) {
      const list = of_run[panel[2]];
      list.has(id) ? list.get(id).push(item) : list.set(id, [item]);
    }
  });
});
// The names in blocks, and their grounds.
const texts = svgs.map(svg => {
  const of = new Map();
  svg.querySelectorAll("text[data-b],rect[data-b]").forEach(text => {
    const id = Number(text.dataset.b);
    of.has(id) ? of.get(id).push(text) : of.set(id, [text]);
  });
  return of;
});

// ---- the card ----
const card = document.body.appendChild(make("aside", {id: "card", hidden: true}));
card.setAttribute("aria-live", "polite");
let pinned = null, shown = null;

const decision_lines = (run, d) => {
  const lines = [];
  if (d[2]) lines.push(make("p", {}, `Decision ${count(d[0])} ${d[2]}.`));
  if (d[3] || d[4].length || d[5]) {
    const line = word => ([offset, reason]) => make("li", {}, offset >= 0 ? `${word} ${count(offset)}: ${reason}` : `${word}: ${reason}`);
    lines.push(make("ul", {}, ...(d[3] ? [line("chosen")(d[3])] : []), ...d[4].map(line("refused")),
      d[5] ? make("li", {}, `${d[4].length ? "and " : ""}${count(d[5])} ${d[4].length ? "more " : ""}refused`) : ""));
  }
  return lines;
};
const card_lines = item => {
  const run = item.run, b = run && item.id >= 0 ? run.of.get(item.id) : null;
  const told = run && item.step ? run.d[run.decided.get(item.step)] : null;
  if (told) return decision_lines(run, told);
  const [free, stack] = run && run.told.get(item.group.dataset.q === undefined ? `b${item.id}` : `q${item.group.dataset.q}`) || ["", -1];
  if (data.moment && free) return [make("h3", {}, item.words), ...free.trim().split("\n").map(line => make("p", {}, line)),
    stack >= 0 ? make("pre", {}, run.stacks[stack]) : ""];
  if (!b) return [make("h3", {}, item.words)];
  const lines = [make("h3", {}, b[NAME]), make("p", {}, `${b[KIND]}, ${exact(b[SIZE])}`)];
  const timed = run.ops.length > 0;
  if (!data.moment) lines.push(make("p", {}, `alive ${timed ? "in steps" : "in time"} ${life(run, b)}`));
  const away = run.position !== run.home;
  const places = away ? state_of(run).get(item.id) : b[PLACES];
  const placed = item.panel[3] >= 0 || !item.words;
  if (!data.moment && !placed) lines.push(make("p", {}, item.words));
  else if (!data.moment) lines.push(make("p", {}, places ? `at ${where(run, b, places)}` : "not placed", away ? ` after decision ${count(step_of(run))}` : ""));
  else if (item.words) lines.push(make("p", {}, item.words));
  if (timed) {
    const readers = b[READERS].map(op => run.ops[op][0]).join(", ") + (b[MORE] ? ` and ${b[MORE]} more` : "");
    lines.push(make("p", {}, [b[WRITER] >= 0 ? `written by ${run.ops[b[WRITER]][0]}` : "written by no operator", readers ? `read by ${readers}` : "read by none"].join(", ")));
  }
  const d = run.d[run.decided.get(b[MADE])];
  if (d) lines.push(...decision_lines(run, d));
  if (b[STACK] >= 0) lines.push(make("pre", {}, run.stacks[b[STACK]]));
  return lines;
};
const mark = (item, on) => {
  const all = item.run && item.id >= 0 ? of_run[item.run.number].get(item.id) || [item] : [item];
  all.forEach(one => one.group.classList.toggle("on", on));
  document.querySelectorAll(`tr[data-b="${item.id}"]`).forEach(row => row.classList.toggle("on", on && item.run === table_run));
};
const show = (item, x, y) => {
  if (shown && shown !== item) mark(shown, false);
  shown = item;
  mark(item, true);
  card.replaceChildren(...card_lines(item));
  card.classList.toggle("pinned", item === pinned);
  if (item === pinned) card.append(make("button", {type: "button", onclick: unpin, "aria-label": "close"}, "\u00d7"));
  card.hidden = false;
  const box = card.getBoundingClientRect();
  card.style.left = `${Math.max(4, x + 16 + box.width > innerWidth ? x - box.width - 12 : x + 16)}px`;
  card.style.top = `${Math.max(4, Math.min(y + 12, innerHeight - box.height - 6))}px`;
};
const hide = () => {
  if (shown) mark(shown, false);
  shown = null;
  card.hidden = true;
  card.replaceChildren();
};
const middle = item => {
  const box = item.group.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
};
const pin = (item, x, y) => {
  if (item.step && item.run === sliding) slide(item.run.decided.has(item.step) ? item.run.decided.get(item.step) + 1 : item.run.position);
  pinned = item;
  show(item, ...(x === undefined ? middle(item) : [x, y]));
  say_place();
};
const unpin = () => {
  pinned = null;
  hide();
  say_place();
};
const item_at = target => {
  const group = target.closest && target.closest(".blocks > g");
  return group ? group.item : null;
};

// ---- zoom and pan ----
const views = svgs.map(svg => {
  const whole = svg.viewBox.baseVal;
  return {svg, x: 0, y: 0, width: whole.width, height: whole.height, full: [whole.width, whole.height]};
});
const look = view => {
  view.width = Math.min(view.width, view.full[0]);
  view.height = view.width * view.full[1] / view.full[0];
  view.x = Math.max(0, Math.min(view.x, view.full[0] - view.width));
  view.y = Math.max(0, Math.min(view.y, view.full[1] - view.height));
  view.svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  view.svg.classList.toggle("zoomed", view.width < view.full[0]);
  name_near(view);
};
// Near enough, names stand in all blocks that have room for them, and do not grow.
const name_near = view => {
  const svg = view.svg, close = view.width < view.full[0] * 0.8, body = svg.getBoundingClientRect();
  svg.querySelectorAll("text.near").forEach(text => text.remove());
  svg.classList.toggle("close", close);
  if (!close) return;
  const unit = view.width / body.width;
  let room = 600;
  [...svg.querySelectorAll(".blocks > g[data-b]")].reverse().forEach(group => {
    const b = group.item && group.item.run && group.item.run.of.get(group.item.id), box = group.getBoundingClientRect();
    const left = Math.max(box.left, body.left), right = Math.min(box.right, body.right);
    const top = Math.max(box.top, body.top), bottom = Math.min(box.bottom, body.bottom);
    const length = b ? b[NAME].length * 6.8 + 6 : Infinity, across = right - left >= length && bottom - top >= 13;
    if (room <= 0 || !(across || (bottom - top >= length && right - left >= 13))) return;
    const x = view.x + ((left + right) / 2 - body.left) * unit, y = view.y + ((top + bottom) / 2 - body.top) * unit;
    const text = svg_make("text", {class: "near", transform: `translate(${x} ${y})${across ? "" : "rotate(-90)"}`, y: 4 * unit, "font-size": 11 * unit});
    text.textContent = b[NAME];
    svg.append(text);
    room--;
  });
};
const zoom = (view, factor, px = 0.5, py = 0.5) => {
  const width = Math.max(view.full[0] / 200, view.width / factor), height = width * view.full[1] / view.full[0];
  view.x += (view.width - width) * px;
  view.y += (view.height - height) * py;
  view.width = width;
  look(view);
};
let last_view = views[0];

// ---- keys and pointers on pictures ----
const next_in = (item, dx, dy) => {
  const [x, y] = middle(item);
  let best = null, least = Infinity;
  groups.forEach(other => {
    if (other === item || other.panel[0] !== item.panel[0] || other.group.classList.contains("gone")) return;
    const [ox, oy] = middle(other);
    const along = (ox - x) * dx + (oy - y) * dy, across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    if (along > 0.5 && along + 2 * across < least) {
      least = along + 2 * across;
      best = other;
    }
  });
  return best;
};
const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
const focus = item => {
  show(item, ...middle(item));
  say_place();
};
const press = (view, event) => {
  const own = groups.filter(item => item.panel[0] === svgs.indexOf(view.svg));
  const from = shown && own.includes(shown) ? shown : null;
  if (arrows[event.key] && own.length) {
    const next = from ? next_in(from, ...arrows[event.key]) : own[0];
    if (next) {
      if (pinned) pinned = next;
      focus(next);
    }
  } else if (event.key === "Enter" && from) {
    pinned === from ? unpin() : pin(from);
  } else if (event.key === "+" || event.key === "=") {
    zoom(view, 1.5);
  } else if (event.key === "-") {
    zoom(view, 1 / 1.5);
  } else if (event.key === "0") {
    zoom(view, 0);
  } else {
    return;
  }
  event.preventDefault();
};
views.forEach(view => {
  const svg = view.svg;
  let drag = null;
  svg.setAttribute("tabindex", "0");
  svg.addEventListener("focus", () => last_view = view);
  svg.addEventListener("keydown", event => press(view, event));
  svg.addEventListener("pointermove", event => {
    if (drag) {
      const scale = view.width / svg.clientWidth;
      drag.moved = drag.moved || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 4;
      if (drag.moved && view.width < view.full[0]) {
        view.x = drag.left - (event.clientX - drag.x) * scale;
        view.y = drag.top - (event.clientY - drag.y) * scale;
        look(view);
        return;
      }
    }
    const item = item_at(event.target);
    if (!pinned) item ? show(item, event.clientX, event.clientY) : hide();
  });
  svg.addEventListener("pointerleave", () => pinned || hide());
  svg.addEventListener("pointerdown", event => {
    last_view = view;
    drag = {x: event.clientX, y: event.clientY, left: view.x, top: view.y};
  });
  addEventListener("pointerup", () => setTimeout(() => drag = null));
  svg.addEventListener("click", event => {
    if (drag && drag.moved) return;
    const item = item_at(event.target);
    item ? pin(item, event.clientX, event.clientY) : unpin();
  });
  svg.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    const box = svg.getBoundingClientRect();
    event.preventDefault();
    zoom(view, Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, {passive: false});
  svg.addEventListener("dblclick", event => {
    const box = svg.getBoundingClientRect();
    zoom(view, 2, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  });
});
addEventListener("keydown", event => event.key === "Escape" && unpin());
addEventListener("beforeprint", () => views.forEach(view => zoom(view, 0)));

// ---- the slider: what each decision changed ----
const step_of = run => run.position ? run.d[run.position - 1][0] : 0;
const states = runs.map(() => ({at: 0, map: new Map()}));
const state_of = run => {
  const state = states[run.number];
  if (state.at > run.position) {
    state.at = 0;
    state.map = new Map();
  }
  for (; state.at < run.position; state.at++) {
    const changes = run.d[state.at][7] || [];
    for (let i = 0; i < changes.length; i += 2) {
      changes[i + 1] ? state.map.set(changes[i], changes[i + 1]) : state.map.delete(changes[i]);
    }
  }
  return state.map;
};
const svg_make = (name, words) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(words).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
};
const scales = ([, , , , , left, width, x_lo, x_hi, top, height, y_lo, y_hi]) => ({
  x: value => Math.min(Math.max(left + (value - x_lo) / (x_hi - x_lo) * width, left), left + width),
  y: value => Math.min(Math.max(top + (y_hi - value) / (y_hi - y_lo) * height, top), top + height),
  shift: bytes_up => -bytes_up / (y_hi - y_lo) * height,
  left, right: left + width});
const same = (a, b) => JSON.stringify(a || 0) === JSON.stringify(b || 0);
// A block where it lay then: rectangles of each placement and piece.
const draw_moved = (run, panel, id, places, layer) => {
  const b = run.of.get(id), {x, y} = scales(panel), at = step => x(panel[14] ? time(run, step) : step);
  const path = [];
  spans(b, places).filter(place => place[0] === panel[3]).forEach(([, offset, from, to]) =>
    (b[PIECES] || [[b[FIRST], b[LAST], 0, b[SIZE]]]).forEach(([first, last, lo, hi]) => {
      const x0 = at(Math.max(first, from)), x1 = at(Math.min(last, to) + 1), y0 = y(offset + hi), y1 = y(offset + lo);
      if (x1 > x0 && y1 > y0) path.push(`M${x0} ${y0}H${x1}V${y1}H${x0}z`);
    }));
  if (!path.length) return;
  const model = (of_run[run.number].get(id) || [])[0];
  const old = model && model.group.querySelector(".f");
  const group = svg_make("g", {"data-b": id}), shape = svg_make("path", {d: path.join(""), class: old ? old.getAttribute("class") : "f moved"});
  shape.style.fill = color_of(run, id) || (old && model.group.dataset.h === undefined ? "" : drawn_color(run, id));
  group.append(shape);
  group.item = {group, panel, id, run, words: b[NAME]};
  layer.append(group);
  layer.of.set(id, group);
};
const place_block = (run, panel, id, places, layer) => {
  const b = run.of.get(id);
  const items = (of_run[run.number].get(id) || []).filter(item => item.panel === panel);
  const simple = places && b[PLACES] && !Array.isArray(places[0]) && !Array.isArray(b[PLACES][0]) && places[0] === b[PLACES][0];
  const stays = same(places, b[PLACES]), up = simple ? scales(panel).shift(places[1] - b[PLACES][1]) : 0;
  // What was drawn for the end is moved; what was not, or lay differently, is drawn anew.
  const inside = simple && places[1] >= panel[11] && places[1] + b[SIZE] <= panel[12];
  const keep = items.length > 0 && (stays || inside);
  const names = (texts[panel[0]].get(id) || []).filter(part => Number(part.dataset.p) === panel[1]);
  const parts = items.map(item => item.group).concat(items.length ? names : []);
  parts.forEach(part => {
    part.classList.toggle("gone", !keep);
    const own = part.dataset.own === undefined ? part.dataset.own = part.getAttribute("transform") || "" : part.dataset.own;
    keep && up ? part.setAttribute("transform", `translate(0 ${up})${own}`) : own ? part.setAttribute("transform", own) : part.removeAttribute("transform");
  });
  if (layer.of.has(id)) {
    layer.of.get(id).remove();
    layer.of.delete(id);
  }
  // At the end what is too small has its cells.
  if (!keep && places && (items.length || run.position !== run.home)) draw_moved(run, panel, id, places, layer);
};
const draw_peak = (run, panel, state, layer) => {
  let top = 0;
  state.forEach((places, id) => {
    const b = run.of.get(id);
    if (b) spans(b, places).forEach(place => place[0] === panel[3] && (top = Math.max(top, place[1] + b[SIZE])));
  });
  const {y, left, right} = scales(panel);
  layer.append(svg_make("path", {class: "peak", d: `M${left} ${y(top)}H${right}`}));
};
// What was decided between two positions; to and from what the picture shows, everything.
const changed_between = (run, a, b) => {
  if (a === run.home || b === run.home) return [...run.of.keys()];
  const ids = new Set();
  run.d.slice(Math.min(a, b), Math.max(a, b)).forEach(d => (d[7] || []).forEach((part, i) => i % 2 || ids.add(part)));
  return [...ids].filter(id => run.of.has(id));
};
const show_step = (run, before) => {
  const state = state_of(run), home = run.position === run.home, changed = changed_between(run, before, run.position);
  const decided = run.position ? run.d[run.position - 1][1] : -1;
  run.panels.filter(panel => panel[3] >= 0).forEach(panel => {
    const svg = svgs[panel[0]], blocks = svg.querySelector(`.blocks[data-p="${panel[1]}"]`);
    svg.classList.toggle("past", runs.some(other => other.position !== other.home && other.panels.some(one => one[0] === panel[0])));
    svg.querySelectorAll(`.ap${panel[1]}`).forEach(part => part.classList.toggle("gone", !home));
    if (!panel.layer) {
      panel.layer = svg_make("g", {class: "blocks"});
      panel.layer.of = new Map();
      blocks.after(panel.layer);
    }
    changed.forEach(id => place_block(run, panel, id, home ? run.of.get(id)[PLACES] : state.get(id), panel.layer));
    const own = [blocks, panel.layer], all = what => own.flatMap(layer => [...layer.querySelectorAll(what)]);
    all(".peak").forEach(line => line.remove());
    all(".now").forEach(group => group.classList.remove("now"));
    if (!home) {
      draw_peak(run, panel, state, panel.layer);
      all(`g[data-b="${decided}"]`).forEach(group => group.classList.add("now"));
    }
    blocks.querySelectorAll("g[data-h]").forEach(group =>
      group.firstElementChild.style.fill = fill_of(run, Number(group.dataset.b), group));
  });
};

// ---- the bar of tools ----
const said = make("span", {id: "said"});
said.setAttribute("role", "status");
const bar = make("nav", {});
bar.setAttribute("aria-label", "tools");
let sliding = runs.find(run => run.slides) || null;
const range = make("input", {type: "range", min: 0, step: 1}), number = make("output", {});
range.setAttribute("aria-label", "decision");
const say_step = () => {
  const run = sliding, d = run.position ? run.d[run.position - 1] : null;
  number.textContent = `${count(step_of(run))} of ${count(run.known)}`;
  said.textContent = run.position === run.home ? "" : d ? (d[2] ? `Decision ${count(d[0])} ${d[2]}.` : `Decision ${count(d[0])}.`) : "Before the first decision.";
};
const slide = position => {
  const before = sliding.position;
  sliding.position = Math.max(0, Math.min(position, sliding.d.length));
  range.value = sliding.position;
  if (before !== sliding.position) show_step(sliding, before);
  say_step();
  views.forEach(name_near);
  if (pinned) show(pinned, ...middle(pinned));
  say_place();
};
const choose_run = run => {
  sliding = run;
  range.max = run.d.length;
  range.value = run.position;
  say_step();
};
if (sliding) {
  range.oninput = () => slide(Number(range.value));
  const step = (words, by, label) => make("button", {type: "button", onclick: () => slide(sliding.position + by), "aria-label": label}, words);
  const choices = runs.filter(run => run.slides);
  const choice = choices.length > 1 ? make("select", {onchange: event => choose_run(runs[event.target.value]), "aria-label": "run"},
    ...choices.map(run => make("option", {value: run.number}, run.label))) : "";
  bar.append(make("span", {className: "slide"}, choice, make("span", {}, "decision"), step("\u2039", -1, "one decision back"), range, step("\u203a", 1, "one decision on"), number));
  choose_run(sliding);
}

// ---- search ----
const search = make("input", {type: "search", size: 14}), found = make("output", {});
let matches = [], match = -1;
const seek = () => {
  const word = search.value.toLowerCase();
  matches = [];
  groups.forEach(item => {
    const b = item.run && item.run.of.get(item.id);
    const is = word !== "" && (b ? b[NAME] : item.words).toLowerCase().includes(word);
    item.group.classList.toggle("found", is);
    if (is) matches.push(item);
  });
  svgs.forEach(svg => {
    svg.classList.toggle("seeks", word !== "");
  });
  const ids = new Set(matches.map(item => item.id));
  texts.forEach(of => of.forEach((parts, id) => parts.forEach(part => part.classList.toggle("found", ids.has(id)))));
  match = -1;
  found.textContent = word === "" ? "" : `${ids.size} found`;
  fill_table();
};
search.oninput = seek;
search.onkeydown = event => {
  if (event.key === "Enter" && matches.length) {
    match = (match + (event.shiftKey ? matches.length - 1 : 1)) % matches.length;
    pin(matches[match]);
  } else if (event.key === "Escape") {
    search.value = "";
    seek();
  }
};
if (groups.length || runs.length) bar.append(make("label", {}, "find", search, found));

// ---- colors ----
// Those of the pictures: data.drawn says by what these have theirs; each run has, for each coloring, what its colors say
// and the look of each buffer.
const names = [...new Set(runs.flatMap(run => run.colors.map(coloring => coloring[0])))];
if (!names.includes(data.drawn)) names.unshift("as drawn");
const as_drawn = names.includes(data.drawn) ? data.drawn : "as drawn";
const meaning = make("span", {id: "meaning"});
let coloring = as_drawn;
runs.forEach(run => run.colors.forEach(([name, , looks]) => run.looks.set(name, new Map(looks.map((look, i) => [run.ids[i], look])))));
const look_color = (run, id, name) => run.looks.has(name) && run.looks.get(name).has(id) ? `var(--h${run.looks.get(name).get(id)})` : "";
// The color of a buffer by now; "": as it was drawn. What was decided last is drawn in a color that is not its own.
const color_of = (run, id) => coloring === as_drawn ? "" : look_color(run, id, coloring);
const drawn_color = (run, id) => look_color(run, id, data.drawn) || `var(--h${id % 8})`;
const fill_of = (run, id, group) =>
  color_of(run, id) || (group.dataset.h !== undefined && run.position !== run.home ? `var(--h${group.dataset.h})` : "");
const paint = name => {
  const told = new Map();
  coloring = name;
  runs.forEach(run => {
    run.colors.filter(of => of[0] === name).forEach(([, words]) => words.forEach(([base, text]) => told.set(`${base} ${text}`, [base, text])));
    of_run[run.number].forEach((items, id) => {
      items.forEach(({group}) => group.querySelectorAll(".f").forEach(shape => shape.style.fill = fill_of(run, id, group)));
      texts.forEach(of => (of.get(id) || []).forEach(part => part.localName === "rect" && (part.style.fill = color_of(run, id))));
    });
    run.panels.forEach(panel => panel.layer && panel.layer.of.forEach((group, id) => group.firstElementChild.style.fill = color_of(run, id) || drawn_color(run, id)));
  });
  root.classList.toggle("recolored", name !== as_drawn);
  meaning.replaceChildren(...(name === as_drawn ? [] : [...told.values()]).map(([base, text]) => {
    const sample = make("i", {});
    sample.style.background = `var(--h${base})`;
    return make("span", {}, sample, text);
  }));
};
if (names.length > 1 && groups.some(item => item.id >= 0 && item.group.querySelector(".f"))) {
  const choice = make("select", {id: "color", onchange: event => paint(event.target.value)}, ...names.map(name => make("option", {}, name)));
  choice.value = as_drawn;
  bar.append(make("label", {}, "color", choice));
}

const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
bar.append(make("span", {},
  make("button", {type: "button", onclick: () => zoom(last_view, 1.5), "aria-label": "zoom in"}, "+"),
  make("button", {type: "button", onclick: () => zoom(last_view, 1 / 1.5), "aria-label": "zoom out"}, "\u2212"),
  make("button", {type: "button", onclick: () => zoom(last_view, 0), "aria-label": "whole picture"}, "whole"),
  make("button", {type: "button", id: "theme", onclick: () => root.dataset.theme = dark() ? "light" : "dark"}, "light/dark")), said, meaning);
document.body.prepend(bar);

// ---- the table ----
const table = document.querySelector("table");
let table_run = runs[0] || null;
if (table && runs.length > 1) {
  const choice = make("select", {"aria-label": "run", onchange: event => {
    table_run = runs[event.target.value];
    fill_table();
  }}, ...runs.map(run => make("option", {value: run.number}, run.label)));
  table.previousElementSibling.append(" of ", choice);
}
let order = ["size", -1], rows_shown = 200;
const columns = [["name", b => b[NAME]], ["size", b => b[SIZE]], ["first", b => b[FIRST]], ["last", b => b[LAST]],
  ["offset", b => b[PLACES] ? spans(b, b[PLACES])[0][1] : -1], ["kind", b => b[KIND]], ["decision", b => b[MADE]]];
const cells = (run, b) => [b[NAME], count(b[SIZE]), String(time(run, b[FIRST])), String(time(run, b[LAST] + 1) - 1),
  b[PLACES] ? where(run, b, b[PLACES]) : "", b[KIND], b[MADE] ? count(b[MADE]) : ""];
function fill_table() {
  if (!table || !table_run) return;
  const value = columns.find(column => column[0] === order[0])[1], word = search.value.toLowerCase();
  const rows = [...table_run.of].filter(([, b]) => b[NAME].toLowerCase().includes(word));
  rows.sort(([i, a], [j, b]) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * order[1] || i - j);
  table.tHead.replaceChildren(make("tr", {}, ...columns.map(([name], i) => {
    const head = make("th", {className: i > 0 && i !== 5 ? "n" : ""}, make("button", {type: "button", onclick: () => {
      order = [name, order[0] === name ? -order[1] : name === "name" || name === "kind" ? 1 : -1];
      fill_table();
    }}, name));
    head.setAttribute("aria-sort", order[0] === name ? order[1] > 0 ? "ascending" : "descending" : "none");
    return head;
  })));
  table.tBodies[0].replaceChildren(...rows.slice(0, rows_shown).map(([id, b]) => make("tr", {"data-b": id, tabIndex: 0},
    ...cells(table_run, b).map((text, i) => make("td", {className: i > 0 && i !== 5 ? "n" : ""}, text)))));
  more.hidden = rows.length <= rows_shown;
  more.textContent = `show all ${count(rows.length)}`;
}
const more = make("button", {type: "button", className: "more", onclick: () => {
  rows_shown = Infinity;
  fill_table();
}});
if (table) {
  const choose = event => {
    const row = event.target.closest("tr[data-b]");
    const item = row && (of_run[table_run.number].get(Number(row.dataset.b)) || [])[0];
    if (item) pin(item, event.clientX || 200, event.clientY || 200);
  };
  table.addEventListener("click", choose);
  table.addEventListener("keydown", event => event.key === "Enter" && choose(event));
  table.after(more);
  const left_out = document.getElementById("left");
  if (left_out && table_run && table_run.of.size === table_run.all) left_out.remove();
}
fill_table();

// ---- the place in the page, as a link ----
let reading = false;
function say_place() {
  if (reading) return;
  const at = pinned || null, words = [];
  if (at && at.run && at.run.of.has(at.id)) words.push(`b=${encodeURIComponent(at.run.of.get(at.id)[NAME])}`);
  if (sliding && sliding.position !== sliding.home) words.push(`d=${step_of(sliding)}`);
  if (sliding && sliding.number && words.length) words.push(`r=${sliding.number}`);
  const link = words.length ? `#${words.join("&")}` : "";
  if (link !== location.hash) history.replaceState(null, "", link || location.pathname + location.search);
}
const go = () => {
  const words = new URLSearchParams(location.hash.slice(1).replace(/\+/g, "%2B"));
  reading = true;
  const run = runs[Number(words.get("r") || 0)] || null;
  if (run && run.slides && words.has("d")) {
    choose_run(run);
    const step = Number(words.get("d"));
    let position = run.d.findIndex(d => d[0] > step);
    slide(step > 0 ? position < 0 ? run.d.length : position : 0);
  }
  if (words.has("b")) {
    const of = groups.filter(one => one.run && (!run || one.run === run) && one.run.of.has(one.id) && one.run.of.get(one.id)[NAME] === words.get("b"));
    const item = of.find(one => one.panel[3] >= 0) || of[0]; // on a map, where there is one
    if (item) {
      const box = item.group.getBoundingClientRect(); // what is in sight stays where it is
      if (box.top < document.querySelector("nav").getBoundingClientRect().bottom || box.bottom > innerHeight) item.group.scrollIntoView({block: "center", inline: "center"});
      pin(item);
    }
  }
  reading = false;
};
addEventListener("hashchange", go);
go();
})();
