/** A bad value on the command line, in the environment or in the settings file. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
