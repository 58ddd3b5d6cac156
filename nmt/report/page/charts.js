// Charts as SVG. A table beside each holds the same numbers, so a chart is an image with a name.

// About `count` round numbers from `low` to `high`.
function ticks(low, high, count = 5) {
  const span = high - low || 1;
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((f) => f * power >= raw);
  const list = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) list.push(i * step);
  return list;
}

function tickText(value) {
  return Number(value.toPrecision(6)).toLocaleString('en');
}

function chart(name, width, height, ...children) {
  return svg(
      'svg',
      {class: 'chart', viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': name},
      children);
}

function line(x1, y1, x2, y2, kind) {
  return svg('line', {x1, y1, x2, y2, class: kind});
}
function label(x, y, content, anchor = 'start', kind = 'label') {
  return svg('text', {x, y, 'text-anchor': anchor, class: kind}, content);
}

// A dot with its interval for each model: entries {model, value, low, high}.
function intervalChart(name, entries) {
  const [width, left, right, top, rowHeight] = [330, 12, 318, 26, 22];
  const values =
      entries.flatMap((e) => [e.value, e.low, e.high]).filter((v) => v !== null && v !== undefined);
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const margin = (high - low || 2) * 0.08;
  [low, high] = [low - margin, high + margin];
  const x = (v) => left + ((v - low) / (high - low)) * (right - left);
  const bottom = top + entries.length * rowHeight;
  return chart(
      `${name} with 95 % intervals: ${
          entries.map((e) => `${models[e.model].name} ${number(e.value)}`).join(', ')}`,
      width, bottom + 22, label(left, 15, name, 'start', 'chart-title'),
      ticks(low, high, 4)
          .map(
              (v) =>
                  [line(x(v), top, x(v), bottom, 'grid'), label(x(v), bottom + 15, tickText(v), 'middle')]),
      entries.map((e, i) => {
        const y = top + (i + 0.5) * rowHeight;
        return [
          e.low === null ?
              null :
              svg('line',
                  {x1: x(e.low), x2: x(e.high), y1: y, y2: y, class: 'whisker', stroke: colorOf(e.model)}),
          mark(e.model, x(e.value), y)
        ];
      }));
}

// The resampled differences, with 0 and the difference that was seen.
function histogramChart(test) {
  const [width, height, left, right, top, base] = [220, 62, 6, 214, 14, 46];
  const {low, high, counts} = test.differences;
  const [from, to] = [Math.min(low, 0, test.difference), Math.max(high, 0, test.difference)];
  const x = (v) => left + ((v - from) / (to - from || 1)) * (right - left);
  const most = Math.max(...counts);
  const bin = (high - low) / counts.length;
  const seen = x(test.difference);
  return chart(
      `Differences of ${test.samples} samples from ${number(low)} to ${number(high)}; seen: ${
          signed(test.difference)}`,
      width, height, counts.map((count, i) => svg('rect', {
                                  x: x(low + i * bin),
                                  width: Math.max(0.6, x(low + (i + 1) * bin) - x(low + i * bin) - 0.5),
                                  y: base - (count / most) * (base - top),
                                  height: (count / most) * (base - top),
                                  class: 'bar'
                                })),
      line(left, base, right, base, 'axis'), line(x(0), top, x(0), base + 4, 'grid-strong'),
      label(x(0), 59, '0', 'middle'), line(seen, top - 3, seen, base + 4, 'seen'),
      label(Math.min(Math.max(seen, 42), width - 42), 10, `seen ${signed(test.difference)}`, 'middle'));
}

// Lines with marks. series: [{model, points: [[x, y]]}]; categories: names of x = 0, 1, ...
function lineChart(name, xName, series, categories = null, width = 520) {
  const height = 230;
  const [left, right, top, bottom] = [46, width - 24, 30, height - 40];
  const xs = series.flatMap((s) => s.points.map((p) => p[0]));
  const ys = series.flatMap((s) => s.points.map((p) => p[1]));
  let [xLow, xHigh] = categories ? [-0.5, categories.length - 0.5] : [Math.min(0, ...xs), Math.max(...xs)];
  let [yLow, yHigh] = [Math.min(...ys), Math.max(...ys)];
  const margin = (yHigh - yLow || 2) * 0.08;
  [yLow, yHigh] = [yLow >= 0 ? Math.max(0, yLow - margin) : yLow - margin, yHigh + margin];
  const x = (v) => left + ((v - xLow) / (xHigh - xLow || 1)) * (right - left);
  const y = (v) => bottom - ((v - yLow) / (yHigh - yLow || 1)) * (bottom - top);
  const letters = categories ? Math.floor((right - left) / categories.length / 6.5) : 0;
  const everyMark = categories !== null || Math.max(...series.map((s) => s.points.length)) <= 30;
  return chart(
      `${name} over ${xName}; the numbers stand in the table`, width, height,
      label(left, 16, name, 'start', 'chart-title'), label((left + right) / 2, height - 4, xName, 'middle'),
      ticks(yLow, yHigh)
          .map((v) => [line(left, y(v), right, y(v), 'grid'), label(left - 6, y(v) + 4, tickText(v), 'end')]),
      line(left, bottom, right, bottom, 'axis'),
      categories ?
          categories.map(
              (c, i) => label(
                  x(i), bottom + 16, c.length > letters ? `${c.slice(0, letters - 1)}…` : c, 'middle')) :
                                                          ticks(xLow, xHigh, 6).map((v) => label(x(v), bottom + 16, tickText(v), 'middle')),
      series.map(
          (s) =>
              [svg('path', {
                 class: 'curve',
                 stroke: colorOf(s.model),
                 d: s.points.map((p, i) => `${i ? 'L' : 'M'}${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`)
                        .join('')
               }),
               s.points.filter((_, i) => everyMark || i === s.points.length - 1)
                   .map((p) => mark(s.model, x(p[0]), y(p[1])))]));
}

function legend(list = models.map((_, m) => m)) {
  return html('p', {class: 'legend'}, list.map((m) => modelName(m)));
}
