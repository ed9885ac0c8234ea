/**
 * Compares a list that people keep by hand with the list that the catalog gives.
 * @param place the file and the list, as the failure names them
 * @throws Error with what to add, and what to take out
 */
export function expectKept(place: string, kept: readonly string[], needed: readonly string[]): void {
  const [listed, wanted] = [new Set(kept), new Set(needed)];
  const missing = [...wanted.difference(listed)];
  const superfluous = [...listed.difference(wanted)];
  const advice = [
    ...(missing.length > 0 ? [`add ${missing.join(', ')}`] : []),
    ...(superfluous.length > 0 ? [`take out ${superfluous.join(', ')}`] : []),
  ];
  if (advice.length > 0) throw new Error(`${place}: ${advice.join('; ')}.`);
}
