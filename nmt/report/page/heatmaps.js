// The heatmaps of the models shown, side by side, with the switches of their layers and heads.

// The choice nearest to `wanted` in which `key` has its value.
function nearestChoice(m, wanted, key) {
  const keys = ['layer', 'head', 'shift', 'value_norms'];
  const score = (choice) => keys.filter((k) => choice[k] === wanted[k]).length;
  const list =
      choicesOf(m).map((choice, i) => ({choice, i})).filter(({choice}) => choice[key] === wanted[key]);
  return list.sort((x, y) => score(y.choice) - score(x.choice) || x.i - y.i)[0].i;
}

// On paper, where there is nothing to switch.
function choiceText(m) {
  const choice = choicesOf(m)[view.choice[m]];
  return `layer ${choice.layer}, ${choice.head === 0 ? 'mean of heads' : `head ${choice.head}`}, shift ${
             choice.shift}` +
      (choice.value_norms ? ', times value norms' : '');
}

function choiceSelects(m) {
  const choices = choicesOf(m);
  const chosen = choices[view.choice[m]];
  const name = (key, value) =>
      (key === 'head' && value === 0 ? 'mean' :
           key === 'value_norms'     ? (value ? 'times value norms' : 'raw') :
                                       String(value));
  return ['layer', 'head', 'shift', 'value_norms']
      .map((key) => {
        const values =
            [...new Set(choices.map((choice) => choice[key]))].sort((x, y) => Number(x) - Number(y));
        if (values.length < 2)
          return key === 'value_norms' ? null :
                                         html('span', {class: 'fixed'}, `${key} ${name(key, chosen[key])}`);
        return select(
            key === 'value_norms' ? 'weights' : key,
            values.map((value) => [String(Number(value)), name(key, value)]), String(Number(chosen[key])),
            (value) => {
              view.choice[m] = nearestChoice(
                  m, {...chosen, [key]: key === 'value_norms' ? value === '1' : Number(value)}, key);
              drawAll();
              parts.heatmaps.querySelector(`[data-model="${m}"] select[data-key="${key}"]`)?.focus();
            });
      })
      .map((label, i) => {
        label?.querySelector('select')?.setAttribute(
            'data-key', ['layer', 'head', 'shift', 'value_norms'][i]);
        return label;
      });
}

function drawHeatmaps() {
  const {data, target} = view;
  parts.heatmaps.replaceChildren(...view.shown.map((m) => {
    const weights = currentWeights(m, target);
    const words = targetWords(m, target);
    const links = (target === 'reference' ? data.reference_links : data.translation_links)[m];
    const pick = (t) => pointAt(
        target,
        data.columns.findIndex((c) => (target === 'reference' ? c.reference : c.translations[m]) === t));
    return html(
        'figure', {'data-model': m},
        html(
            'figcaption', {}, modelName(m), html('span', {class: 'controls'}, choiceSelects(m)),
            html('span', {class: 'paper'}, choiceText(m))),
        words.length === 0 ?
            html('p', {class: 'note'}, target === 'reference' ? 'no reference' : 'empty translation') :
            !weights ? html('p', {class: 'note'}, missingReason(m, target)) :
            weights.length * weights[0].length > kMostCells ?
                       html(
                           'p', {class: 'note'},
                           `${weights.length} × ${
                               weights[0].length} words: too many to draw; point at a word above instead`) :
                       scrollable(heatmapTable({
                         caption: `Attention of ${printable(models[m].name)}`,
                         weights,
                         source: data.source_words,
                         target: words,
                         gold: target === 'reference' ? data.gold_links : new Map(),
                         links: parseLinks(links),
                         pick
                       })));
  }));
  markHeatmapRows();
}

function markHeatmapRows() {
  for (const figure of parts.heatmaps.children) {
    const {t} = view.word?.target === view.target ? pointedRow(Number(figure.dataset.model)) : {};
    for (const row of figure.querySelectorAll('tbody tr'))
      row.classList.toggle('pointed', Number(row.dataset.row) === t);
  }
}
