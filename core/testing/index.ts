/** `@asof/core/testing`: tests that every implementation of `Engine` must pass, for any test runner. */
export { type EngineContract, engineContract } from './engine-contract.ts'
export type { ContractOptions, OpenBackup, OpenForContract } from './test-engines.ts'
