import { element, scrollable } from './elements.js';
import { layOut } from './json-text.js';

/** A case that was run: one line, which opens to what was documented and what was answered. */
export function caseResult({ fixture, sent, documented, found, open }) {
  const passed = found.length === 0;
  const details = element('details', {
    children: [
      element('summary', {
        className: 'result-head',
        children: [
          element('span', {
            className: passed ? 'mark good' : 'mark bad',
            text: passed ? '✓' : '✕',
            attributes: { role: 'img', 'aria-label': passed ? 'as documented' : 'not as documented' },
          }),
          element('span', { className: 'case-name', text: fixture.case }),
          element('span', { className: 'case-title', text: fixture.title }),
          element('span', { className: passed ? 'badge' : 'badge bad', text: sent.answer ? String(sent.answer.status) : '–' }),
        ],
      }),
    ],
  });
  details.addEventListener(
    'toggle',
    () => {
      details.append(...comparison({ fixture, sent, documented, found, open }));
    },
    { once: true },
  );
  return element('li', { className: passed ? 'result' : 'result failed', attributes: { 'data-case': fixture.case }, children: [details] });
}

function comparison({ fixture, sent, documented, found, open }) {
  const button = element('button', { text: 'Open in the form', attributes: { type: 'button' } });
  button.addEventListener('click', () => open(sent));
  const sentences = found.length === 0 ? ['Status, headers and body are as documented.'] : found;
  return [
    element('ul', { className: 'differences', children: sentences.map((text) => element('li', { text })) }),
    element('div', {
      className: 'comparison',
      children: [
        bodyPart({ title: `Documented, ${documented.status}`, text: documented.text, name: `Documented body of ${fixture.case}` }),
        ...(sent.answer
          ? [bodyPart({ title: `Answered, ${sent.answer.status}`, text: sent.answer.text, name: `Answered body of ${fixture.case}` })]
          : []),
      ],
    }),
    button,
  ];
}

function bodyPart({ title, text, name }) {
  return element('div', {
    children: [element('h3', { text: title }), scrollable(element('pre', { text: layOut(text).join('\n') }), name)],
  });
}
