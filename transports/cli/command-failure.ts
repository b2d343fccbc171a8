/** A failure of a command whose message tells the user what to do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}
