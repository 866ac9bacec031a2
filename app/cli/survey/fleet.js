"use strict";
// Rows that are sorted and searched. Without this script the page has the same rows, the worst first.
const table = document.getElementById("models"), body = table.tBodies[0], rows = [...body.rows];
const make = (tag, fields, ...parts) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...parts);
  return element;
};
const root = document.documentElement;
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const words_of = rows.map(row => row.textContent.toLowerCase());

// A cell's value is the exact number that stands in it, or its text; what has none comes last in both directions.
const value = (row, column) => {
  const cell = row.cells[column], exact = cell.dataset.v;
  return exact !== undefined ? Number(exact) : cell.classList.contains("n") ? null : cell.textContent.toLowerCase() || null;
};
const sort = (column, way) => {
  const keyed = rows.map((row, i) => [value(row, column), i, row]);
  keyed.sort(([a, i], [b, j]) => (a === null) - (b === null) || (a < b ? -way : a > b ? way : 0) || i - j);
  body.append(...keyed.map(entry => entry[2]));
  for (const head of table.tHead.rows[0].cells)
    head.setAttribute("aria-sort", head.cellIndex !== column ? "none" : way > 0 ? "ascending" : "descending");
};
for (const head of table.tHead.rows[0].cells) {
  head.replaceChildren(make("button", {type: "button", onclick: () => {
    const now = head.getAttribute("aria-sort"), first = head.classList.contains("n") ? -1 : 1;
    sort(head.cellIndex, now === "ascending" ? -1 : now === "descending" ? 1 : first);
  }}, head.textContent));
  head.setAttribute("aria-sort", "none");
}

// All words that are asked for, anywhere in a row or its details.
const said = make("output", {}), asked = make("input", {type: "search", id: "find"}), failed = make("input", {type: "checkbox", id: "failed"});
const find = () => {
  const words = asked.value.toLowerCase().split(/\s+/).filter(word => word);
  let shown = 0;
  rows.forEach((row, i) => {
    row.hidden = !words.every(word => words_of[i].includes(word)) || (failed.checked && !("failed" in row.dataset));
    shown += !row.hidden;
  });
  said.textContent = shown === rows.length ? "" : `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
};
asked.oninput = failed.onchange = find;

// A row opens what its model's name opens.
body.onclick = event => {
  const row = event.target.closest("#models > tbody > tr"), details = row && row.querySelector("details");
  if (details && !event.target.closest("summary, .more") && !getSelection().toString()) details.open = !details.open;
};
const all = make("button", {type: "button", onclick: () => {
  const shown = rows.filter(row => !row.hidden).map(row => row.querySelector("details")), open = shown.some(details => !details.open);
  for (const details of shown) details.open = open;
}}, "open or close all");
const theme = make("button", {type: "button", id: "theme", onclick: () => root.dataset.theme = dark() ? "light" : "dark"}, "light/dark");
table.closest(".wide").before(make("nav", {}, make("label", {}, "find", asked), make("label", {}, failed, "failed only"), said, all, theme));
