import { createServer } from 'node:http';
import express from 'express';
import { serve } from './ready.ts';

const app = express();
app.get('/readyz', (_request, response) => void response.json({ status: 'ready' }));
serve(createServer(app));
