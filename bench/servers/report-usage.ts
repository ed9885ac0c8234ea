export interface Usage {
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

/** Preloaded into the measured processes. Reports their usage on request, and ends them with the benchmark. */
process.on('message', (message) => {
  if (message !== 'usage') return;
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() };
  process.send?.({ usage });
});
process.on('disconnect', () => process.exit(0));
