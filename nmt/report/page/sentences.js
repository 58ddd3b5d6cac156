// 5. All sentences: sorted, searched, and of the list only the rows in sight.

const kRowHeight = 84;
const list = {
  order: [],
  query: '',
  sort: 'difference',
  a: firstModels()[0] ?? 0,
  b: firstModels()[1] ?? 0,
  first: -1
};

// The measure that sentences are compared by: the first that there is.
function qualityMeasure() {
  return kMeasures.map(([key, name, higher]) => ({key, name, higher}))
      .sort((x, y) => (y.key === 'chrf') - (x.key === 'chrf'))
      .find(({key}) => index[key].some((column) => column.some((value) => value !== null)));
}

function difference(i) {
  const measure = qualityMeasure();
  if (!measure || models.length < 2) return null;
  const [x, y] = [index[measure.key][list.a]?.[i] ?? null, index[measure.key][list.b]?.[i] ?? null];
  return x === null || y === null ? null : y - x;
}
function divergence(i) {
  return models.length < 2 || list.a === list.b ? null :
                                                  index.divergence[pairIndex(list.a, list.b)]?.[i] ?? null;
}

const kSorts = {
  line: ['line', (i) => index.line[i], 1],
  difference: ['difference in quality, largest first', (i) => absolute(difference(i)), -1],
  second: ['difference, second model ahead', (i) => ahead(i, 1), -1],
  first: ['difference, first model ahead', (i) => ahead(i, -1), -1],
  divergence: ['divergence of attention, largest first', divergence, -1],
  shortest: ['length, shortest first', (i) => index.source_words[i], 1],
  longest: ['length, longest first', (i) => index.source_words[i], -1],
};
function absolute(value) {
  return value === null ? null : Math.abs(value);
}
function ahead(i, sign) {
  const value = difference(i);
  return value === null ? null : sign * (qualityMeasure().higher ? value : -value);
}

// All that can be searched in a sentence, in small letters; made when the first search comes.
const searchTexts = [];
function searchText(i) {
  const sentence = sentenceAt(i);
  searchTexts[i] ??=
      [sentence.source, sentence.reference, ...sentence.translations].join('\n').toLocaleLowerCase();
  return searchTexts[i];
}

// Sentences that hold every word of the query, in order; those without a value come last.
function orderList() {
  const [, key, sign] = kSorts[list.sort];
  const words = wordsOf(list.query.toLocaleLowerCase());
  const values = index.line.map((_, i) => key(i));
  list.order = index.line.map((_, i) => i).filter((i) => words.every((word) => searchText(i).includes(word)));
  list.order.sort(
      (x, y) => (values[x] === null) - (values[y] === null) || sign * (values[x] - values[y]) || x - y);
  list.first = -1;
  parts.scroller.scrollTop = 0;
  parts.count.textContent = `${number(list.order.length, 0)} of ${number(index.line.length, 0)} sentences`;
  parts.list.setAttribute('aria-rowcount', list.order.length + 1);
  drawRows();
}

function listRow(i, place) {
  const sentence = sentenceAt(i);
  const shown = models.length > 1 ? [list.a, list.b] : [0];
  const words = (m) =>
      (sentence.translations[m] ? text(sentence.translations[m]) :
                                  html('span', {class: 'note'}, 'empty translation'));
  const isOpen = i === view.sentence;
  return html(
      'tr', {
        'aria-rowindex': place + 2,
        class: isOpen ? 'open' : null,
        'aria-current': isOpen ? 'true' : null,
        onclick: () => {
          location.hash = `line=${sentence.line}`;
        }
      },
      html(
          'th', {scope: 'row'},
          html(
              'a', {href: `#line=${sentence.line}`, onclick: (event) => event.stopPropagation()},
              String(sentence.line))),
      html(
          'td', {class: 'texts'}, html('div', {class: 'source-line'}, text(sentence.source)),
          shown.map(
              (m) => html(
                  'div', {},
                  svg('svg',
                      {class: 'mark', viewBox: '-6 -6 12 12', role: 'img', 'aria-label': models[m].name},
                      mark(m)),
                  ' ', words(m)))),
      html('td', {class: 'number'}, signed(difference(i), 1)),
      html('td', {class: 'number'}, number(divergence(i), 3)),
      html('td', {class: 'number'}, String(index.source_words[i])));
}

function drawRows() {
  const height = parts.scroller.clientHeight || 600;
  const first = Math.max(0, Math.floor(parts.scroller.scrollTop / kRowHeight) - 6);
  if (first === list.first) return;
  list.first = first;
  const last = Math.min(list.order.length, first + Math.ceil(height / kRowHeight) + 12);
  const spacer = (rows) => html(
      'tr', {'aria-hidden': 'true', class: 'spacer'},
      html('td', {colspan: 5, style: {height: `${rows * kRowHeight}px`}}));
  const focused =
      parts.rows.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  parts.rows.replaceChildren(
      spacer(first), ...list.order.slice(first, last).map((i, k) => listRow(i, first + k)),
      spacer(list.order.length - last));
  if (focused) parts.rows.querySelector(`a[href="${focused}"]`)?.focus({preventScroll: true});
}

function redrawRows() {
  list.first = -1;
  if (parts.rows) drawRows();
}

function showSentences() {
  if (report.page.sentences === 0) return;
  const measure = qualityMeasure();
  const sorts = Object.entries(kSorts).filter(
      ([key]) => (models.length > 1 || !['difference', 'second', 'first', 'divergence'].includes(key)) &&
          (measure || !['difference', 'second', 'first'].includes(key)) &&
          (key !== 'divergence' || index.divergence.some((column) => column.some((v) => v !== null))));
  list.sort = sorts.some(([key]) => key === 'difference') ? 'difference' : 'line';
  const names = models.map((model, m) => [String(m), printable(model.name)]);
  const pick = (which) => (value) => {
    list[which] = Number(value);
    parts.against.textContent = againstText();
    orderList();
  };
  let waiting = 0;
  const search = html('input', {
    type: 'search',
    id: 'search',
    placeholder: 'words in source, reference or translations',
    oninput: () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        list.query = search.value;
        orderList();
      }, 120);
    }
  });
  const againstText = () =>
      (measure && models.length > 1 ?
           `Difference: ${measure.name} of ${printable(models[list.b].name)} − that of ${
               printable(models[list.a].name)}` :
           '');
  parts.against = html('p', {class: 'note'}, againstText());
  parts.count = html('p', {class: 'note', role: 'status', id: 'count'});
  parts.rows = html('tbody', {});
  parts.list = html(
      'table', {class: 'list'},
      html('caption', {class: 'unseen'}, 'All sentences; the line is a link that opens the sentence'),
      html(
          'thead', {},
          html(
              'tr', {}, html('th', {scope: 'col'}, 'Line'),
              html('th', {scope: 'col'}, 'Source and translations'),
              html('th', {scope: 'col', class: 'number'}, 'Difference'),
              html('th', {scope: 'col', class: 'number'}, 'Divergence'),
              html('th', {scope: 'col', class: 'number'}, 'Words'))),
      parts.rows);
  parts.scroller = html(
      'div', {
        class: 'scroller',
        tabindex: 0,
        role: 'region',
        'aria-label': 'List of sentences',
        onscroll: () => requestAnimationFrame(drawRows)
      },
      parts.list);
  section('sentences')
      .append(
          html(
              'div', {class: 'controls'}, html('label', {}, html('span', {}, 'Search'), search),
              select(
                  'Sort by', sorts.map(([key, [name]]) => [key, name]), list.sort,
                  (value) => {
                    list.sort = value;
                    orderList();
                  }),
              models.length > 2 ?
                  [
                    select('First model', names, String(list.a), pick('a')),
                    select('Second model', names, String(list.b), pick('b'))
                  ] :
                  null),
          html('div', {class: 'controls'}, parts.count, parts.against), parts.scroller);
  orderList();
}
