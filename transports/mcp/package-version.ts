import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

/**
 * The version of asof. The path of `package.json` differs between sources and built files, so the package is resolved by its
 * name.
 */
export const packageVersion = (load('asof/package.json') as { version: string }).version
