/**
 * Removes from package-lock.json which Node.js each package asks for. npm prints a warning of five lines for each that asks for a newer one
 * than runs npm, and `npm ci` of a clone may be run by Node 20, because what runs asof is the Node that it installs. Run by `npm run lock:plain`.
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
