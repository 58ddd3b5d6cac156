// Words, links and measures of weights.

// As WordSpans() cuts them: at Unicode's white space.
function wordsOf(text) {
  return text.split(/\p{White_Space}+/u).filter((word) => word !== '');
}

// Characters that would act rather than show become U+FFFD, as PrintableText() does it.
function printable(text) {
  return text.replace(/[\t-\r]/g, ' ')
      .replace(
          /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]/g,
          '\ufffd');
}

function isRightToLeft(text) {
  const strong = /[\p{L}]/u.exec(text);
  return strong !== null && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(strong[0]);
}

// "0-0 1p2" as a map from "source-target" to "sure" or "possible".
function parseLinks(text) {
  const links = new Map();
  for (const link of wordsOf(text ?? '')) {
    const [, source, kind, target] = /^(\d+)([-p])(\d+)$/.exec(link);
    links.set(`${source}-${target}`, kind === 'p' ? 'possible' : 'sure');
  }
  return links;
}

// The pairs [reference word, translation word] of a cheapest edit (Levenshtein), null where a side has
// no word.
function alignWords(reference, translation) {
  const cost = Array.from({length: reference.length + 1}, () => new Array(translation.length + 1).fill(0));
  for (let r = 0; r <= reference.length; ++r) {
    for (let t = 0; t <= translation.length; ++t) {
      if (r === 0 || t === 0) {
        cost[r][t] = r + t;
        continue;
      }
      const changed = reference[r - 1] === translation[t - 1] ? 0 : 1;
      cost[r][t] = Math.min(cost[r - 1][t - 1] + changed, cost[r - 1][t] + 1, cost[r][t - 1] + 1);
    }
  }
  const pairs = [];
  for (let r = reference.length, t = translation.length; r > 0 || t > 0;) {
    const changed = r > 0 && t > 0 && reference[r - 1] === translation[t - 1] ? 0 : 1;
    if (r > 0 && t > 0 && cost[r][t] === cost[r - 1][t - 1] + changed) {
      pairs.push([--r, --t]);
    } else if (r > 0 && cost[r][t] === cost[r - 1][t] + 1) {
      pairs.push([--r, null]);
    } else {
      pairs.push([null, --t]);
    }
  }
  return pairs.reverse();
}

// Reference and translations word over word: a list of columns, each {reference: index or null,
// translations: [index or null, one a model]}. Words that the reference has not stand before the
// reference word that they come before, those of several translations over each other.
function wordColumns(reference, translations) {
  const before = Array.from({length: reference.length + 1}, () => translations.map(() => []));
  const matched = translations.map(() => new Array(reference.length).fill(null));
  translations.forEach((translation, m) => {
    let next = 0;
    for (const [r, t] of alignWords(reference, translation)) {
      if (r === null)
        before[next][m].push(t);
      else {
        matched[m][r] = t;
        next = r + 1;
      }
    }
  });
  const columns = [];
  for (let r = 0; r <= reference.length; ++r) {
    const extra = Math.max(0, ...before[r].map((list) => list.length));
    for (let k = 0; k < extra; ++k) {
      columns.push({reference: null, translations: before[r].map((list) => list[k] ?? null)});
    }
    if (r < reference.length) columns.push({reference: r, translations: matched.map((list) => list[r])});
  }
  return columns;
}

// In nats; bytes need not sum to 255, so rows are scaled first.
function scaled(row) {
  const sum = row.reduce((a, b) => a + b, 0);
  return sum > 0 ? row.map((w) => w / sum) : row;
}

function entropyOf(row) {
  return scaled(row).reduce((h, w) => (w > 0 ? h - w * Math.log(w) : h), 0);
}

function divergenceOf(p, q) {
  const [a, b] = [scaled(p), scaled(q)];
  return a.reduce((sum, w, s) => {
    const mean = (w + b[s]) / 2;
    return sum + (w > 0 ? w * Math.log(w / mean) : 0) / 2 + (b[s] > 0 ? b[s] * Math.log(b[s] / mean) : 0) / 2;
  }, 0);
}
