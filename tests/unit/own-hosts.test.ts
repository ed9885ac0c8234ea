import { expect, test } from '@jest/globals';
import { ownHosts } from '../../shared/process/own-hosts.ts';

const isOwn = ownHosts(['estate.example.com', '.svc.cluster.local', 'UPPER.example']);

test.each([
  ...['localhost', 'localhost:8080', 'LOCALHOST', 'a.localhost:1', '127.0.0.1', '127.0.0.1:8080', '127.1.2.3', '[::1]', '[::1]:8080'],
  ...['192.168.1.7:8080', '[fe80::1]:80', 'gateway', 'gateway:8080', 'x', 'localhost.', 'estate.example.com', 'ESTATE.example.com:443'],
  ...['gateway.team.svc.cluster.local:8080', 'svc.cluster.local', 'upper.example', undefined],
])('The gateway accepts its own host when it is %s', (host) => expect(isOwn(host)).toBe(true));

test.each([
  ...['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example.', 'example.com'],
  ...['other.estate.example.com', 'evilsvc.cluster.local', '', ':8080', '[evil.example]', 'localhost:8080.evil.example', 'a@localhost'],
  ...['localhost/x', 'local host', '[::1', '1.2.3.4:80:80'],
])('The gateway refuses a foreign host when it is "%s"', (host) => expect(isOwn(host)).toBe(false));

test('The gateway refuses a foreign host unless any is allowed', () => expect(ownHosts(['*'])('evil.example')).toBe(true));
