/** The command line, environment or configuration file says something that can't be meant; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
