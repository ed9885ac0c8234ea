import { problems } from './catalog.ts';

/** The parts of the reference. */
export const referenceSections = [
  {
    path: 'api',
    title: 'APIs',
    about: 'What to call: every API with its parameters, bodies and answers. Requests can be sent from the page.',
  },
  { path: 'events', title: 'Events', about: 'What is published: topics, payloads, who sends and who receives.' },
  { path: 'problems', title: 'Problems', about: 'What comes back when a request is refused, and which API answers it.' },
  { path: 'values', title: 'Magic values', about: 'Products, cards, vouchers and services with a known outcome.' },
  { path: 'settings', title: 'Settings', about: 'The variables that configure the estate, with their defaults.' },
  { path: 'glossary', title: 'Glossary', about: 'The words of the trade and of the estate.' },
] as const;

export const problemCodes = problems.map(({ code, title }) => ({ code, title }));
