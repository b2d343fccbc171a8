/**
 * The error for a file of a judged collection that is missing, cannot be read, or has a malformed line. The message
 * names the file and the line.
 */
export class CollectionError extends Error {
  override readonly name = 'CollectionError'
}
