import { act, drawn, isBusy, linkHere, navigate, refusalOf, setQuery, unreachable, useRead } from '../data/data.ts';
import { Card, CopyButton, download, Empty, Heading, type PageProps, Unknown, useKeys } from '../kit/kit.ts';
import { tables } from '../objects/catalog.ts';
import { NewestObjects } from '../objects/object-list.tsx';
import { withStory } from '../report/story-page.ts';
import { markLink } from '../timelines/mark-link.ts';
import { Player } from './player.tsx';
import { fileName, type Story, stepIn } from './story.ts';

/** Exchanges that the page reads. */
const MOST_STEPS = 1_000;

/** Plays the story of an object, or of the whole rehearsal, on the map. */
export function Play({ rest: [type, id], query, rehearsal }: PageProps) {
  if (type !== undefined && id === undefined) {
    return <UnknownStory type={type} why="A story belongs to one object: open the object, then play it." />;
  }
  return <StoryOf key={`${type}/${id}`} type={type} id={id} query={query} rehearsal={rehearsal} />;
}

interface StoryOfProps {
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly query: URLSearchParams;
  readonly rehearsal: string;
}

function StoryOf({ type, id, query, rehearsal }: StoryOfProps) {
  // A story that plays stands still: only a reset reads it again.
  const read = useRead('read-play', { query: { type, id, limit: MOST_STEPS } }, { follows: ['gap'] });
  const { refusal } = read;
  if (refusal && type !== undefined && (refusal.code === 'not_found' || refusal.code === 'validation_failed')) {
    return <UnknownStory type={type} id={id} why={refusal.detail} />;
  }
  return drawn(read, (story) =>
    story.steps.length === 0 ? <NoStory story={story} /> : <KnownStory story={story} {...{ type, id, query, rehearsal }} />,
  );
}

const UnknownStory = ({ type, id, why }: { type: string; id?: string | undefined; why: string }) => (
  <Unknown
    title="Unknown story"
    words={`No story exists for ${type}`}
    id={id}
    why={why}
    card={tables[type] && <NewestObjects type={type} page="play" />}
  >
    <Others />
  </Unknown>
);

const Others = () => (
  <p class="line">
    <a class="button" href={linkHere('objects', 'order')}>
      Orders
    </a>
    <a class="button" href={linkHere('play')}>
      Story of the rehearsal
    </a>
    <a class="button" href={linkHere('flows')}>
      Flows
    </a>
  </p>
);

const NoStory = ({ story: { name } }: { story: Story }) => (
  <div class="stack">
    <Heading title="Story">Story of {name}</Heading>
    <Card label="Story">
      <Empty title="Nothing has happened to it in this rehearsal.">
        <p class="muted">A call that names or changes it begins its story. Run a scenario, or place an order.</p>
        <Others />
      </Empty>
    </Card>
  </div>
);

function KnownStory({ story, type, id, query, rehearsal }: StoryOfProps & { story: Story }) {
  const at = stepIn(query.get('step'), story);
  const subject = type === undefined || id === undefined ? '' : ` ${type} ${id}`;
  return (
    <Player
      story={story}
      at={at}
      onStep={(step) => setQuery({ step: String(step) })}
      useKeys={useKeys}
      onLeave={() => navigate(type === undefined || id === undefined ? linkHere('activity') : linkHere('objects', type, id))}
      traceLink={markLink}
      title={<Heading title={`Story of ${story.name}`}>Story of {story.name}</Heading>}
      more={
        <>
          <button type="button" aria-disabled={isBusy()} onClick={() => void saveStoryPage(story)}>
            Story as one file
          </button>
          <CopyButton what="Command" text={() => `estate play${subject} --rehearsal ${rehearsal} > story.html`}>
            Copy the command for a file
          </CopyButton>
        </>
      }
    />
  );
}

/** Saves the story as `estate play` writes it. */
const saveStoryPage = (story: Story): Promise<void> =>
  act('save', async () => {
    const answer = await fetch('/console/story.html', { cache: 'no-cache' }).catch((error: unknown) => {
      throw unreachable(error);
    });
    if (!answer.ok) throw await refusalOf(answer);
    const file = `${fileName(story)}.html`;
    download(file, new Blob([withStory(await answer.text(), story)], { type: 'text/html' }));
    return `${file} was downloaded. It plays in any browser, without this estate.`;
  });
