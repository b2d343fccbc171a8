/**
 * `npm run test:dialects`: installs the stock clients if they are missing, and plays all cases with the given arguments of vitest. Where the
 * clients cannot be had, the tests are skipped and say why.
 */
import { spawnSync } from 'node:child_process'
import './install-clients.ts'

const { status } = spawnSync('vitest', ['run', '--project', 'dialects', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
