import { deepEqual } from 'node:assert/strict'
import { addingContract } from './adding-contract.ts'
import { backupContract } from './backup-contract.ts'
import { closingContract } from './closing-contract.ts'
import { deletingContract } from './deleting-contract.ts'
import { fieldsContract } from './fields-contract.ts'
import { histogramContract } from './histogram-contract.ts'
import { historyContract } from './history-contract.ts'
import { passagesContract } from './passages-contract.ts'
import { relevanceContract } from './relevance-contract.ts'
import { sealedContract } from './sealed-contract.ts'
import { searchContract } from './search-contract.ts'
import { suggestionContract } from './suggestion-contract.ts'
import { type ContractIt, type OpenBackup, type OpenForContract, refuses, TestEngines } from './test-engines.ts'

/** The engine to test, and the functions `describe` and `it` of a test runner such as Vitest, Jest or `node:test`. */
export interface EngineContract {
  describe: (title: string, body: () => void) => unknown
  it: (title: string, body: () => Promise<void>) => unknown
  /** Opens an engine with an empty index of its own. The suite closes the engine. */
  open: OpenForContract
  /** Opens a folder that `Engine.backup` wrote. Undefined if the engine has no backups. */
  openBackup?: OpenBackup
  /**
   * What the engine lacks: groups, such as `suggest`, and single tests, such as `search: highlights the words found in a snippet`. Each
   * of these tests is still run, and passes only if the engine throws ASOF_UNSUPPORTED. So an engine that answers wrongly fails the test.
   * Default: it lacks nothing.
   */
  lacks?: readonly string[]
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
export function engineContract({ describe, it, open, openBackup, lacks = [] }: EngineContract): void {
  const unknown = new Set(lacks)
  const group = (name: string, contract: (test: ContractIt) => void): void => {
    const isLacking = (title: string): boolean => {
      const named = [name, `${name}: ${title}`].filter(text => lacks.includes(text))
      for (const text of named) unknown.delete(text)
      return named.length > 0
    }
    const test: ContractIt = (title, body) => {
      const run = async (): Promise<void> => {
        const engines = new TestEngines(open)
        try {
          await body(engines)
        } finally {
          await engines.close()
        }
      }
      if (isLacking(title)) it(`refuses, because the engine lacks it: ${title}`, () => refuses(run))
      else it(title, run)
    }
    describe(name, () => contract(test))
  }
  group('add', addingContract)
  group('search', searchContract)
  group('passages', passagesContract)
  group('page, versions, timeline and history', historyContract)
  group('seen, remove and purge', deletingContract)
  group('suggest', suggestionContract)
  group('relevance', relevanceContract)
  group('sealed', sealedContract)
  group('capture histogram', histogramContract)
  group('list of fields', fieldsContract)
  if (openBackup) group('backup', test => backupContract(test, openBackup))
  group('close', closingContract)
  if (lacks.length > 0)
    describe('what the engine lacks', () =>
      it('is named as the contract names it', async () => deepEqual([...unknown], [])))
}
