/** `@asof/core/testing`: tests that every implementation of `Engine` must pass, for any test runner. */
export { type ContractOptions, type EngineContract, engineContract, type OpenForContract } from './engine-contract.ts'
