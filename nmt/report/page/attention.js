// 2. What do they look at? One sentence: the words over each other, the source as each model sees it for
// the word that is pointed at, and the heatmaps.

const view = {
  sentence: -1,
  shown: models.map((_, m) => m).slice(0, 2),
  choice: models.map(() => 0),
  target: 'reference',    // of the heatmaps
  word: null,             // {target, column}: the word that is pointed at
};
const kMostCells = 10000;  // of a heatmap: more is slow to draw, and nobody reads it
const parts = {};  // the elements that change

function choicesOf(m) {
  const choices = models[m].alignment.choices;
  return choices.length > 0 ? choices : [{layer: 1, head: 0, shift: 0, value_norms: false}];
}

// What stands on the page for a sentence, computed once.
function readSentence(i) {
  const sentence = sentenceAt(i);
  const reference = wordsOf(sentence.reference);
  const translations = models.map((_, m) => wordsOf(sentence.translations[m] ?? ''));
  // Without a reference the first translation that says something is what the others are held against.
  const base = reference.length > 0 ? reference : translations.find((words) => words.length > 0) ?? [];
  const columns = wordColumns(base, translations).map((c) => (reference.length > 0 ? c : {...c, reference: null}));
  return {...sentence, source_words: wordsOf(sentence.source), reference_words: reference, translation_words: translations,
          columns, gold_links: parseLinks(sentence.gold), weights: new Map()};
}

function currentWeights(m, target) {
  const key = `${m} ${target} ${view.choice[m]}`;
  const {weights} = view.data;
  if (!weights.has(key)) weights.set(key, weightsOf(view.sentence, m, target, view.choice[m]));
  return weights.get(key);
}

function targetWords(m, target) {
  return target === 'reference' ? view.data.reference_words : view.data.translation_words[m];
}

// --- the words over each other ---------------------------------------------------------------------

// The divergence of the first two models shown, a number a reference word; null where it cannot be told.
function wordDivergences() {
  const [a, b] = view.shown;
  if (b === undefined) return null;
  const [p, q] = [currentWeights(a, 'reference'), currentWeights(b, 'reference')];
  if (!p || !q || p.length !== q.length) return null;
  return p.map((row, t) => divergenceOf(row, q[t]));
}

function wordButton(word, target, column, rowName) {
  return html('button', {
    type: 'button', class: 'word', tabindex: -1, 'data-column': column, 'data-row': rowName,
    onpointerenter: () => pointAt(target, column), onfocus: () => pointAt(target, column), onclick: () => pointAt(target, column),
  }, text(word));
}

function wordRow(name, words, indices, target, rowName, reference) {
  return html('tr', {}, html('th', {scope: 'row'}, name), indices.map((w, column) => {
    if (w === null) return html('td', {class: 'nothing'}, html('span', {class: 'unseen'}, 'no word'));
    const differs = reference && words[w] !== reference[column];
    return html('td', {class: differs ? 'differs' : null}, wordButton(words[w], target, column, rowName),
                differs ? html('span', {class: 'unseen'}, ' (not the reference’s)') : null);
  }));
}

function drawWords() {
  const {data} = view;
  const hasReference = data.reference_words.length > 0;
  const expected = hasReference && data.columns.map((c) => (c.reference === null ? null : data.reference_words[c.reference]));
  const rows = [];
  if (hasReference) {
    rows.push(wordRow('reference', data.reference_words, data.columns.map((c) => c.reference), 'reference', 'reference'));
  }
  models.forEach((_, m) => {
    const words = data.translation_words[m];
    rows.push(words.length > 0 ? wordRow(modelName(m), words, data.columns.map((c) => c.translations[m]), 'translation', String(m), expected)
        : html('tr', {}, html('th', {scope: 'row'}, modelName(m)), html('td', {colspan: Math.max(1, data.columns.length), class: 'note'}, 'empty translation')));
  });
  const divergences = wordDivergences();
  if (divergences) {
    rows.push(html('tr', {class: 'divergence'}, html('th', {scope: 'row'}, 'divergence'), data.columns.map((c) => {
      const value = c.reference === null ? null : divergences[c.reference] ?? null;
      return value === null ? html('td', {}) : html('td', {}, html('span', {class: 'bar', style: {height: `${2 + 18 * value / Math.LN2}px`}}), number(value));
    })));
  }
  parts.words.replaceChildren(html('div', {class: 'scroll'}, html('table', {class: 'words', dir: isRightToLeft(data.reference || data.translations[0] || '') ? 'rtl' : 'ltr'},
    html('caption', {}, `Word over word. Point at a word, or go there with Tab and the arrow keys.${hasReference ? ' Underlined: not as in the reference.' : ''}`), html('tbody', {}, rows))));
  parts.words.querySelector('button.word')?.setAttribute('tabindex', 0);
  drawDisagreement(divergences);
}

// Left, right, up, down, home, end between the words; one of them is in the Tab order.
function moveInWords(event) {
  const from = event.target.closest?.('button.word');
  const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity]}[event.key];
  if (!from || !step) return;
  event.preventDefault();
  const rows = [...parts.words.querySelectorAll('tr')].map((row) => [...row.querySelectorAll('button.word')]).filter((row) => row.length > 0);
  const r = rows.findIndex((row) => row.includes(from));
  const rightToLeft = from.closest('table').dir === 'rtl' && event.key.startsWith('Arrow');
  let to = null;
  if (step[0] === 0) {
    const i = rows[r].indexOf(from) + (rightToLeft ? -step[1] : step[1]);
    to = rows[r][Math.min(rows[r].length - 1, Math.max(0, i))];
  } else {
    const row = rows[Math.min(rows.length - 1, Math.max(0, r + step[0]))];
    const column = Number(from.dataset.column);
    to = row.reduce((best, b) => (Math.abs(b.dataset.column - column) < Math.abs(best.dataset.column - column) ? b : best));
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
  if (!divergences || divergences.length === 0) { parts.disagreement.replaceChildren(); return; }
  parts.disagreement.replaceChildren(html('p', {}, modelName(a), ' and ', modelName(b), ' disagree most at: ', mostDivergent(divergences, 4).map((t) =>
    html('button', {type: 'button', class: 'most', onclick: () => pointAt('reference', view.data.columns.findIndex((c) => c.reference === t))},
         text(view.data.reference_words[t] ?? '?'), ` ${number(divergences[t])}`)), html('span', {class: 'note'}, ' (Jensen-Shannon, nats; 0.69 has nothing in common)')));
}

// --- the source as each model sees it --------------------------------------------------------------

function pointAt(target, column) {
  view.word = {target, column};
  for (const button of parts.words.querySelectorAll('button.word')) {
    const here = Number(button.dataset.column) === column;
    button.classList.toggle('pointed', here && (button.dataset.row === 'reference') === (target === 'reference'));
  }
  drawStrips();
  markHeatmapRows();
}

// The row that the pointed word has in model m's weights: {words: index, row} or a reason for none.
function pointedRow(m) {
  if (!view.word) return {reason: null};
  const column = view.data.columns[view.word.column];
  const t = view.word.target === 'reference' ? column?.reference : column?.translations[m];
  if (t === null || t === undefined) return {reason: 'has no word here'};
  const weights = currentWeights(m, view.word.target);
  if (!weights) return {reason: missingReason(m, view.word.target)};
  return weights[t] ? {t, row: weights[t], word: targetWords(m, view.word.target)[t]} : {reason: 'has no word here'};
}

function missingReason(m, target) {
  const held = choicesOf(m).some((_, c) => weightsOf(view.sentence, m, target, c));
  if (held) return 'weights of this layer, head and shift are not in this file for this sentence';
  return report.attention_left_out > 0 ? 'weights of this sentence are not in this file: its limit is reached' : 'no weights were recorded';
}

function drawStrips() {
  const {data} = view;
  const said = [];
  parts.strips.replaceChildren(...view.shown.map((m) => {
    const {row, word, reason} = pointedRow(m);
    const chips = [...data.source_words.map((w) => text(w)), endSymbol()].map((w, s) => html('li', {class: row ? `cell ${shade(row[s])}` : 'cell'}, w,
        html('small', {}, row ? number(row[s]) : '\u00a0')));
    if (row) {
      const top = row.map((w, s) => [w, data.source_words[s] ?? 'end of sentence']).sort((x, y) => y[0] - x[0]).slice(0, 2);
      said.push(`${models[m].name}, ${word}: ${top.map(([w, s]) => `${s} ${number(w)}`).join(', ')}`);
    }
    return html('div', {class: 'strip', 'data-model': m}, html('div', {class: 'strip-name'}, modelName(m), word ? [' ', html('q', {}, text(word))] : null,
                reason ? html('span', {class: 'note'}, ` ${reason}`) : null), html('ol', {dir: isRightToLeft(data.source) ? 'rtl' : 'ltr'}, chips));
  }));
  parts.said.textContent = printable(said.join('. '));
}

// --- the heatmaps ----------------------------------------------------------------------------------

// The choice nearest to `wanted` in which `key` has its value.
function nearestChoice(m, wanted, key) {
  const keys = ['layer', 'head', 'shift', 'value_norms'];
  const score = (choice) => keys.filter((k) => choice[k] === wanted[k]).length;
  const list = choicesOf(m).map((choice, i) => ({choice, i})).filter(({choice}) => choice[key] === wanted[key]);
  return list.sort((x, y) => score(y.choice) - score(x.choice) || x.i - y.i)[0].i;
}

function choiceSelects(m) {
  const choices = choicesOf(m);
  const chosen = choices[view.choice[m]];
  const name = (key, value) => (key === 'head' && value === 0 ? 'mean' : key === 'value_norms' ? (value ? 'times value norms' : 'raw') : String(value));
  return ['layer', 'head', 'shift', 'value_norms'].map((key) => {
    const values = [...new Set(choices.map((choice) => choice[key]))].sort((x, y) => Number(x) - Number(y));
    if (values.length < 2) return key === 'value_norms' ? null : html('span', {class: 'fixed'}, `${key} ${name(key, chosen[key])}`);
    return select(key === 'value_norms' ? 'weights' : key, values.map((value) => [String(Number(value)), name(key, value)]), String(Number(chosen[key])), (value) => {
      view.choice[m] = nearestChoice(m, {...chosen, [key]: key === 'value_norms' ? value === '1' : Number(value)}, key);
      drawAll();
      parts.heatmaps.querySelector(`[data-model="${m}"] select[data-key="${key}"]`)?.focus();
    });
  }).map((label, i) => { label?.querySelector('select')?.setAttribute('data-key', ['layer', 'head', 'shift', 'value_norms'][i]); return label; });
}

function drawHeatmaps() {
  const {data, target} = view;
  parts.heatmaps.replaceChildren(...view.shown.map((m) => {
    const weights = currentWeights(m, target);
    const words = targetWords(m, target);
    const links = (target === 'reference' ? data.reference_links : data.translation_links)[m];
    const pick = (t) => pointAt(target, data.columns.findIndex((c) => (target === 'reference' ? c.reference : c.translations[m]) === t));
    return html('figure', {'data-model': m}, html('figcaption', {}, modelName(m), html('span', {class: 'controls'}, choiceSelects(m))),
      words.length === 0 ? html('p', {class: 'note'}, target === 'reference' ? 'no reference' : 'empty translation')
      : !weights ? html('p', {class: 'note'}, missingReason(m, target))
      : weights.length * weights[0].length > kMostCells ? html('p', {class: 'note'}, `${weights.length} × ${weights[0].length} words: too many to draw; point at a word above instead`)
      : html('div', {class: 'scroll'}, heatmapTable({caption: `Attention of ${printable(models[m].name)}`, weights, source: data.source_words, target: words,
          gold: target === 'reference' ? data.gold_links : new Map(), links: parseLinks(links), pick})));
  }));
  markHeatmapRows();
}

function markHeatmapRows() {
  for (const figure of parts.heatmaps.children) {
    const {t} = view.word?.target === view.target ? pointedRow(Number(figure.dataset.model)) : {};
    for (const row of figure.querySelectorAll('tbody tr')) row.classList.toggle('pointed', Number(row.dataset.row) === t);
  }
}

// --- a sentence ------------------------------------------------------------------------------------

function drawFacts() {
  const {data} = view;
  const rows = models.map((_, m) => [modelName(m), number(data.bleu[m]), number(data.chrf[m]), number(data.ter[m]), percent(data.aer[m]),
                                     number(data.entropy[m]), number(data.coverage[m])]);
  const [headers, cells] = withoutEmptyColumns(['Model', 'BLEU', 'chrF', 'TER', 'AER', 'Entropy (nats)', 'Coverage deviation'], rows, (cell) => cell);
  const divergences = models.flatMap((_, a) => models.slice(a + 1).map((__, k) => [a, a + 1 + k, data.divergence[pairIndex(a, a + 1 + k)] ?? null]))
      .filter(([, , value]) => value !== null);
  parts.facts.replaceChildren(headers.length > 1 ? table('Of this sentence alone', headers, cells, {id: 'sentence-scores'}) : '',
    divergences.length === 0 ? '' : html('p', {class: 'note'}, 'Divergence of attention over this sentence: ', divergences.map(([a, b, value], i) =>
        [i > 0 ? '; ' : '', text(models[a].name), ' and ', text(models[b].name), ` ${number(value, 3)}`]), ' nats.'));
}

function drawAll() {
  drawWords();
  drawStrips();
  drawHeatmaps();
}

function openSentence(i) {
  view.sentence = i;
  view.data = readSentence(i);
  const {data} = view;
  view.word = null;
  parts.line.value = data.line;
  parts.previous.disabled = i === 0;
  parts.next.disabled = i === report.page.sentences - 1;
  parts.source.replaceChildren(html('strong', {}, 'Source '), text(data.source));
  drawFacts();
  drawAll();
  const first = data.reference_words.length > 0 ? 'reference' : 'translation';
  const most = mostDivergent(wordDivergences(), 1)[0] ?? 0;
  const column = data.columns.findIndex((c) => first === 'translation' || c.reference === most);
  if (column >= 0) pointAt(first, column);
}

function showTargetSwitch() {
  const option = (value, name) => html('label', {}, html('input', {type: 'radio', name: 'target', value, checked: value === view.target,
    onchange: () => { view.target = value; drawHeatmaps(); }}), name);
  return html('fieldset', {class: 'controls'}, html('legend', {}, 'Rows of the heatmaps'), option('reference', 'the reference, forced'), option('translation', 'each model’s own translation'));
}

function showModelSwitch() {
  if (models.length < 3) return null;
  const boxes = models.map((_, m) => html('label', {}, html('input', {type: 'checkbox', value: m, checked: view.shown.includes(m), onchange: () => {
    view.shown = boxes.map((box, k) => (box.querySelector('input').checked ? k : -1)).filter((k) => k >= 0);
    drawAll();
  }}), modelName(m)));
  return html('fieldset', {class: 'controls'}, html('legend', {}, 'Models shown'), boxes);
}

function showAttention() {
  const count = report.page.sentences;
  if (count === 0) { section('attention').append(html('p', {class: 'note'}, 'The report holds no sentences.')); return; }
  if (index.reference_words.every((n) => n === 0)) view.target = 'translation';
  parts.previous = html('button', {type: 'button', id: 'previous', onclick: () => goToSentence(view.sentence - 1)}, '← previous');
  parts.next = html('button', {type: 'button', id: 'next', onclick: () => goToSentence(view.sentence + 1)}, 'next →');
  parts.line = html('input', {type: 'number', id: 'line', min: index.line[0], max: index.line[count - 1], onchange: () => goToLine(Number(parts.line.value))});
  for (const name of ['source', 'facts', 'words', 'disagreement', 'strips', 'heatmaps']) parts[name] = html('div', {class: name});
  parts.said = html('p', {class: 'unseen', role: 'status', 'aria-live': 'polite', id: 'said'});
  parts.words.addEventListener('keydown', moveInWords);
  section('attention').append(
    html('div', {class: 'controls sticky'}, html('label', {}, html('span', {}, 'Line'), parts.line), ` of ${number(count, 0)} `, parts.previous, parts.next,
         html('a', {href: '#sentences'}, 'all sentences')),
    showModelSwitch() ?? '', parts.source, parts.words, parts.disagreement,
    html('h3', {}, 'The source as each model sees it'), parts.strips, parts.said,
    html('h3', {}, 'Heatmaps'), html('div', {class: 'controls'}, showTargetSwitch()), scaleLegend(), parts.heatmaps, parts.facts,
    report.attention_left_out > 0 ? html('p', {class: 'note'}, `${number(report.attention_left_out, 0)} matrices of attention are not in this file: they are beyond its limit of size, first those of further layers and heads, then those of sentences on which the models agree.`) : '');
}
