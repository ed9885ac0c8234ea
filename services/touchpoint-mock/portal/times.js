/** The time of day in the form 09:05:07. */
export function clockTime(at) {
  return new Date(at).toTimeString().slice(0, 8);
}
