/** A failure of a command whose message tells the user what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}

/** A bad value on the command line, in the environment or in the settings file. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
