/** A dashboard of Grafana for the metrics of docs/how-to/observe.md. Its data source is a variable, so that it fits every Grafana. */
const PANELS: readonly (readonly [title: string, query: string, legend: string, unit?: string])[] = [
  [
    'Orders per minute',
    'sum by (api) (rate(http_server_request_duration_seconds_count{application="oms",api=~"create-order.*|confirm-order.*|cancel-order.*",http_response_status_code=~"2.."}[5m])) * 60',
    '{{api}}',
  ],
  ['Refusals of the gateway per minute', 'sum by (code) (rate(estate_gateway_refusals_total[5m])) * 60', '{{code}}'],
  ['Due work', 'max by (state) (estate_due_work_items)', '{{state}}'],
  [
    'Lag of events, 99th percentile',
    'histogram_quantile(0.99, sum by (le, application) (rate(estate_outbox_relay_lag_seconds_bucket[5m])))',
    '{{application}}',
    's',
  ],
  ['Oldest unsent event', 'max by (application) (estate_outbox_oldest_age_seconds)', '{{application}}', 's'],
  ['Parked work', 'max(estate_parked_work_items)', 'parked'],
  ['Pending deliveries', 'max(estate_deliveries_pending)', 'pending'],
  ['Rehearsals', 'max(estate_rehearsals)', 'rehearsals'],
  [
    'Failed requests by application',
    'sum by (application) (rate(http_server_request_duration_seconds_count{error_type=~".+"}[5m]))',
    '{{application}}',
    'reqps',
  ],
];

const [COLUMNS, WIDTH, HEIGHT] = [3, 8, 8];
const source = { type: 'prometheus', uid: `\${source}` };

const panelOf = ([title, expr, legendFormat, unit = 'short']: (typeof PANELS)[number], place: number) => ({
  id: place + 1,
  title,
  type: 'timeseries',
  datasource: source,
  gridPos: { x: (place % COLUMNS) * WIDTH, y: Math.floor(place / COLUMNS) * HEIGHT, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  targets: [{ refId: 'A', datasource: source, expr, legendFormat }],
});

export const dashboard = (): string =>
  `${JSON.stringify(
    {
      uid: 'unified-commerce-estate',
      title: 'Unified commerce estate',
      tags: ['unified-commerce-estate'],
      schemaVersion: 39,
      time: { from: 'now-1h', to: 'now' },
      refresh: '30s',
      templating: { list: [{ name: 'source', label: 'Data source', type: 'datasource', query: 'prometheus' }] },
      panels: PANELS.map(panelOf),
    },
    null,
    2,
  )}\n`;
