// 3. Do the alignments agree, with gold and with each other?

// Low error is good: the scale runs from 0 to 1 as everywhere, and the number stands in the cell.
function gridTable(grid, caption) {
  // Of one head the mean is that head.
  const heads =
      grid.heads === 1 ? ['1'] : ['mean', ...Array.from({length: grid.heads}, (_, h) => String(h + 1))];
  const best = Math.min(...grid.aer.filter((v) => v !== null));
  const rows = Array.from(
      {length: grid.layers},
      (_, l) => html('tr', {}, html('th', {scope: 'row'}, `layer ${l + 1}`), heads.map((_, h) => {
        const aer = grid.aer[l * (1 + grid.heads) + h];
        return aer === null ?
            html('td', {}, kAbsent) :
            html(
                'td', {class: `cell ${shade(aer)} ${aer === best ? 'best' : ''}`}, number(100 * aer, 1),
                aer === best ? html('span', {class: 'unseen'}, ' (least)') : null);
      })));
  return scrollable(html(
      'table', {class: 'grid'}, html('caption', {}, caption),
      html(
          'thead', {},
          html(
              'tr', {}, html('th', {scope: 'col'}, 'AER %'),
              heads.map((h) => html('th', {scope: 'col'}, h === 'mean' ? 'mean of heads' : `head ${h}`)))),
      html('tbody', {}, rows)));
}

function alignmentTable() {
  const rows = models.map((model, m) => {
    const a = model.alignment;
    return [
      modelName(m), percent(model.aer), percent(model.aer_precision), percent(model.aer_recall),
      percent(a.gold_mass), number(a.entropy), number(a.coverage_deviation), percent(a.end_mass),
      percent(a.punctuation_mass), model.alignment_choice ?? kAbsent
    ];
  });
  const [headers, cells] = withoutEmptyColumns(
      [
        'Model', 'AER ↓', 'Precision', 'Recall', 'Mass on gold', 'Entropy (nats)', 'Coverage deviation',
        'Mass on </s>', 'Mass on punctuation', 'Links are read from'
      ],
      rows, (cell) => cell);
  if (headers.length === 1) return html('p', {class: 'note'}, 'No alignments were measured.');
  return table(
      'Alignments of the reference, forced. Entropy, coverage and masses are means over words.', headers,
      cells, {id: 'alignment-measures'});
}

function agreementTable() {
  const list = report.comparison.agreements;
  if (list.length === 0) return null;
  return table(
      'The models with each other. Agreement of links: Dice, 1 is equal. Divergence: Jensen-Shannon, 0 is ' +
          'equal, 0.69 has nothing in common. Rank correlation: Spearman’s, 1 is one order.',
      ['Models', 'Agreement of links', 'Divergence (nats)', 'Rank correlation'],
      list.map(
          (pair) =>
              [html('span', {}, modelName(pair.model), ' and ', modelName(pair.other)),
               number(pair.link_agreement, 3), number(pair.divergence, 3), number(pair.rank_correlation, 3)]),
      {id: 'agreements'});
}

function showAlignments() {
  const grids = models.flatMap(
      (model, m) => model.alignment.aer_grids.map(
          (grid) => html(
              'figure', {}, gridTable(grid, html('span', {}, modelName(m), ': ', text(grid.conventions))))));
  section('alignments')
      .append(
          alignmentTable(), agreementTable() ?? '',
          grids.length === 0 ?
              '' :
              html(
                  'div', {}, html('h3', {}, 'Alignment error rate of every layer and head'),
                  html(
                      'p', {class: 'note'},
                      'The darker (on a dark page: the lighter), the more links are wrong. The least is framed.'),
                  html('div', {class: 'row'}, grids)));
}
