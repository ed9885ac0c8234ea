import { describe, expect, test } from '@jest/globals';
import { usageIn } from '../../bench/compose-estate.ts';
import { callsIn, countsOf, difference, together } from '../../bench/estate-messages.ts';
import { commandCounter } from '../../bench/redis.ts';
import { scripts } from '../../shared/store/redis/scripts.ts';

const { commit, unsent } = scripts;

describe('The commands that Redis reports', () => {
  const from = (address: string, command: string): string => `+1700000000.123456 [0 ${address}] ${command}`;
  const client = (command: string): string => from('172.18.0.4:50000', command);
  const within = (command: string): string => from('lua', command);
  const counted = (lines: readonly string[]) => {
    const { count, counts } = commandCounter('the-end');
    for (const line of ['+OK', ...lines]) count(line);
    return counts;
  };

  test('A command within a script counts for the script, and not as a message', () => {
    const {
      scripts: sent,
      plain,
      within: inside,
    } = counted([
      client(`"evalsha" "${commit.sha}" "1" "a-key"`),
      within('"hget" "a-key" "evalsha"'),
      within('"hset" "a-key" "a" "b"'),
      client('"hmget" "a-key" "a"'),
    ]);
    expect([...sent]).toEqual([['commit', 1]]);
    expect([...inside]).toEqual([['commit', 2]]);
    expect([...plain]).toEqual([['hmget', 1]]);
  });

  test('A periodic script is not counted, and neither are its commands or the last command', () => {
    const {
      scripts: sent,
      plain,
      within: inside,
    } = counted([
      client(`"evalsha" "${commit.sha}" "1" "a-key"`),
      client(`"evalsha" "${unsent.sha}" "1" "a-key"`),
      within('"zrange" "a-key" "0" "1"'),
      client('"ECHO" "the-end"'),
    ]);
    expect([...sent]).toEqual([['commit', 1]]);
    expect([inside.size, plain.size]).toEqual([0, 0]);
  });
});

describe('The usage of a container', () => {
  const cpu_stats = { cpu_usage: { total_usage: 2_500_000 } };

  test.each(['total_inactive_file', 'inactive_file'])('The memory of a container excludes its %s', (member) => {
    expect(usageIn({ cpu_stats, memory_stats: { usage: 300, stats: { [member]: 100 } } })).toEqual({ cpuMs: 2.5, bytes: 200 });
  });
});

describe('The messages between applications', () => {
  test('The calls of an application are summed by API, over outcomes, without buckets', () => {
    const series = (name: string, api: string, outcome: string, count: number): string =>
      `http_client_request_duration_seconds_${name}{application="oms",api="${api}",url_template="/baskets/{id}",http_response_status_code="${outcome}"} ${count}`;
    const metrics = [
      '# TYPE http_client_request_duration_seconds histogram',
      'http_client_request_duration_seconds_bucket{le="0.001",application="oms",api="get-basket",http_response_status_code="200"} 5',
      series('count', 'get-basket', '200', 7),
      series('sum', 'get-basket', '200', 9),
      series('count', 'get-basket', '404', 1),
      series('count', 'get-payable', '200', 2),
    ].join('\n');
    expect([...callsIn(metrics)]).toEqual([
      ['get-basket', 8],
      ['get-payable', 2],
    ]);
  });

  test('Messages of an action are those that came after its begin, in all processes', () => {
    const kafka = (Fetch: number, recordsRead: number) => countsOf({ requests: { Fetch, Heartbeat: 1 }, filledFetches: 1, recordsRead });
    const before = together([kafka(1, 0), kafka(2, 3)]);
    const after = together([kafka(4, 5), kafka(2, 3)]);
    expect([...difference(before, after)]).toEqual([
      ['Fetch', 3],
      ['records read', 5],
    ]);
  });
});
