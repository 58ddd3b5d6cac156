// The words of reference and translations over each other, as buttons; where two models disagree most.

// The divergence of the first two models shown, a number a reference word; null where it cannot be told.
function wordDivergences() {
  const [a, b] = view.shown;
  if (b === undefined) return null;
  const [p, q] = [currentWeights(a, 'reference'), currentWeights(b, 'reference')];
  if (!p || !q || p.length !== q.length) return null;
  return p.map((row, t) => divergenceOf(row, q[t]));
}

function wordButton(word, target, column, rowName) {
  return html(
      'button', {
        type: 'button',
        class: 'word',
        tabindex: -1,
        'data-column': column,
        'data-row': rowName,
        onpointerenter: () => pointAt(target, column),
        onfocus: () => pointAt(target, column),
        onclick: () => pointAt(target, column),
      },
      text(word));
}

function wordRow(name, words, indices, target, rowName, reference) {
  return html('tr', {}, html('th', {scope: 'row'}, name), indices.map((w, column) => {
    if (w === null) return html('td', {class: 'nothing'}, html('span', {class: 'unseen'}, 'no word'));
    const differs = reference && words[w] !== reference[column];
    return html(
        'td', {class: differs ? 'differs' : null}, wordButton(words[w], target, column, rowName),
        differs ? html('span', {class: 'unseen'}, ' (not the reference’s)') : null);
  }));
}

function drawWords() {
  const {data} = view;
  const hasReference = data.reference_words.length > 0;
  const expected = hasReference &&
      data.columns.map((c) => (c.reference === null ? null : data.reference_words[c.reference]));
  const rows = [];
  if (hasReference) {
    rows.push(wordRow(
        'reference', data.reference_words, data.columns.map((c) => c.reference), 'reference', 'reference'));
  }
  models.forEach((_, m) => {
    const words = data.translation_words[m];
    rows.push(
        words.length > 0 ?
            wordRow(
                modelName(m), words, data.columns.map((c) => c.translations[m]), 'translation', String(m),
                expected) :
            html(
                'tr', {}, html('th', {scope: 'row'}, modelName(m)),
                html('td', {colspan: Math.max(1, data.columns.length), class: 'note'}, 'empty translation')));
  });
  const divergences = wordDivergences();
  if (divergences) {
    rows.push(
        html('tr', {class: 'divergence'}, html('th', {scope: 'row'}, 'divergence'), data.columns.map((c) => {
          const value = c.reference === null ? null : divergences[c.reference] ?? null;
          return value === null ?
              html('td', {}) :
              html(
                  'td', {}, html('span', {class: 'bar', style: {height: `${2 + 18 * value / Math.LN2}px`}}),
                  number(value));
        })));
  }
  parts.words.replaceChildren(scrollable(html(
      'table',
      {class: 'words', dir: isRightToLeft(data.reference || data.translations[0] || '') ? 'rtl' : 'ltr'},
      html(
          'caption', {},
          `Word over word. Point at a word, or go there with Tab and the arrow keys.${
              hasReference ? ' Underlined: not as in the reference.' : ''}`),
      html('tbody', {}, rows))));
  parts.words.querySelector('button.word')?.setAttribute('tabindex', 0);
  drawDisagreement(divergences);
}

// Left, right, up, down, home, end between the words; one of them is in the Tab order.
function moveInWords(event) {
  const from = event.target.closest?.('button.word');
  const step = {
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    Home: [0, -Infinity],
    End: [0, Infinity]
  }[event.key];
  if (!from || !step) return;
  event.preventDefault();
  const rows = [...parts.words.querySelectorAll('tr')]
                   .map((row) => [...row.querySelectorAll('button.word')])
                   .filter((row) => row.length > 0);
  const r = rows.findIndex((row) => row.includes(from));
  const rightToLeft = from.closest('table').dir === 'rtl' && event.key.startsWith('Arrow');
  let to = null;
  if (step[0] === 0) {
    const i = rows[r].indexOf(from) + (rightToLeft ? -step[1] : step[1]);
    to = rows[r][Math.min(rows[r].length - 1, Math.max(0, i))];
  } else {
    const row = rows[Math.min(rows.length - 1, Math.max(0, r + step[0]))];
    const column = Number(from.dataset.column);
    to = row.reduce(
        (best, b) =>
            (Math.abs(b.dataset.column - column) < Math.abs(best.dataset.column - column) ? b : best));
  }
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

function mostDivergent(divergences, count) {
  return (divergences ?? []).map((_, t) => t).sort((x, y) => divergences[y] - divergences[x]).slice(0, count);
}

function drawDisagreement(divergences) {
  const [a, b] = view.shown;
  if (!divergences || divergences.length === 0) {
    parts.disagreement.replaceChildren();
    return;
  }
  parts.disagreement.replaceChildren(html(
      'p', {}, modelName(a), ' and ', modelName(b), ' disagree most at: ',
      mostDivergent(divergences, 4)
          .map(
              (t) => html(
                  'button', {
                    type: 'button',
                    class: 'most',
                    onclick: () => pointAt('reference', view.data.columns.findIndex((c) => c.reference === t))
                  },
                  text(view.data.reference_words[t] ?? '?'), ` ${number(divergences[t])}`)),
      html('span', {class: 'note'}, ' (Jensen-Shannon, nats; 0.69 has nothing in common)')));
}
