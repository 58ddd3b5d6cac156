// Making elements; numbers as text. Text from outside only ever becomes a text node.

const kAbsent = '–';

function addTo(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (name === 'style')
      Object.assign(element.style, value);
    else if (value === true)
      element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function html(tag, attributes, ...children) {
  return addTo(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return addTo(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

// A box that scrolls sideways when its content is too wide. Then, and only then, it can be reached with Tab, so
// that the arrow keys scroll it.
const scrollObserver = new ResizeObserver((entries) => {
  for (const {target} of entries) {
    if (!target.isConnected) scrollObserver.unobserve(target);
    const box = target.closest('.scroll');
    if (box.scrollWidth > box.clientWidth)
      addTo(box, {tabindex: '0', role: 'group', 'aria-label': 'scrolls sideways'}, []);
    else
      for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name);
  }
});
function scrollable(content) {
  const box = html('div', {class: 'scroll'}, content);
  scrollObserver.observe(box);
  scrollObserver.observe(content);
  return box;
}

// Text from outside, in its own direction.
function text(raw) {
  return html('bdi', {dir: 'auto'}, printable(raw));
}

function section(id) {
  return document.getElementById(id);
}

function number(value, digits = 2) {
  if (value === null || value === undefined) return kAbsent;
  return value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}
function signed(value, digits = 2) {
  if (value === null || value === undefined) return kAbsent;
  return (value > 0 ? '+' : '') + number(value, digits).replace('-', '−');
}
function percent(value) {
  return value === null || value === undefined ? kAbsent : `${number(100 * value, 1)}\u00a0%`;
}
function pValue(value) {
  if (value === null || value === undefined) return kAbsent;
  return value < 0.0001 ? '< 0.0001' : value.toFixed(4);
}
function duration(seconds) {
  if (seconds === null || seconds === undefined) return kAbsent;
  if (seconds < 59.95) return `${number(seconds, 1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
// 1,234,567 as "1.23 M".
function large(value, unit = '') {
  if (value === null || value === undefined) return kAbsent;
  const [factor, name] =
      [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']].find(([f]) => Math.abs(value) >= f) ??
      [1, ''];
  return `${number(value / factor, factor === 1 ? 0 : 2)} ${name}${unit}`.trim();
}

// A model's name behind its mark; the mark's shape and colour stand for it in every chart.
function modelName(m) {
  return html(
      'span', {class: 'model'},
      svg('svg', {class: 'mark', viewBox: '-6 -6 12 12', 'aria-hidden': 'true'}, mark(m)),
      text(models[m].name));
}

// Runs that differ in the seed are one system and look alike; systems differ in shape and colour, up to 36 of them.
const systems = models.map((model, m) => (model.group === null ? `run ${m}` : `group ${model.group}`));
const systemOf = (m) => [...new Set(systems)].indexOf(systems[m]);
const colorOf = (m) => `var(--model-${(systemOf(m) + Math.floor(systemOf(m) / 6)) % 6})`;

function mark(m, x = 0, y = 0) {
  const shapes = [
    'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0',
    'M-3.6,-3.6h7.2v7.2h-7.2z',
    'M0,-4.8L4.6,3.6H-4.6z',
    'M0,-5L5,0L0,5L-5,0z',
    'M0,4.8L4.6,-3.6H-4.6z',
    'M-1.6,-4.8h3.2v3.2h3.2v3.2h-3.2v3.2h-3.2v-3.2h-3.2v-3.2h3.2z',
  ];
  return svg(
      'path', {d: shapes[systemOf(m) % shapes.length], transform: `translate(${x},${y})`, fill: colorOf(m)});
}

// A table with a caption, column headers, and a row header in each row. Cells are nodes or text; columns of
// numbers stand to the right.
function table(caption, headers, rows, attributes) {
  const isNumber = (cell) => typeof cell === 'string' && /^[+−<]?\s?[\d–]/.test(cell);
  const kinds =
      headers.map((_, i) => (rows.length > 0 && rows.every((row) => isNumber(row[i])) ? 'number' : null));
  return scrollable(html(
      'table', attributes, html('caption', {}, caption),
      html(
          'thead', {},
          html('tr', {}, headers.map((header, i) => html('th', {scope: 'col', class: kinds[i]}, header)))),
      html(
          'tbody', {},
          rows.map(
              (cells) => html(
                  'tr', {},
                  cells.map(
                      (cell, i) =>
                          (i === 0 ? html('th', {scope: 'row'}, cell) :
                                     html('td', {class: kinds[i]}, cell))))))));
}

// Rows and columns where all cells of the data are absent say nothing.
function withoutEmptyColumns(headers, rows, texts) {
  const kept = headers.map((_, i) => i === 0 || rows.some((row) => texts(row[i]) !== kAbsent));
  return [headers.filter((_, i) => kept[i]), rows.map((row) => row.filter((_, i) => kept[i]))];
}

// The two models that are compared first: of different groups, where there are groups.
function firstModels() {
  const other = models.findIndex((model) => model.group === null || model.group !== models[0].group);
  return models.length < 2 ? models.map((_, m) => m) : [0, other > 0 ? other : 1];
}

function select(label, options, value, change) {
  const element = html(
      'select', {onchange: () => change(element.value)},
      options.map(([key, name]) => html('option', {value: key}, name)));
  element.value = value;
  return html('label', {}, html('span', {}, label), element);
}
