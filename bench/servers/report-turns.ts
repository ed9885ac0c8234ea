/**
 * Measures the turns of the event loop. The message `turns` is answered with the wall time of the longest turn since the message before. The
 * kernel counts CPU time in ticks, which are longer than most turns.
 */
let longestMs = 0;
let began = performance.now();
let measures = false;

function nextTurn(): void {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - began);
  began = performance.now();
  setImmediate(nextTurn);
}

process.on('message', (message) => {
  if (message !== 'turns') return;
  if (!measures) {
    measures = true;
    began = performance.now();
    nextTurn();
  }
  process.send?.({ longestTurnMs: longestMs });
  longestMs = 0;
});
