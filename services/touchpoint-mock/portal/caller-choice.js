import { byId, element } from './elements.js';

/** The choice of an authorization fixture, for the forms and the runs. */
export function setUpCallerChoice(fixtures) {
  const select = byId('authorization');
  select.append(...fixtures.map(({ name, title }) => element('option', { text: `${name} – ${title}`, attributes: { value: name } })));
  /** Forms whose bodies have no lane. */
  const withoutLane = new Set();
  const current = () => fixtures.find(({ name }) => name === select.value) ?? fixtures[0];
  const show = () => {
    const { authorization, touchpointId, authorized } = current();
    const header = authorization === null ? 'No Authorization header' : `Authorization: ${authorization}`;
    byId('authorization-effect').textContent =
      `${header} · lane ${touchpointId} · ${authorized ? admission([...withoutLane]) : 'will be denied with 403'}`;
  };
  show();
  return {
    current,
    noteLane: (form, hasLane) => {
      if (hasLane) withoutLane.delete(form);
      else withoutLane.add(form);
      show();
    },
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

/** The outcome of requests with a good key. */
function admission(withoutLane) {
  if (withoutLane.length === 0) return 'will be let in';
  const why = withoutLane.length === 1 ? 'its body has no lane' : 'their bodies have no lane';
  return `${withoutLane.join(' and ')} will be denied with 403: ${why}`;
}
