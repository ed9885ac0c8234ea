/** A story that a person starts in their client. The arguments are optional texts. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its optional argument. */
  readonly argument: { readonly name: string; readonly description: string };
  readonly text: (argument: string | undefined) => string;
}

export const prompts: readonly Prompt[] = [
  {
    name: 'test-an-integration',
    title: 'Test an integration against the retailer',
    description: 'Drives a checkout in a fresh world, and proves that all records agree.',
    argument: { name: 'journey', description: 'What to test, such as "a gift card and a card pay together".' },
    text: (journey = 'a checkout with delivery to an address') =>
      [
        `Test this journey against the simulated retailer: ${journey}.`,
        '1. Read estate://apis and estate://test-values. Open a world with open_world.',
        '2. Make the calls in order with call. Read estate://apis/{id} before the first call of an API.',
        '3. After each change: wait, then compare state and events with what you expected.',
        '4. Advance the clock until the journey has ended. Then verify.',
        '5. Report what differs from what you expected, each with the call that shows it. Do not call something right that verify does not confirm.',
      ].join('\n'),
  },
  {
    name: 'why-not-delivered',
    title: 'Find out why an order is not delivered',
    description: 'Finds the cause in the journal, the faults and the pending work, removes it, and proves the fix.',
    argument: { name: 'order', description: 'Id of the order and handle of its world, if they exist.' },
    text: (order = 'a new order, in a world with the fault preset carrier-webhooks-lost') =>
      [
        `Find out why an order was not delivered, and prove the fix. The order: ${order}.`,
        '1. explain the order: its reasons name what it waits for and what troubles it. explain what it waits for, too.',
        '2. wait: waitingFor, parked and withheld name what keeps it. call list-faults and read-journal show who refused whom.',
        '3. Name the cause in one sentence, with the record that proves it.',
        '4. Remove the cause: mend, redrive-parked, or the missing step of the outside world. Then wait, and advance if a timer is due.',
        '5. Prove it: wait for the state of the order, then verify.',
      ].join('\n'),
  },
  {
    name: 'repeat-safely',
    title: 'Prove that a repeated call acts once',
    description: 'Loses the answer of a call, repeats it with the same key, and proves that it acted once.',
    argument: { name: 'api', description: 'Id of an API that changes something. Default: capture-payment-api.' },
    text: (api = 'capture-payment-api') =>
      [
        `Prove that a client may repeat ${api} after it lost the answer.`,
        `1. Open a world and prepare what ${api} needs. estate://apis/${api} has its schema.`,
        `2. break: {"name": "lost", "rule": {"match": {"api": "${api}"}, "fault": {"kind": "lost-response"}, "times": 1}}.`,
        '3. Call it with an idempotency-key. The answer is 504, although the call was carried out.',
        '4. Repeat the same call with the same key: the answer is the first one, and nothing happens twice.',
        '5. Call it with the same key and another body: it is refused. Then verify, and count the events with list-events.',
      ].join('\n'),
  },
];
