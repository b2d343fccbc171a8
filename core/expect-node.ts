import { oldNodeMessage } from './node-version.ts'

// Imported before everything else of the library, which on an old release would fail with an obscure error.
const message = oldNodeMessage()
if (message !== undefined) throw new Error(message)
