import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/** The version of asof. The package is resolved by its name, because sources and built files lie at different depths. */
export const packageVersion = (load('asof/package.json') as { version: string }).version
