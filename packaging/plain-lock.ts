/**
 * Removes from package-lock.json which Node.js each package needs. npm prints a warning of five lines for each package that needs a newer
 * Node.js than the one that runs npm. A clone may be installed by Node 20, because asof is run by the Node.js that `npm ci` installs. Run by
 * `npm run lock:plain`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, '../package-lock.json')

interface Lock {
  packages: Record<string, { engines?: unknown }>
}

const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock
for (const [path, locked] of Object.entries(lock.packages)) if (path !== '') delete locked.engines
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
