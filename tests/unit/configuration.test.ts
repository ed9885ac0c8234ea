import { describe, expect, test } from '@jest/globals';
import { corsOriginsOf, readConfiguration } from '../../estate/configuration.ts';

const withValue = (variable: string, value: string) => () => readConfiguration({ [variable]: value });

describe('A variable takes', () => {
  test.each([
    ['REDIS_URL', 'redis://h'],
    ['REDIS_URL', 'rediss://user:p%25w@h:6380/15'],
    ['REDIS_URL', 'redis://[::1]:6379/'],
    ['REDIS_URL', 'cluster:redis://h:7000'],
    ['REDIS_URL', 'redis://h:7000, redis://i:7000'],
    ['KAFKA_BROKERS', 'h:9092, i:65535'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=abc%20d, x-scope=a=b'],
    ['MAX_REHEARSALS', '500'],
    ['NODE_ENV', 'production'],
    ['NODE_ENV', 'staging'],
    ['CORS_ORIGINS', 'http://localhost:5173, https://shop.example.com/'],
    ['CORS_ORIGINS', 'loopback,https://shop.example.com'],
    ['CORS_ORIGINS', 'none'],
  ])('%s=%s', (variable, value) => {
    expect(withValue(variable, value)).not.toThrow();
  });

  test('headers of a receiver of traces, decoded', () => {
    const { OTEL_EXPORTER_OTLP_HEADERS: headers } = readConfiguration({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=abc%20d, x-scope=a=b' });
    expect(headers).toEqual({ 'api-key': 'abc d', 'x-scope': 'a=b' });
  });
});

describe('A variable does not take, and its name and a valid form are told:', () => {
  test.each([
    ['REDIS_URL', 'redis://h/abc'],
    ['REDIS_URL', 'redis://h/-1'],
    ['REDIS_URL', 'redis://h/0/1'],
    ['REDIS_URL', 'redis://h?db=1'],
    ['REDIS_URL', 'redis://user:100%@h'],
    ['REDIS_URL', 'cluster:redis://h/1'],
    ['REDIS_URL', 'redis://h/1,redis://i/1'],
    ['REDIS_URL', 'redis://h:99999'],
    ['KAFKA_BROKERS', 'h:99999'],
    ['KAFKA_BROKERS', 'h:0'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'junk'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api key=a'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'key=a%0Ab'],
    ['MAX_REHEARSALS', '0x50'],
    ['MAX_REHEARSALS', '1e3'],
    ['MAX_REHEARSALS', '9'.repeat(20)],
    ['RATE_LIMIT_PER_KEY', '0'],
    ['NODE_ENV', 'prod'],
    ['NODE_ENV', 'Production'],
    ['TRANSPORT', 'grpc'],
    ['CONSOLE', 'maybe'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'shop.example.com'],
    ['CORS_ORIGINS', 'https://shop.example.com/cart'],
    ['CORS_ORIGINS', 'https://user@shop.example.com'],
    ['CORS_ORIGINS', 'file:///index.html'],
    ['CORS_ORIGINS', 'none,loopback'],
    ['CORS_ORIGINS', 'http://localhost:3000,'],
  ])('%s=%s', (variable, value) => {
    expect(withValue(variable, value)).toThrow(new RegExp(`^${variable}(=.*)? cannot be used: it takes `));
  });
});

test.each([
  [{}, ['loopback']],
  [{ NODE_ENV: 'production' }, []],
  [{ CORS_ORIGINS: 'none' }, []],
  [{ NODE_ENV: 'production', CORS_ORIGINS: 'loopback' }, ['loopback']],
  [{ CORS_ORIGINS: 'HTTP://Shop.test:80/, https://shop.test:8443' }, ['http://shop.test', 'https://shop.test:8443']],
])('With %j, the gateway allows the origins %j', (environment, origins) => {
  expect(corsOriginsOf(readConfiguration(environment))).toEqual(origins);
});
