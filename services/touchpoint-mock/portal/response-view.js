import { element } from './elements.js';
import { layOut, markRejected } from './json-text.js';

const money = (amount) => Number(amount).toFixed(2);

/** The sentence at the top of a response: the status and what it means. */
export function verdict({ answer, words }) {
  const status = answer ? [element('span', { className: `badge ${words.tone}`, text: `${answer.status} ${answer.reason}`.trim() })] : [];
  return element('p', { className: `verdict ${words.tone}`, children: [...status, element('span', { text: words.text })] });
}

/** The parts of a response below its sentence: lines, totals, headers, body. */
export function responseParts({ answer, name }) {
  return [...basketParts(answer.body), headersPart(answer.headers), bodyPart({ text: answer.text, name })];
}

function basketParts(body) {
  if (!Array.isArray(body?.lines) && body?.total === undefined) return [];
  const lines = (body.lines ?? []).map(linePart);
  const totals = element('p', {
    className: 'totals',
    children: [
      element('span', { children: ['Total ', element('strong', { text: money(body.total) })] }),
      element('span', { children: ['Saving ', element('strong', { text: money(body.totalSaving ?? 0) })] }),
    ],
  });
  return lines.length > 0
    ? [element('ul', { className: 'lines', attributes: { 'aria-label': 'Lines' }, children: lines }), totals]
    : [totals];
}

function linePart(line) {
  const rejected = line.status === 'REJECTED';
  const unit = line.unitOfMeasure === 'KG' ? `${money(line.unitPrice)} per kg` : `${line.qty} × ${money(line.unitPrice)}`;
  const weight = line.weight === null ? '' : `, ${Number(line.weight).toFixed(3)} kg`;
  const facts = [
    element('span', { className: 'ref', text: line.ref }),
    element('span', { className: 'name', text: line.description || 'Unknown item' }),
    element('span', { className: 'code', text: line.barcode }),
    element('span', { className: 'unit', text: `${unit}${weight}` }),
    element('strong', { className: 'amount', text: money(line.amount) }),
  ];
  if (rejected) {
    facts.push(
      element('span', {
        className: 'rejection',
        children: [element('b', { text: `✕ Rejected: ${line.rejection.code}` }), ` – ${line.rejection.message}`],
      }),
    );
  }
  return element('li', { className: rejected ? 'line rejected' : 'line', children: facts });
}

function headersPart(headers) {
  const rows = headers.flatMap(([name, value]) => [element('dt', { text: name }), element('dd', { text: value })]);
  return element('details', {
    attributes: { open: '' },
    children: [element('summary', { text: `Headers (${headers.length})` }), element('dl', { className: 'headers', children: rows })],
  });
}

function bodyPart({ text, name }) {
  const blocks = markRejected(layOut(text)).map(({ text: block, rejected }) =>
    element(rejected ? 'mark' : 'span', { text: `${block}\n`, ...(rejected ? { attributes: { title: 'Rejected line' } } : {}) }),
  );
  return element('details', {
    attributes: { open: '' },
    children: [
      element('summary', { text: 'Body' }),
      element('pre', { attributes: { tabindex: '0', role: 'region', 'aria-label': `Response body of ${name}` }, children: blocks }),
    ],
  });
}
