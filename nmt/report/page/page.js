// Puts the sections on the page and opens the sentence that the address names: #line=123.

function goToSentence(i) {
  openSentence(i);
  redrawRows();
  location.hash = `line=${index.line[i]}`;
}

// The sentence of a line, or the nearest one before it.
function goToLine(line) {
  const i = index.line.findLastIndex((l) => l <= line);
  goToSentence(Math.max(0, i));
  parts.line.value = index.line[Math.max(0, i)];
}

// Without a line in the address: where the first two models differ most, of those that fit a glance.
function firstSentence() {
  const column = index.divergence[0] ?? [];
  let best = 0;
  column.forEach((value, i) => {
    const fits = index.source_words[i] >= 4 && index.source_words[i] <= 14;
    if (fits && value !== null && value > (column[best] ?? -1)) best = i;
  });
  return best;
}

function openAddress(scroll) {
  const line = /^#line=(\d+)$/.exec(location.hash);
  if (!line && view.sentence >= 0) return;
  const i = line ? index.line.indexOf(Number(line[1])) : firstSentence();
  if (i < 0 || i === view.sentence) {
    if (i >= 0 && scroll) section('attention').scrollIntoView();
    return;
  }
  openSentence(i);
  redrawRows();
  if (line && scroll) section('attention').scrollIntoView();
}

function start() {
  addShades();
  section('title').append(text(report.title || 'Comparison'));
  section('files').append(
      report.source_file ?
          html(
              'span', {}, 'Source ', text(report.source_file),
              report.reference_file ? ['; reference ', text(report.reference_file)] : null, '.') :
          '');
  showQuality();
  showAttention();
  showAlignments();
  showCost();
  showSentences();
  if (report.page.sentences === 0) return;
  openAddress(true);
  addEventListener('hashchange', () => openAddress(!document.activeElement?.closest('#attention')));
}

start();
