import { element } from './elements.js';
import { layOut, markRejected, parsed } from './json-text.js';
import { explained } from './plain-words.js';

const money = (amount) => Number(amount).toFixed(2);

/** The sentence at the top of a response: the status and what it means. */
export function verdict(sent) {
  const { answer, durationMs } = sent;
  const { tone, text } = explained(sent);
  const status = answer ? [element('span', { className: 'code', text: `${answer.status} ${answer.reason}`.trim() })] : [];
  return element('p', {
    className: `verdict ${tone}`,
    children: [
      ...status,
      element('span', { className: 'words', text }),
      element('span', { className: 'duration', text: `${durationMs} ms` }),
    ],
  });
}

/** The status of an exchange alone, for lists. */
export function outcomeBadge(sent) {
  const { tone } = explained(sent);
  return element('span', { className: `badge ${tone}`, text: sent.answer ? String(sent.answer.status) : sent.failure });
}

/** The total of an answer, or undefined if it has none. */
export function totalOf({ text }) {
  const total = parsed(text)?.total;
  return total === undefined ? undefined : money(total);
}

/** The parts of a response below its sentence: lines, totals, headers, body. */
export function responseParts({ answer, name }) {
  return [...basketParts(parsed(answer.text)), headersPart(answer.headers), bodyPart({ text: answer.text, name })];
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
