/** The body of a case, with the lane of the caller. */
export function bodyOf({ fixture, caller }) {
  return JSON.stringify({ ...fixture.request, touchpointId: caller.touchpointId }, null, 2);
}

/** The request of a case, sent to its alias. */
export function requestOf({ fixture, caller }) {
  return { alias: fixture.alias, address: 'alias', selector: fixture.case, caller: caller.name, body: bodyOf({ fixture, caller }) };
}

/** Path, headers and body of a request. The path of a scenario endpoint implies the selector. */
export function onTheWire({ portal, request: { alias, address, selector, caller, body } }) {
  const { authorization } = portal.authorization.find(({ name }) => name === caller);
  const scenario = address === 'scenario';
  return {
    path: scenario ? `/caso${encodeURIComponent(selector)}` : portal.aliases.find(({ name }) => name === alias).path,
    headers: {
      'Content-Type': 'application/json',
      ...(authorization === null ? {} : { Authorization: authorization }),
      ...(scenario || selector === '' ? {} : { 'X-Mock-Case': selector }),
    },
    body,
  };
}
