import { oldNodeMessage } from './node-version.ts'

// This file is imported first, because on an old Node.js the rest would fail with an unclear error.
const message = oldNodeMessage()
if (message !== undefined) throw new Error(message)
