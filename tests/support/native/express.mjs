import { native } from './native.mjs';

const express = native('express');
export default express;
export const { Router } = express;
