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
  const [a, b] = firstModels();
  const column = index.divergence[pairIndex(a, b)] ?? [];
  let best = -1;
  column.forEach((value, i) => {
    const fits = index.source_words[i] >= 4 && index.source_words[i] <= 14;
    if (fits && value !== null && (best < 0 || value > column[best])) best = i;
  });
  return Math.max(0, best);
}

function openAddress(scroll) {
  const line = /^#line=(\d+)$/.exec(location.hash);
  if (!line && view.sentence >= 0) return;
  // A line that is not in the report changes nothing, and opens what no line at all would.
  let i = line ? index.line.indexOf(Number(line[1])) : firstSentence();
  if (i < 0) i = view.sentence >= 0 ? view.sentence : firstSentence();
  if (i === view.sentence) {
    if (scroll) section('attention').scrollIntoView();
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
