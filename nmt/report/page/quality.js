// 1. Which translates better, and is it more than chance?

const kMeasures = [['bleu', 'BLEU', true], ['chrf', 'chrF', true], ['ter', 'TER', false]];
const kSignificant = 0.05;
const kLeadLines = 8;

// With k pairs tested, one of them is "significant" by luck k times as often: each must show 0.05 / k (Bonferroni).
function threshold(test) {
  return kSignificant /
      report.comparison.tests.filter((t) => t.over === test.over && t.metric === test.metric).length;
}
// Of a permutation of seeds, the way that was found and its mirror image are always among the ways.
const leastP = (test) => (test.over === 'seeds' ? 2 / test.samples : 0);

// Who is tested: the run, or, across seeds, its group.
const competitor = (test, m) => text(test.over === 'seeds' ? models[m].group : models[m].name);

function verdict(test) {
  if (leastP(test) >= threshold(test)) return 'too few seeds to tell';
  if (test.p_value === null || test.p_value >= threshold(test)) return 'no difference shown';
  const lowerIsBetter = test.metric === 'TER' || test.metric === 'AER %';
  const better = (test.difference > 0) !== lowerIsBetter ? test.model : test.baseline;
  return html('strong', {}, competitor(test, better), ' is better');
}

// The answer in a sentence, for the first test of each pair of models, or of groups where there are seeds.
function headline() {
  const over = report.comparison.tests.some((test) => test.over === 'seeds') ? 'seeds' : 'sentences';
  const tests = report.comparison.tests.filter(
      (test, i, all) => test.over === over &&
          i ===
              all.findIndex(
                  (t) => t.over === over && t.model === test.model && t.baseline === test.baseline));
  if (models.length < 2) return html('p', {class: 'lead'}, 'Fewer than two models: nothing to compare.');
  if (tests.length === 0 && models.every((model) => model.bleu === null && model.chrf === null)) return '';
  if (tests.length === 0) {
    return html(
        'p', {class: 'lead'}, 'No test for significance was made: the differences below may be chance.');
  }
  return html(
      'ul', {class: 'lead'},
      tests.slice(0, kLeadLines)
          .map(
              (test) => html(
                  'li', {}, competitor(test, test.model), ' against ', competitor(test, test.baseline),
                  `${test.over === 'seeds' ? ', means of the seeds' : ''}: ${signed(test.difference)} ${
                      test.metric}, `,
                  verdict(test), ` (p = ${pValue(test.p_value)}).`)),
      tests.length > kLeadLines ?
          html('li', {}, `${tests.length - kLeadLines} more in the tables of tests.`) :
          null);
}

function scoreCell(model, key) {
  const interval = model[`${key}_interval`];
  return html(
      'span', {'data-key': key}, number(model[key]),
      interval ? html('small', {}, ` (${number(interval.mean)} ± ${number(interval.half_width)})`) : null);
}

function scoreTable() {
  const shown = kMeasures.filter(([key]) => models.some((model) => model[key] !== null));
  if (shown.length === 0) return html('p', {class: 'note'}, 'Nothing was scored.');
  const headers = ['Model', ...shown.map(([, name, higher]) => `${name} ${higher ? '↑' : '↓'}`)];
  return table(
      'Scores; in brackets mean ± half the width of the 95 % interval (bootstrap over sentences). ' +
          '↑ higher is better, ↓ lower.',
      headers, models.map((model, m) => [modelName(m), ...shown.map(([key]) => scoreCell(model, key))]),
      {id: 'scores'});
}

function scoreCharts() {
  return html('div', {class: 'row'}, kMeasures.map(([key, name, higher]) => {
    const entries = models
                        .map((model, m) => {
                          const interval = model[`${key}_interval`];
                          return {
                            model: m,
                            value: model[key],
                            low: interval ? interval.mean - interval.half_width : null,
                            high: interval ? interval.mean + interval.half_width : null
                          };
                        })
                        .filter((entry) => entry.value !== null);
    return entries.length === 0 ?
        null :
        intervalChart(`${name} (${higher ? 'higher' : 'lower'} is better)`, entries);
  }));
}

function testNames(test) {
  const name = (m) => (test.over === 'seeds' ? text(models[m].group) : modelName(m));
  return html('span', {}, name(test.model), ' − ', name(test.baseline));
}

const kMeaning = {
  sentences:
      'how often so large a difference comes up when the two outputs of a sentence change places at random',
  seeds:
      'how often so large a difference of the means comes up when the scores of the runs are shared out anew'
};

// A table for each kind of test, in the order of their reach: seeds say more than sentences.
function testTables() {
  return ['seeds', 'sentences'].map((over) => {
    const tests = report.comparison.tests.filter((test) => test.over === over);
    if (tests.length === 0) return null;
    const samples = [...new Set(tests.map((test) => test.samples))].sort((a, b) => a - b);
    const pairs = Math.round(kSignificant / threshold(tests[0]));
    return table(
        `Over ${over}: ${tests[0].test}, ${samples.map((n) => number(n, 0)).join(' or ')} samples. p: ${
            kMeaning[over]}.` +
            (pairs > 1 ? ` Of ${pairs} pairs each must show p < 0.05 / ${pairs}.` : ''),
        ['Models', 'Metric', 'Difference', 'p', 'Verdict', 'Differences of the samples'],
        tests.map(
            (test) =>
                [testNames(test), test.metric, signed(test.difference), pValue(test.p_value), verdict(test),
                 test.differences ? histogramChart(test) : kAbsent]),
        {id: `tests-${over}`});
  });
}

// Runs that translate the other way.
function oppositeTable() {
  if (report.opposite.length === 0) return null;
  return table(
      'The other direction, on the test set with its sides exchanged: not to be compared with the scores above.',
      ['Model', 'BLEU ↑', 'chrF ↑', 'TER ↓', 'AER % ↓', 'Parameters'],
      report.opposite.map(
          (model) =>
              [text(model.name), number(model.bleu), number(model.chrf), number(model.ter),
               model.aer === null ? kAbsent : number(100 * model.aer, 1), number(model.parameters, 0)]),
      {id: 'opposite'});
}

function groupTable() {
  if (report.groups.length === 0) return null;
  const cell = (value, digits, scale = 1) => {
    if (value === null) return kAbsent;
    const mean = number(scale * value.mean, digits);
    return value.deviation === null ? mean : `${mean} ± ${number(scale * value.deviation, digits)}`;
  };
  return table(
      'Runs that differ in the seed only: mean ± standard deviation.',
      [
        'Group', 'Runs', 'BLEU', 'chrF', 'TER', 'AER %',
        ...report.parts.flatMap((part) => [`BLEU, ${printable(part.part)}`, `AER %, ${printable(part.part)}`])
      ],
      report.groups.map(
          (group) =>
              [text(group.group), String(group.models.length), cell(group.bleu, 2), cell(group.chrf, 2),
               cell(group.ter, 2), cell(group.aer, 1, 100),
               ...group.parts.flatMap((part) => [cell(part.bleu, 2), cell(part.aer, 1, 100)])]),
      {id: 'groups'});
}

// Scores of the parts of the test set, a chart and a table. Parts of words have F-scores only.
function partsView(title, note, parts) {
  const byWords = parts.some((part) => part.word_f);
  const keys = byWords ? [['word_f', 'F of the words', 100]] :
                         [['bleu', 'BLEU', 1], ['chrf', 'chrF', 1], ['ter', 'TER', 1], ['aer', 'AER %', 100]];
  const held = keys.filter(([key]) => parts.some((part) => (part[key] ?? []).some((v) => v !== null)));
  if (held.length === 0) return null;
  const [key, name, scale] = held[0];
  const series = models
                     .map((_, m) => ({
                            model: m,
                            points: parts.map((part, i) => [i, part[key][m]])
                                        .filter((p) => p[1] !== null)
                                        .map((p) => [p[0], scale * p[1]])
                          }))
                     .filter((s) => s.points.length > 0);
  const cells = held.flatMap(
      ([k, n, f]) => models.map(
          (model, m) =>
              [html('span', {}, `${n} `, text(model.name)),
               (part) => (part[k][m] === null ? kAbsent : number(f * part[k][m], k === 'aer' ? 1 : 2))]));
  return html(
      'div', {class: 'part'}, html('h3', {}, 'By ', text(title)),
      note ? html('p', {class: 'note'}, text(note)) : null,
      parts.length > 1 ?
          html(
              'figure', {}, lineChart(name, title, series, parts.map((part) => printable(part.part))),
              legend()) :
          null,
      html(
          'details', {open: parts.length === 1}, html('summary', {}, 'Numbers'),
          table(
              `Scores by ${printable(title)}`,
              ['Part', byWords ? 'Words' : 'Sentences', ...cells.map(([header]) => header)],
              parts.map(
                  (part) =>
                      [text(part.part), number(byWords ? part.words : part.sentences, 0),
                       ...cells.map(([, cell]) => cell(part))]))));
}

// The set that the page is about, beside which the further ones stand.
function wholeSet() {
  const of = (key) => models.map((model) => model[key]);
  return {
    part: 'the test set',
    sentences: report.page.sentences,
    bleu: of('bleu'),
    chrf: of('chrf'),
    ter: of('ter'),
    aer: of('aer')
  };
}

function signatures() {
  const lines = [];
  for (const [key, name] of kMeasures) {
    const found = new Set(models.map((model) => model[`${key}_signature`]).filter((s) => s));
    for (const signature of found) lines.push(html('li', {}, `${name}: `, html('code', {}, signature)));
    if (found.size > 1)
      lines.push(html(
          'li', {}, html('strong', {}, `The ${name} signatures differ: these scores cannot be compared.`)));
  }
  return lines.length === 0 ? null :
                              html('details', {}, html('summary', {}, 'Signatures'), html('ul', {}, lines));
}

function showQuality() {
  section('quality').append(
      headline(), groupTable() ?? '', scoreTable(), scoreCharts(), ...testTables().map((part) => part ?? ''),
      oppositeTable() ?? '',
      html(
          'div', {class: 'parts'},
          report.parts.length > 0 ? partsView('test set', null, [wholeSet(), ...report.parts]) : null,
          report.breakdowns.map((breakdown) => partsView(breakdown.by, breakdown.note, breakdown.parts))),
      signatures() ?? '');
}
