'use strict';

// The data blocks of the page (nmt/report/report_page.h): parsed when they are first asked for.

const blocks = new Map();

function readBlock(id) {
  if (!blocks.has(id)) blocks.set(id, JSON.parse(document.getElementById(id).textContent));
  return blocks.get(id);
}

const report = readBlock('summary');
const index = readBlock('index');
const models = report.models;

// The texts, scores and links of sentence i, counted from 0.
function sentenceAt(i) {
  const size = report.page.texts_per_block;
  return readBlock(`texts-${Math.floor(i / size)}`)[i % size];
}

// Weights between the words of sentence i: a list of rows, one a target word; the last column is </s>.
// `target` is "reference" or "translation". Null where the page does not hold them.
function weightsOf(i, model, target, choice) {
  const size = report.page.weights_per_block;
  const held = readBlock(`weights-${Math.floor(i / size)}`)[i % size].find(
      (a) => a.model === model && a.target === target && a.choice === choice);
  if (!held) return null;
  const bytes = atob(held.weights);
  return Array.from(
      {length: held.rows},
      (_, t) => Array.from({length: held.columns}, (_, s) => bytes.charCodeAt(t * held.columns + s) / 255));
}

// Where the divergence of models a and b stands in a sentence's list, which has the order of `agreements`; -1: it
// was not measured.
function pairIndex(a, b) {
  return report.comparison.agreements.findIndex(
      (pair) => (pair.model === a && pair.other === b) || (pair.model === b && pair.other === a));
}
