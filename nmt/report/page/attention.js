// 2. What do they look at? One sentence: the words over each other, the source as each model sees it for
// the word that is pointed at, and the heatmaps.

const view = {
  sentence: -1,
  shown: firstModels(),
  choice: models.map(() => 0),
  target: 'reference',  // of the heatmaps
  word: null,           // {target, column}: the word that is pointed at
};
const kMostCells = 10000;  // of a heatmap: more is slow to draw, and nobody reads it
const parts = {};          // the elements that change

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
  const columns =
      wordColumns(base, translations).map((c) => (reference.length > 0 ? c : {...c, reference: null}));
  return {
    ...sentence,
    source_words: wordsOf(sentence.source),
    reference_words: reference,
    translation_words: translations,
    columns,
    gold_links: parseLinks(sentence.gold),
    weights: new Map()
  };
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

function drawFacts() {
  const {data} = view;
  const rows = models.map(
      (_, m) =>
          [modelName(m), number(data.bleu[m]), number(data.chrf[m]), number(data.ter[m]),
           percent(data.aer[m]), number(data.entropy[m]), number(data.coverage[m])]);
  const [headers, cells] = withoutEmptyColumns(
      ['Model', 'BLEU', 'chrF', 'TER', 'AER', 'Entropy (nats)', 'Coverage deviation'], rows, (cell) => cell);
  const divergences =
      report.comparison.agreements.map((pair, i) => [pair.model, pair.other, data.divergence[i] ?? null])
          .filter(([a, b, value]) => value !== null && view.shown.includes(a) && view.shown.includes(b));
  parts.facts.replaceChildren(
      headers.length > 1 ?
          table(
              'Of this sentence alone. AER, entropy and coverage are of the model’s chosen layer and head, forced ' +
                  'through the reference.',
              headers, cells, {id: 'sentence-scores'}) :
          '',
      divergences.length === 0 ? '' :
                                 html(
                                     'p', {class: 'note'}, 'Divergence of attention over this sentence: ',
                                     divergences.map(
                                         ([a, b, value], i) =>
                                             [i > 0 ? '; ' : '', text(models[a].name), ' and ',
                                              text(models[b].name), ` ${number(value, 3)}`]),
                                     ' nats.'));
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
  const option = (value, name) => html(
      'label', {}, html('input', {
        type: 'radio',
        name: 'target',
        value,
        checked: value === view.target,
        onchange: () => {
          view.target = value;
          drawHeatmaps();
        }
      }),
      name);
  return html(
      'fieldset', {class: 'controls'}, html('legend', {}, 'Rows of the heatmaps'),
      option('reference', 'the reference, forced'), option('translation', 'each model’s own translation'));
}

function showModelSwitch() {
  if (models.length < 3) return null;
  const boxes = models.map(
      (_, m) => html(
          'label', {}, html('input', {
            type: 'checkbox',
            value: m,
            checked: view.shown.includes(m),
            onchange: () => {
              view.shown =
                  boxes.map((box, k) => (box.querySelector('input').checked ? k : -1)).filter((k) => k >= 0);
              drawFacts();
              drawAll();
            }
          }),
          modelName(m)));
  return html('fieldset', {class: 'controls'}, html('legend', {}, 'Models shown'), boxes);
}

function leftOutNote() {
  const count = report.attention_left_out;
  if (count === 0) return '';
  return html(
      'p', {class: 'note'},
      `${number(count, 0)} matrices of attention are not in this file: they are ` +
          'beyond its limit of size, first those of further layers and heads, then those of sentences on which ' +
          'the models agree.');
}

function showAttention() {
  const count = report.page.sentences;
  if (count === 0) {
    section('attention').append(html('p', {class: 'note'}, 'The report holds no sentences.'));
    return;
  }
  if (index.reference_words.every((n) => n === 0)) view.target = 'translation';
  parts.previous = html(
      'button', {type: 'button', id: 'previous', onclick: () => goToSentence(view.sentence - 1)},
      '← previous');
  parts.next =
      html('button', {type: 'button', id: 'next', onclick: () => goToSentence(view.sentence + 1)}, 'next →');
  parts.line = html('input', {
    type: 'number',
    id: 'line',
    min: index.line[0],
    max: index.line[count - 1],
    onchange: () => goToLine(Number(parts.line.value))
  });
  for (const name of ['source', 'facts', 'words', 'disagreement', 'strips', 'heatmaps'])
    parts[name] = html('div', {class: name});
  parts.said = html('p', {class: 'unseen', role: 'status', 'aria-live': 'polite', id: 'said'});
  parts.words.addEventListener('keydown', moveInWords);
  section('attention')
      .append(
          html(
              'div', {class: 'controls sticky'}, html('label', {}, html('span', {}, 'Line'), parts.line),
              ` of ${number(count, 0)} `, parts.previous, parts.next,
              html('a', {href: '#sentences'}, 'all sentences')),
          showModelSwitch() ?? '', parts.source, parts.words, parts.disagreement,
          html('h3', {}, 'The source as each model sees it'), parts.strips, parts.said,
          html('h3', {}, 'Heatmaps'), html('div', {class: 'controls'}, showTargetSwitch()), scaleLegend(),
          parts.heatmaps, parts.facts, leftOutNote());
}
