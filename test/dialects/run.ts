/**
 * `npm run test:dialects`: installs the stock clients if they are missing, and plays all cases with the given arguments of vitest; with `--adapters`
 * also those of the adapters of agent frameworks. Where the packages cannot be had, the tests are skipped and say why.
 */
import { spawnSync } from 'node:child_process'
import './install-clients.ts'

const args = process.argv.slice(2).filter(arg => arg !== '--adapters')
const { status } = spawnSync('vitest', ['run', '--project', 'dialects', ...args], { stdio: 'inherit' })
process.exit(status ?? 1)
