/**
 * Installs the stock clients of other search services, if they are missing and can be had; with `--adapters` also the adapters of agent frameworks.
 * Run by `npm run test:dialects`.
 */
import { adapters, stockClients } from './install.ts'

const wanted = process.argv.includes('--adapters') ? [stockClients, adapters] : [stockClients]
for (const installation of wanted)
  try {
    installation.install()
  } catch (error) {
    console.warn(`packages for the tests of dialects could not be installed: ${error}`)
  }
