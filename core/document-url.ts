import { AsofError, shown } from '@asof/extract/errors'

const SCHEME = 'doc:'
/** Maximum length of the URL of a document, characters. Other URLs have the same maximum. */
const MAX_CHARS = 2048
/** Matches the encodings of characters that RFC 3986 allows in a path, apart from the unreserved ones. */
const ALLOWED = /%(?:21|24|26|27|28|29|2A|2B|2C|2F|3A|3B|3D|40)/g

/**
 * Returns the URL of a document that has no address on the web, such as a record of a database: `doc:` and its
 * identifier, percent-encoded. Different identifiers have different URLs.
 *
 * @param id - any string except ''.
 * @throws ASOF_INVALID_URL - the identifier is not a string, is empty, or makes a URL that is too long. `details.id` then has the
 *   beginning of the identifier.
 */
export function documentUrl(id: string): string {
  if (typeof id !== 'string' || id === '')
    throw new AsofError(
      'ASOF_INVALID_URL',
      `the id of a document must be a string with at least one character, not ${shown(id)}`,
    )
  const url = SCHEME + encodeURIComponent(id.toWellFormed()).replace(ALLOWED, decodeURIComponent)
  if (url.length <= MAX_CHARS) return url
  const beginning = id.slice(0, 200)
  throw new AsofError('ASOF_INVALID_URL', `the id "${beginning}" is longer than ${MAX_CHARS} characters, encoded`, {
    details: { id: beginning },
  })
}

/** True for the URL of a document that has no address on the web, in any spelling. */
export function isDocumentUrl(url: string): boolean {
  return url.slice(0, SCHEME.length).toLowerCase() === SCHEME
}

/**
 * Returns the normal form of the URL of a document, see {@link documentUrl}. Its fragment is removed.
 *
 * @throws ASOF_INVALID_URL
 */
export function normalizeDocumentUrl(url: string): string {
  const [path = ''] = url.slice(SCHEME.length).split('#', 1)
  let id = path
  try {
    id = decodeURIComponent(path)
  } catch {
    // A percent sign that encodes nothing is a part of the identifier.
  }
  return documentUrl(id)
}
