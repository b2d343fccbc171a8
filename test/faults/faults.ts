import { crawlerFaults } from './crawler-faults.ts'
import type { Fault } from './fault.ts'
import { historyFaults } from './history-faults.ts'
import { searchFaults } from './search-faults.ts'
import { serviceFaults } from './service-faults.ts'
import { transportFaults } from './transport-faults.ts'

/** All faults, layer by layer from below. */
export const faults: readonly Fault[] = [
  ...historyFaults,
  ...searchFaults,
  ...crawlerFaults,
  ...serviceFaults,
  ...transportFaults,
]

/** The tests of the system project that are tried last, by the layer of a fault. */
export const systemTests: Readonly<Record<string, readonly string[]>> = {
  core: [
    'test/core',
    'test/system/kill-',
    'test/system/corrupt-files',
    'test/system/damaged-tables',
    'test/system/cli-commands',
  ],
  crawler: ['test/crawler', 'test/system/cli-crawl', 'test/system/shared-frontier'],
  service: [
    'test/system/accounts-kill-nine',
    'test/system/payments',
    'test/system/plans-kill-nine',
    'test/system/cli-accounts',
  ],
  transports: ['test/system/cli-', 'test/system/mcp-', 'test/system/openapi-fuzz', 'test/system/memento-client'],
}
