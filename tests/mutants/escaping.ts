import type { Mutant } from './mutant.ts';

export const escaping: readonly Mutant[] = [
  {
    name: 'A report contains control characters of data',
    file: 'ui/report/report.tsx',
    from: '? printable(value) : value',
    to: '? value : value',
    killedBy: ['tests/unit/report.test.ts'],
  },
  {
    name: 'A quotation mark ends an attribute of a report',
    file: 'command-line/rehearse/report/junit.ts',
    from: '.replaceAll(/[&<>"]/g,',
    to: '.replaceAll(/[&<>]/g,',
    killedBy: ['tests/unit/report.test.ts'],
  },
  {
    name: 'A terminal receives control characters of data',
    file: 'shared/process/terminal.ts',
    from: "withoutControls(text).replaceAll('\\r', '')",
    to: "text.replaceAll('\\r', '')",
    killedBy: ['tests/unit/terminal.test.ts'],
  },
  {
    name: 'A client sets the headers of the estate',
    file: 'gateway/application-headers.ts',
    from: "const DROPPED_PREFIXES = ['x-estate-', 'x-forwarded-'];",
    to: "const DROPPED_PREFIXES = ['x-forwarded-'];",
    killedBy: ['tests/gateway/headers.test.ts'],
  },
  {
    name: 'A path may contain an encoded slash',
    file: 'gateway/steps/address.ts',
    from: '/%(?:2e|2f|5c|00)/i',
    to: '/%(?:2e|5c|00)/i',
    killedBy: ['tests/gateway/paths.test.ts'],
  },
  {
    name: 'A request may have two Idempotency-Keys',
    file: 'gateway/steps/address.ts',
    from: "'idempotency-key', 'x-api-key'",
    to: "'x-api-key'",
    killedBy: ['tests/gateway/hosts.test.ts'],
  },
  {
    name: 'The journal shows the token of a payment',
    file: 'shared/domain/redaction.ts',
    from: 'const TOKENS = /\\btok_[A-Za-z0-9_-]+/g;',
    to: 'const TOKENS = /\\btoken_[A-Za-z0-9_-]+/g;',
    killedBy: ['tests/unit/redaction.test.ts'],
  },
];
