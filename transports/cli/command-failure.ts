/** A failure of a command that its user can do something about. Its message says what. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}
