import { apis, publishers } from '../data/catalog.ts';
import { faults, isUsedUp, linkHere, nameOf, type Output, withQuery } from '../data/data.ts';
import { counted, whyAway } from '../kit/format.ts';
import { shortTitle } from './estate-map-layout.ts';
import { faultWords, type NodeFaults, nodeFaults } from './node-faults.ts';

export type Topology = Output<'read-topology'>;

/** An application, or the touchpoint mock, as the map and the list show it. */
export interface MapNode {
  readonly id: string;
  readonly title: string;
  readonly owns: string;
  readonly note: string;
  /** The part of the note that fits into a node. */
  readonly shortNote: string;
  readonly state: 'ready' | 'away' | 'unknown';
  readonly faults: NodeFaults;
  /** How a real system takes its place. */
  readonly real: NonNullable<Topology['applications'][number]['swapped']>['mode'] | undefined;
  readonly isBusy: boolean;
  readonly link: string | undefined;
}

const NO_FAULTS: NodeFaults = { isSet: false, hasStruck: false, isDown: false };

/** The faults of an application that are set in this rehearsal or have struck there. */
const faultsAt = (application: Topology['applications'][number]): NodeFaults => {
  const inForce = (faults.value ?? []).filter((fault) => !isUsedUp(fault));
  return nodeFaults(application, inForce, {
    api: (api) => apis[api]?.application,
    event: (event) => publishers[nameOf(event)],
  });
};

/** Titles of the applications that no call of this rehearsal reaches. */
export const downByFault = ({ applications }: Topology): readonly string[] =>
  applications.filter((one) => one.state === 'ready' && faultsAt(one).isDown).map(({ title }) => shortTitle(title));

export function nodesOf({ applications, touchpoint }: Topology): readonly MapNode[] {
  return [
    ...applications.map((application): MapNode => {
      const { id, title, owns, state, waitingFor, hops, swapped } = application;
      const ofFaults = faultsAt(application);
      const activity = hops === 0 ? 'quiet' : counted(hops, 'hop');
      const real = swapped && realWords(swapped);
      const words = [faultWords(ofFaults), real, activity].filter((part) => part !== undefined).join(' · ');
      return {
        id,
        title: shortTitle(title),
        owns,
        state,
        faults: ofFaults,
        real: swapped?.mode,
        isBusy: hops > 0,
        ...(state === 'away' ? { note: whyAway(waitingFor), shortNote: 'away' } : notesOf(words, real ?? faultWords(ofFaults))),
        link: swapped ? linkHere('systems', id) : withQuery(linkHere('activity'), { application: id }),
      };
    }),
    {
      id: 'touchpoint',
      title: 'Touchpoint',
      owns: 'a mock of checkout lanes, for separate clients',
      ...notesOf(touchpoint.state === 'ready' ? 'mock, apart' : touchpoint.state === 'unknown' ? 'in its own process' : 'away'),
      state: touchpoint.state,
      faults: NO_FAULTS,
      real: undefined,
      isBusy: false,
      link: touchpoint.portal,
    },
  ];
}

/** How the real system takes the place of an application. */
const realWords = ({ mode, violations }: NonNullable<Topology['applications'][number]['swapped']>): string =>
  violations === 0 ? MODES[mode] : `${mode} · ${counted(violations, 'violation')}`;

const MODES = { real: 'real system', shadow: 'real in shadow', kept: 'kept answers' } as const;

/** Maximum number of characters in a node. */
const ROOM = 20;

const notesOf = (note: string, short = note): Pick<MapNode, 'note' | 'shortNote'> => {
  const shown = note.length <= ROOM ? note : short;
  return { note, shortNote: shown.length <= ROOM ? shown : `${shown.slice(0, ROOM - 1)}…` };
};
