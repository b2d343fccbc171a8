/**
 * `@asof/extract/errors`: the errors of all packages of asof, the check of options, and the wording of both. Loads no package, and nothing
 * that extracts.
 */
export {
  AsofError,
  type ErrorCode,
  type ErrorKind,
  errorCodes,
  type Failure,
  failureOf,
  isAsofError,
} from './errors.ts'
export { loadOptional, type OptionalPackages } from './optional-packages.ts'
export {
  invalidOption,
  isGiven,
  isPlainObject,
  type OptionKinds,
  optionsIn,
  optionsReader,
  // The declarations of exported checks refer to this type.
  type ReadOptions,
} from './options.ts'
export { messageWithSaid, type Said, said, saidIn } from './said.ts'
export { shown } from './shown-value.ts'
export { causeOf, codeOf, isAbsence, isError, messageOf } from './thrown.ts'
export { type UnknownName, unknownName } from './unknown-name.ts'
