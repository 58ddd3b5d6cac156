// The source as each model sees it, for the word that is pointed at.

function pointAt(target, column) {
  view.word = {target, column};
  for (const button of parts.words.querySelectorAll('button.word')) {
    const here = Number(button.dataset.column) === column;
    button.classList.toggle(
        'pointed', here && (button.dataset.row === 'reference') === (target === 'reference'));
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
  return weights[t] ? {t, row: weights[t], word: targetWords(m, view.word.target)[t]} :
                      {reason: 'has no word here'};
}

function missingReason(m, target) {
  const held = choicesOf(m).some((_, c) => weightsOf(view.sentence, m, target, c));
  if (held) return 'weights of this layer, head and shift are not in this file for this sentence';
  return report.attention_left_out > 0 ?
      'weights of this sentence are not in this file: its limit is reached' :
      'no weights were recorded';
}

function drawStrips() {
  const {data} = view;
  const said = [];
  parts.strips.replaceChildren(...view.shown.map((m) => {
    const {row, word, reason} = pointedRow(m);
    const chips = [...data.source_words.map((w) => text(w)), endSymbol()].map(
        (w, s) => html(
            'li', {class: row ? `cell ${shade(row[s])}` : 'cell'}, w,
            html('small', {}, row ? number(row[s]) : '\u00a0')));
    if (row) {
      const top = row.map((w, s) => [w, data.source_words[s] ?? 'end of sentence'])
                      .sort((x, y) => y[0] - x[0])
                      .slice(0, 2);
      said.push(`${models[m].name}, ${word}: ${top.map(([w, s]) => `${s} ${number(w)}`).join(', ')}`);
    }
    return html(
        'div', {class: 'strip', 'data-model': m},
        html(
            'div', {class: 'strip-name'}, modelName(m), word ? [' ', html('q', {}, text(word))] : null,
            reason ? html('span', {class: 'note'}, ` ${reason}`) : null),
        html('ol', {dir: isRightToLeft(data.source) ? 'rtl' : 'ltr'}, chips));
  }));
  parts.said.textContent = printable(said.join('. '));
}
