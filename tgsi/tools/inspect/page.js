"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const draws = data.draws, root = document.getElementById("root");
  const names = { arguments: "Call", state: "State", cost: "Cost", shaders: "Shaders", kernels: "Kernels", link: "Link" };
  let at = Math.max(0, draws.length - 1), tab = "state", target = null, heat = "none", shader = null, kernel = null, whole = false, wanted = null, asked = null;

  // -- elements: text is always text -----------------------------------------------------------------------------------------
  function make(name, given, ...children) {
    const found = document.createElement(name);
    for (const [key, value] of Object.entries(given || {})) {
      if (key.startsWith("on")) found.addEventListener(key.slice(2), value);
      else if (key === "class") found.className = value;
      else if (value !== null && value !== false) found.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined) found.append(child);
    return found;
  }
  const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const png = number => `data:image/png;base64,${data.images[number]}`;

  // -- pictures: the last whole one, and the rectangles that draws have changed since -------------------------------------------
  const pictures = new Map();
  draws.forEach((draw, k) => (draw.pictures || []).forEach(item => {
    if (!pictures.has(item.key)) pictures.set(item.key, []);
    pictures.get(item.key).push({ ...item, draw: k });
  }));
  const decoded = new Map();
  function image(number) {
    if (!decoded.has(number)) {
      if (decoded.size > 600) decoded.clear();
      const made = new Image();
      decoded.set(number, new Promise((done, failed) => { made.onload = () => done(made); made.onerror = failed; made.src = png(number); }));
    }
    return decoded.get(number);
  }
  const canvas = make("canvas", { id: "picture", width: 1, height: 1, "aria-label": "the picture after the draw" });
  const over = make("canvas", { class: "over", width: 1, height: 1 });
  let held = { key: null, last: -1 }, turn = 0;

  async function show() {
    const mine = ++turn;
    const draw = draws[at], keys = (draw && draw.shown) || [];
    const key = keys.includes(target) ? target : keys[0] || (pictures.has(target) ? target : [...pictures.keys()][0]);
    const list = pictures.get(key) || [];
    let last = list.length - 1;
    while (last >= 0 && list[last].draw > at) last--;
    let first = last;
    while (first > 0 && !list[first].whole) first--;
    if (held.key === key && held.last >= first && held.last <= last) first = held.last + 1;
    const images = await Promise.all(list.slice(first, last + 1).map(item => image(item.image)));
    if (mine !== turn) return;
    const size = list[Math.max(last, 0)];
    if (!size) canvas.width = canvas.height = 1;
    else if (canvas.width !== size.width || canvas.height !== size.height || last < 0) { canvas.width = size.width; canvas.height = size.height; }
    const to = canvas.getContext("2d", { willReadFrequently: true });
    images.forEach((made, k) => to.drawImage(made, list[first + k].x, list[first + k].y));
    held = { key, last };
    canvas.dataset.draw = draw ? draw.number : 0;
    fit(size);
    targets(keys, key);
    overlay(size);
    read();
  }

  function fit(size) {
    if (!size) return;
    const box = stage.getBoundingClientRect();
    let scale = Math.min((box.width - 24) / size.width, (box.height - 24) / size.height);
    scale = scale >= 1 ? Math.max(1, Math.floor(scale)) : Math.max(scale, 0.1);
    for (const item of [canvas, over]) { item.style.width = `${size.width * scale}px`; item.style.height = `${size.height * scale}px`; }
  }

  function overlay(size) {
    over.width = canvas.width; over.height = canvas.height;
    const to = over.getContext("2d"), draw = draws[at];
    if (!size || !draw) return;
    const tile = data.tile / size.scale, cost = draw.cost || {};
    if (heat === "tiles" && cost.tiles) {
      const most = Math.max(1, ...cost.tiles.map(item => item[1]));
      to.font = `${Math.max(6, Math.min(12, tile / 5))}px monospace`;
      for (const [number, fragments] of cost.tiles) {
        const x = (number % cost.columns) * tile, y = Math.floor(number / cost.columns) * tile;
        to.fillStyle = `rgba(230, 80, 40, ${0.15 + 0.45 * fragments / most})`;
        to.fillRect(x, y, tile, tile);
        to.fillStyle = "#ffffff";
        if (tile >= 32) to.fillText(String(fragments), x + 3, y + 12);
      }
    }
    const found = heat === "overdraw" && data.overdraw.find(item => item.width === size.width && item.height === size.height);
    if (found) image(found.image).then(made => {
      if (heat !== "overdraw") return;
      to.globalAlpha = 0.85; to.drawImage(made, 0, 0); to.globalAlpha = 1;
    });
    data.pixels.forEach(item => {
      const x = item.x / size.scale, y = item.y / size.scale;
      to.strokeStyle = asked === item ? "#ff3b30" : "#ffcc00";
      to.lineWidth = Math.max(1, size.width / 256);
      const r = Math.max(3, size.width / 64);
      to.strokeRect(x - r, y - r, 2 * r + 1, 2 * r + 1);
    });
    if (wanted) { to.fillStyle = "#ff3b30"; to.fillRect(wanted[0] - 1, wanted[1], 3, 1); to.fillRect(wanted[0], wanted[1] - 1, 1, 3); }
  }

  function place(event) {
    const box = canvas.getBoundingClientRect();
    return [Math.floor((event.clientX - box.left) * canvas.width / box.width), Math.floor((event.clientY - box.top) * canvas.height / box.height)];
  }

  function read() {
    const list = pictures.get(held.key), size = list && list[0], spot = wanted;
    const coarse = size && size.scale > 1 ? ` The picture has one of ${size.scale} x ${size.scale} pixels.` : "";
    if (!spot || !size) { line.textContent = `Click a pixel.${coarse}`; return; }
    const color = canvas.getContext("2d", { willReadFrequently: true }).getImageData(spot[0], spot[1], 1, 1).data;
    const x = spot[0] * size.scale, y = spot[1] * size.scale;
    line.textContent = `pixel (${x}, ${y}): ${color[0]} ${color[1]} ${color[2]}` + (asked ? "" : `; its history: tgsi-inspect FILE --pixel ${x},${y}`);
  }

  function click(event) {
    const list = pictures.get(held.key);
    if (!list) return;
    wanted = place(event);
    const near = 4 * canvas.width / Math.max(1, canvas.getBoundingClientRect().width) + canvas.width / 64, scale = list[0].scale;
    asked = data.pixels.find(item => Math.abs(item.x / scale - wanted[0]) <= near && Math.abs(item.y / scale - wanted[1]) <= near) || null;
    if (asked) wanted = [Math.floor(asked.x / scale), Math.floor(asked.y / scale)];
    history();
    overlay(list[Math.max(held.last, 0)]);
    read();
  }

  function history() {
    past.replaceChildren();
    past.hidden = !asked;
    if (!asked) return;
    const told = asked.explanation || {};
    past.append(make("h2", {}, `History of pixel (${asked.x}, ${asked.y})`));
    if (told.sentence) past.append(make("p", { class: "verdict" }, told.sentence));
    for (const text of told.notes || []) past.append(make("p", { class: "soft" }, text));
    if (told.events && told.events.length) {
      past.append(make("ol", { class: "told" }, told.events.map(item => make("li", { onclick: () => item.draw && go(item.draw - 1) },
        item.text, (item.lines || []).map(text => make("div", { class: "mono soft" }, text))))));
      return;
    }
    const events = asked.events.map(item => make("li", { onclick: () => go(item.draw - 1) },
      `draw ${item.draw}, ${item.target}: `, item.before ? make("span", { class: "mono was" }, item.before) : null, make("span", { class: "mono now" }, item.after)));
    past.append(make("ol", {}, events));
  }

  // -- the time line ---------------------------------------------------------------------------------------------------------
  const kind = draw => draw.call.startsWith("draw") ? "draw" : draw.call.startsWith("clear") ? "clear" : draw.call === "launch_grid" ? "grid" : "copy";
  const weight = draw => (draw.cost || {}).fs_invocations || (draw.cost || {}).fragments || (draw.cost || {}).cs_invocations || 0;
  const strip = make("canvas", { id: "strip", "aria-label": "draws by cost" });
  const most = Math.log1p(draws.reduce((most, draw) => Math.max(most, weight(draw)), 1));

  function paintStrip() {
    const box = strip.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    strip.width = Math.max(1, box.width * ratio); strip.height = Math.max(1, box.height * ratio);
    const to = strip.getContext("2d"), style = getComputedStyle(document.documentElement);
    const color = { draw: "--bar", clear: "--bar-clear", copy: "--bar-copy", grid: "--bar-copy" };
    const step = strip.width / Math.max(1, draws.length), high = strip.height;
    draws.forEach((draw, k) => {
      const height = Math.max(4, (high - 10) * Math.log1p(weight(draw)) / most);
      to.fillStyle = style.getPropertyValue(color[kind(draw)]);
      to.fillRect(k * step, high - height, Math.max(1, step - (step > 4 ? 1 : 0)), height);
    });
    to.fillStyle = style.getPropertyValue("--mark");
    to.globalAlpha = step > 12 ? 0.3 : 1;
    to.fillRect(at * step - 1, 0, Math.max(3, step), high);
    to.globalAlpha = 1;
  }

  const ROW = 24, inner = make("div", {});
  const list = make("div", { class: "list", id: "list", tabindex: 0, role: "listbox", "aria-label": "draws" }, inner);
  inner.style.height = `${draws.length * ROW}px`;
  function paintList() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4), last = Math.min(draws.length, first + Math.ceil(list.clientHeight / ROW) + 8);
    inner.replaceChildren(...draws.slice(first, last).map((draw, k) => {
      const number = first + k;
      const row = make("div", { class: number === at ? "row here" : "row", role: "option", "data-number": draw.number, "aria-selected": String(number === at), onclick: () => go(number) },
        make("span", { class: "number" }, String(draw.number)), make("span", {}, draw.call),
        make("span", { class: "more" }, draw.cost && draw.cost.fragments !== undefined ? draw.cost.fragments.toLocaleString("en") : ""));
      row.style.top = `${number * ROW}px`;
      return row;
    }));
  }

  function go(number) {
    at = Math.min(Math.max(0, number), draws.length - 1);
    const top = at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    paintList(); paintStrip(); details(); show();
  }

  // -- details of a draw -------------------------------------------------------------------------------------------------------
  function table(entries) {
    return make("table", {}, make("tbody", {}, Object.entries(entries).map(([name, value]) =>
      make("tr", {}, make("td", { class: "name" }, name), make("td", { class: "value" }, String(value))))));
  }

  function stateAt(number) {
    const found = {};
    for (let k = 0; k <= number; k++) Object.assign(found, draws[k].state);
    return found;
  }

  // Long lists of numbers: all of the new ones, with the changed ones marked.
  function numbers(old, fresh) {
    const was = old.split(" "), now = fresh.split(" ");
    if (was.length !== now.length || now.length < 5 || was[1] !== now[1]) return null;
    return now.map((word, k) => word === was[k] ? `${word} ` : [make("span", { class: "was" }, was[k]), make("span", { class: "now" }, word), " "]).flat();
  }

  function slot(name, now, before) {
    const rows = [];
    const keys = [...new Set([...Object.keys(before || {}), ...Object.keys(now || {})])];
    for (const key of keys) {
      const old = (before || {})[key], fresh = (now || {})[key];
      if (!whole && before && old === fresh) continue;
      const changed = old !== fresh, words = changed && old && fresh ? numbers(old, fresh) : null;
      if (words) { rows.push(make("tr", {}, make("td", { class: "name" }, key), make("td", { class: "value" }, words))); continue; }
      rows.push(make("tr", {}, make("td", { class: "name" }, key), make("td", { class: "value" },
        changed && old !== undefined ? make("span", { class: "was" }, old) : null,
        fresh !== undefined ? make("span", { class: changed && !whole ? "now" : "" }, fresh) : null)));
    }
    return make("div", { class: "slot" }, make("span", { class: "title" }, name), now ? null : make("span", { class: "soft" }, " unbound"),
      make("table", {}, make("tbody", {}, rows)));
  }

  function details() {
    const draw = draws[at];
    title.textContent = draw ? `${draw.call}, draw ${draw.number} of ${draws.length}, command ${draw.command}` : "no draws";
    for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-selected", String(name === tab));
    pane.replaceChildren();
    if (!draw) return;
    if (tab === "arguments") pane.append(table(draw.arguments));
    if (tab === "cost") {
      pane.append(table(Object.fromEntries(Object.entries(draw.cost || {}).filter(([name]) => name !== "tiles" && name !== "columns"))));
      pane.append(make("p", { class: "soft" }, "ms: this machine's time for this draw alone. fragments: pixels that its primitives cover, before the depth test. most: of one pixel."));
    }
    if (tab === "state") {
      pane.append(make("button", { id: "whole", "aria-pressed": String(whole), onclick: () => { whole = !whole; details(); } }, "all state"));
      const before = at ? stateAt(at - 1) : {}, now = whole ? stateAt(at) : draw.state, slots = Object.keys(now).sort();
      if (!slots.length) pane.append(make("p", { class: "soft" }, "The state is that of the draw before."));
      for (const name of slots) pane.append(slot(name, now[name], before[name]));
    }
    if (tab === "link") {
      const link = data.links[draw.link];
      pane.append(link && link.svg ? make("div", { class: "link" }, make("img", { src: `data:image/svg+xml;base64,${link.svg}`, alt: "link of the shaders" }))
        : make("p", { class: "soft" }, "No link table: fewer than two shaders, or one could not be read."));
    }
    if (tab === "shaders") shaders(draw.shaders || []);
    if (tab === "kernels") kernels(draw.kernels);
  }

  function shaders(handles) {
    const found = handles.map(handle => data.shaders.find(item => item.handle === handle)).filter(Boolean);
    if (!found.length) { pane.append(make("p", { class: "soft" }, "No shader.")); return; }
    if (!found.includes(shader)) shader = found[found.length - 1];
    pane.append(make("div", { class: "full" }, make("div", {}, found.map(item => make("button", {
      "aria-pressed": String(item === shader), onclick: () => { shader = item; details(); } }, `${item.stage} #${item.handle}`))),
      shader.error ? make("p", { class: "error" }, shader.error) : null, twoViews(shader)));
  }

  function kernels(numbers) {
    if (!numbers || !numbers.length) { pane.append(make("p", { class: "soft" }, "Kernels are listed for draws of a vertex and a fragment shader.")); return; }
    const found = numbers.map(number => data.kernels[number]);
    if (!found.includes(kernel)) kernel = found.find(item => item.name.startsWith("shade-")) || found[0];
    pane.append(make("div", { class: "full" }, make("div", {}, found.map(item => make("button", {
      "aria-pressed": String(item === kernel), onclick: () => { kernel = item; details(); } }, item.name))),
      make("p", { class: "soft" }, `${count(kernel.draws, "draw")} of this recording. TGSI_DUMP writes the kernel as ${kernel.name}.`), twoViews(kernel)));
  }

  const alone = "The code of this shader alone. The tab Kernels has the code that draws.";
  const views = { shaders: ["source", "TGSI"], kernels: ["key", "assembly"] };
  function twoViews(item) {
    const chosen = views[tab];
    const boxes = [0, 1].map(side => {
      const lines = make("div", { class: "lines code" }), note = make("p", { class: "soft" });
      const view = () => item.views.find(found => found.name === chosen[side]) || item.views[Math.min(side, item.views.length - 1)];
      const fill = () => {
        lines.replaceChildren(...view().lines.map((text, k) => {
          const from = (view().from || [])[k] || 0;
          return make("div", from ? { class: "linked", "data-from": from, onmouseenter: () => light(from), onclick: () => light(from) } : {}, text);
        }));
        note.textContent = item !== kernel && view().name === "assembly" ? alone : "";
      };
      const select = make("select", { "aria-label": "view", onchange: event => { chosen[side] = event.target.value; fill(); } },
        item.views.map(found => make("option", { value: found.name, selected: found === view() }, found.name)));
      fill();
      return make("div", { class: "view" }, select, note, lines);
    });
    const grid = make("div", { class: "views" }, boxes);
    const light = from => grid.querySelectorAll(".lines div").forEach(element => element.classList.toggle("lit", element.dataset.from === String(from)));
    return grid;
  }

  function targets(keys, key) {
    tabs.replaceChildren(...[...new Set([...keys, ...(key ? [key] : [])])].map(name => {
      const item = (pictures.get(name) || [])[0];
      return make("button", { "aria-pressed": String(name === key), onclick: () => { target = name; show(); } }, item ? `${item.name}  #${item.handle}` : name);
    }));
  }

  // -- resources, notes --------------------------------------------------------------------------------------------------------
  function resource(item) {
    const kind = item.target === "BUFFER" ? `${item.size.split(" ")[0]} bytes` : `${item.format}, ${item.size}`;
    const more = [item.layers > 1 ? count(item.layers, "layer") : "", item.levels ? count(item.levels + 1, "level") : "", item.samples > 1 ? count(item.samples, "sample") : "", item.bind];
    return make("div", { class: "card" }, item.image !== undefined ? make("img", { src: png(item.image), alt: "", width: item.width, height: item.height, loading: "lazy" }) : null,
      make("div", {}, make("b", {}, `#${item.handle} `), `${item.target}  ${kind}`), make("div", { class: "soft" }, more.filter(Boolean).join(", ")),
      make("div", { class: "soft" }, `command ${item.command}, named by ${count(item.calls, "call")}${item.ended ? ", ended" : ""}`),
      item.content ? make("div", { class: "code" }, item.content) : null);
  }

  // -- the page ------------------------------------------------------------------------------------------------------------------
  const title = make("span", { id: "title" }), tabs = make("span", {}), line = make("div", { class: "read soft", id: "read" });
  const past = make("div", { class: "history", id: "history", hidden: true }), pane = make("div", { class: "scroll", id: "pane" });
  const stage = make("div", { class: "picture" }, make("div", { class: "stack" }, canvas, over));
  const buttons = Object.fromEntries(Object.entries(names).map(([name, text]) => [name, make("button", { id: `tab-${name}`, role: "tab", onclick: () => { tab = name; details(); } }, text)]));
  const heats = ["tiles", "overdraw"].map(name => make("button", { id: `heat-${name}`, "aria-pressed": "false", onclick: () => {
    heat = heat === name ? "none" : name;
    heats.forEach((button, k) => button.setAttribute("aria-pressed", String(heat === ["tiles", "overdraw"][k])));
    show();
  } }, name));
  canvas.addEventListener("click", click);
  strip.addEventListener("click", event => { const box = strip.getBoundingClientRect(); go(Math.floor((event.clientX - box.left) / box.width * draws.length)); });
  list.addEventListener("scroll", paintList);
  root.append(
    make("header", {}, make("h1", {}, data.title), make("span", { class: "soft" }, `${count(draws.length, "draw")}, ${count(data.calls, "call")}`),
      make("span", { class: "soft" }, "Arrow keys go through the draws.")),
    make("div", { class: "strip" }, strip),
    make("div", { class: "work" }, make("div", { class: "panel" }, list),
      make("div", { class: "panel" }, make("div", { class: "bar" }, tabs, make("span", { class: "grow" }), heats), stage, line, past),
      make("div", { class: "panel details" }, make("div", { class: "bar", role: "tablist" }, Object.values(buttons)), make("div", { class: "bar" }, title), pane)),
    make("div", { class: "below" },
      data.notes.length ? make("section", { id: "notes" }, make("h2", {}, "Notes"), data.notes.map(text => make("p", { class: "soft" }, text))) : null,
      data.overdraw.length ? make("section", {}, make("h2", {}, "Overdraw"), data.overdraw.map(item => make("p", { class: "soft" },
        `${item.width * item.scale} x ${item.height * item.scale}: ${item.average} fragments a pixel, ${item.most} at most`))) : null,
      make("section", { id: "resources" }, make("h2", {}, "Resources"), make("div", { class: "cards" }, data.resources.map(resource)))));
  const keys = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 50, PageUp: -50, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", event => {
    if (!(event.key in keys) || event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(keys[event.key] === Infinity ? draws.length - 1 : keys[event.key] === -Infinity ? 0 : at + keys[event.key]);
  });
  window.addEventListener("resize", () => { paintStrip(); paintList(); show(); });
  if (data.pixels.length) { asked = data.pixels[0]; history(); }
  go(at);
  document.body.dataset.ready = "yes";
})();
