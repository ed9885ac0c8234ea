import { byId, element } from './elements.js';

export function createCaseButton({ fixture, form }) {
  const button = element('button', {
    className: 'case',
    attributes: { type: 'button', 'data-case': fixture.case },
    children: [
      element('span', { className: 'case-name', text: fixture.case }),
      element('span', { className: 'case-title', text: fixture.title }),
      element('span', { className: fixture.status === 200 ? 'case-status' : 'case-status refused', text: String(fixture.status) }),
    ],
  });
  button.addEventListener('click', () => {
    form.load(fixture);
    form.focus();
  });
  return element('li', { children: [button] });
}

/** Marks the case that a form was last loaded with. */
export function markCurrent({ alias, case: name }) {
  for (const button of byId(`cases-${alias}`).querySelectorAll('[data-case]')) {
    if (button.dataset.case === name) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}
