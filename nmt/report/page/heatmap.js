// Weights as colours, and the heatmap of one model: a real table, rows target words, columns source words.

// A class for each of 256 shades: nmt/report/color_scale.h by light, turned round by dark, so that 0 lies
// next to the page's ground in both. As a style sheet it follows the reader's preference and the printer.
function addShades() {
  const rule = (color, w) => {
    const [r, g, b] = [1, 3, 5]
                          .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
                          .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    const ground = 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    return `.w${w}{background:${color};color:${1.05 / ground > ground / 0.05 ? '#fff' : '#000'}}`;
  };
  const colors = report.page.colors;
  document.head.append(html(
      'style', {}, colors.map(rule).join(''), '@media screen and (prefers-color-scheme: dark){',
      colors.map((_, w) => rule(colors[255 - w], w)).join(''), '}'));
}

function shade(weight) {
  return `w${Math.round(255 * Math.min(1, Math.max(0, weight)))}`;
}

function scaleLegend() {
  return html(
      'p', {class: 'scale-legend'}, 'One scale for all: ',
      html(
          'span', {class: 'scale', 'aria-hidden': 'true'},
          Array.from(
              {length: 11},
              (_, i) => html('span', {class: `cell ${shade(i / 10)}`}, i % 5 === 0 ? String(i / 10) : ''))),
      ' share of the attention. ', html('span', {class: 'key sure'}, 'sure gold link'),
      html('span', {class: 'key possible'}, 'possible gold link'),
      html(
          'span', {class: 'key'}, html('span', {class: 'link-dot', 'aria-hidden': 'true'}),
          'link read off the model’s chosen layer and head'));
}

function endSymbol() {
  return html('span', {class: 'end', dir: 'ltr', title: 'end of the sentence'}, '⟨/s⟩');
}

// `weights` rows of `target` words over `source` words and </s>; links as parseLinks() gives them.
// `pick(t)` is called when a row is pointed at.
function heatmapTable({caption, weights, source, target, gold, links, pick}) {
  const dense = source.length > 18 || target.length > 30;
  const size = dense ? 'dense' : source.length > 12 ? 'middle' : '';
  const columns = [...source.map((word) => text(word)), endSymbol()];
  const coverage = columns.map((_, s) => weights.reduce((sum, row) => sum + row[s], 0));
  const cell = (t, s, w) => {
    const [isGold, isLink] = [gold.get(`${s}-${t}`), links.has(`${s}-${t}`)];
    const title = `${target[t] ?? ''} → ${source[s] ?? '⟨/s⟩'}: ${number(w)}${
        isGold ? `, ${isGold} gold link` : ''}${isLink ? ', link' : ''}`;
    return html(
        'td', {class: `cell ${shade(w)} ${isGold ?? ''}`, title: printable(title)},
        html('span', {class: w < 0.005 ? 'unseen' : 'value', dir: 'ltr'}, number(w).replace(/^0/, '')),
        isLink ? html('span', {class: 'link-dot'}, html('span', {class: 'unseen'}, ' link')) : null,
        isGold ? html('span', {class: 'unseen'}, ` ${isGold} gold link`) : null);
  };
  return html(
      'table', {class: `heatmap ${size}`, dir: isRightToLeft(source.join(' ')) ? 'rtl' : 'ltr'},
      html('caption', {class: 'unseen'}, caption),
      html(
          'thead', {},
          html(
              'tr', {}, html('td', {}),
              columns.map((word) => html('th', {scope: 'col'}, html('span', {class: 'upright'}, word))),
              html(
                  'th',
                  {scope: 'col', class: 'measure', title: 'entropy of the row in nats: 0 looks at one word'},
                  html('span', {class: 'upright'}, 'entropy')))),
      html(
          'tbody', {},
          weights.map(
              (row, t) => html(
                  'tr', {'data-row': t, onpointerenter: () => pick(t)},
                  html('th', {scope: 'row'}, text(target[t] ?? '?')), row.map((w, s) => cell(t, s, w)),
                  html('td', {class: 'measure'}, number(entropyOf(row)))))),
      html(
          'tfoot', {},
          html(
              'tr', {},
              html(
                  'th', {
                    scope: 'row',
                    title: 'what each source word received from all target words: 1 is one word’s worth'
                  },
                  'coverage'),
              coverage.map((sum) => html('td', {class: 'measure'}, number(sum, dense ? 1 : 2))),
              html('td', {}))));
}
