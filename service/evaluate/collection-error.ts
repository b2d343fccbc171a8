/** A file of a judged collection is missing, can't be read, or has a malformed line. The message names the file and the line. */
export class CollectionError extends Error {
  override readonly name = 'CollectionError'
}
