/** Counts how often a computation permits a pause. */
export function countingPauses() {
  let permitted = 0;
  return {
    breathe: () => {
      permitted += 1;
      return undefined;
    },
    /** The number since the last call. */
    taken: () => {
      const taken = permitted;
      permitted = 0;
      return taken;
    },
  };
}
