import { addingContract } from './adding-contract.ts'
import { backupContract } from './backup-contract.ts'
import { closingContract } from './closing-contract.ts'
import { deletingContract } from './deleting-contract.ts'
import { histogramContract } from './histogram-contract.ts'
import { historyContract } from './history-contract.ts'
import { relevanceContract } from './relevance-contract.ts'
import { sealedContract } from './sealed-contract.ts'
import { searchContract } from './search-contract.ts'
import { suggestionContract } from './suggestion-contract.ts'
import { type ContractIt, type OpenBackup, type OpenForContract, TestEngines } from './test-engines.ts'

/** The engine to test, and the functions `describe` and `it` of a test runner such as Vitest, Jest or `node:test`. */
export interface EngineContract {
  describe: (title: string, body: () => void) => unknown
  it: (title: string, body: () => Promise<void>) => unknown
  /** Opens an engine with an empty index of its own. The suite closes the engine. */
  open: OpenForContract
  /** Opens a folder that `Engine.backup` wrote. Undefined if the engine has no backups. */
  openBackup?: OpenBackup
}

/**
 * Defines the tests that every implementation of `Engine` must pass. They use only the interface and `node:assert`, so
 * a failed test throws an `AssertionError`.
 *
 * @example
 * import { describe, it } from 'node:test'
 * import { engineContract } from 'asof/testing'
 *
 * engineContract({ describe, it, open: ({ now }) => openMyEngine({ now }) })
 */
export function engineContract({ describe, it, open, openBackup }: EngineContract): void {
  const test: ContractIt = (title, body) =>
    it(title, async () => {
      const engines = new TestEngines(open)
      try {
        await body(engines)
      } finally {
        await engines.close()
      }
    })
  describe('add', () => addingContract(test))
  describe('search', () => searchContract(test))
  describe('page, versions, timeline and history', () => historyContract(test))
  describe('seen, remove and purge', () => deletingContract(test))
  describe('suggest', () => suggestionContract(test))
  describe('relevance', () => relevanceContract(test))
  describe('sealed', () => sealedContract(test))
  describe('capture histogram', () => histogramContract(test))
  if (openBackup) describe('backup', () => backupContract(test, openBackup))
  describe('close', () => closingContract(test))
}
