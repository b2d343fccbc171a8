/** `@asof/core/options`: how asof checks the options of a caller, without loading the engine. */
export {
  invalidOption,
  type OptionKind,
  type OptionKinds,
  optionsIn,
  optionsReader,
  type ReadOptions,
} from './options.ts'
export { shown } from './shown-value.ts'
