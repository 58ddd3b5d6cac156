// 4. What did it cost?

function costTable() {
  const lines = [
    ['Parameters', (m) => number(m.parameters, 0)],
    ['Multiply-adds a sentence', (m) => large(m.cost.multiply_adds)],
    ['Training time', (m) => duration(m.training_seconds)],
    ['Updates', (m) => number(m.training_updates, 0)],
    ['Training tokens/s', (m) => number(m.cost.training_tokens_per_second, 0)],
    ['Peak memory of the training process', (m) => large(m.cost.training_peak_bytes, 'B')],
    ['Translation time', (m) => duration(m.decode_seconds)],
    ['Translated tokens/s', (m) => number(m.decode_tokens_per_second, 0)],
    ['Memory to load and translate', (m) => large(m.cost.decode_peak_bytes, 'B')],
  ].filter(([, value]) => models.some((model) => value(model) !== kAbsent));
  return table(
      'Cost of each model', ['', ...models.map((_, m) => modelName(m))],
      lines.map(([name, value]) => [name, ...models.map(value)]), {id: 'costs'});
}

// Curves of one measure over updates or minutes, with a switch.
function curveView(measure) {
  const curves =
      models
          .map(
              (model, m) =>
                  ({model: m, points: model.cost.curves.find((c) => c.measure === measure)?.points ?? []}))
          .filter((curve) => curve.points.length > 0);
  const place = html('div', {});
  const draw = (over) => {
    const x = over === 'updates' ? (p) => p.update : (p) => p.seconds / 60;
    place.replaceChildren(lineChart(
        printable(measure), over === 'updates' ? 'updates' : 'minutes of training',
        curves.map((c) => ({
                     model: c.model,
                     points: c.points.filter((p) => p.value !== null).map((p) => [x(p), p.value])
                   }))));
  };
  draw('updates');
  return html(
      'figure', {class: 'curves'},
      select('Over', [['updates', 'updates'], ['minutes', 'minutes']], 'updates', draw), place,
      legend(curves.map((c) => c.model)),
      html(
          'details', {}, html('summary', {}, 'Numbers'),
          curves.map(
              (c) => table(
                  html('span', {}, modelName(c.model), ': ', text(measure)), ['Updates', 'Time', 'Value'],
                  c.points.map((p) => [number(p.update, 0), duration(p.seconds), number(p.value, 3)])))));
}

function showCost() {
  const measures = [...new Set(models.flatMap((model) => model.cost.curves.map((curve) => curve.measure)))];
  section('cost').append(costTable(), html('div', {class: 'row'}, measures.map(curveView)));
}
