import { byId, element } from './elements.js';

/** The choice of an authorization fixture, for the forms and the runs. */
export function setUpCallerChoice(fixtures) {
  const select = byId('authorization');
  select.append(...fixtures.map(({ name, title }) => element('option', { text: `${name} – ${title}`, attributes: { value: name } })));
  const current = () => fixtures.find(({ name }) => name === select.value) ?? fixtures[0];
  const show = () => {
    const { authorization, touchpointId, authorized } = current();
    const header = authorization === null ? 'No Authorization header' : `Authorization: ${authorization}`;
    byId('authorization-effect').textContent =
      `${header} · lane ${touchpointId} · ${authorized ? 'will be let in' : 'will be denied with 403'}`;
  };
  show();
  return {
    current,
    choose: (name) => {
      select.value = name;
      select.dispatchEvent(new Event('change'));
    },
    onChange: (listener) =>
      select.addEventListener('change', () => {
        show();
        listener();
      }),
  };
}
