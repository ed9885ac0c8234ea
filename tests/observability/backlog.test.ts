import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { backlogSuite } from './backlog-suite.ts';

backlogSuite('memory', async () => createMemoryStore());
