import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/** The version of this package, by its own name: the sources and what is built of them lie at different depths. */
export const packageVersion = (load('asof/package.json') as { version: string }).version
