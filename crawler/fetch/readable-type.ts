import { bodyKind, isSpecificType } from '@asof/extract/internal'

const readableTypes =
  /^(?:text\/(?!css|javascript|calendar)|application\/(?:xhtml\+xml|xml|json|pdf|epub\+zip|vnd\.openxmlformats-officedocument\.|(?:[\w.-]+\+)?(?:xml|json)\b)|message\/rfc822)/i

/** True if a body with this `Content-Type` can be extracted. */
export function isReadableType(contentType: string): boolean {
  return readableTypes.test(contentType.trim())
}

/**
 * True if a body with this `Content-Type` can be extracted, or may be because the type says nothing. The first bytes then
 * decide, see {@link isReadableBody}.
 */
export function mayBeReadable(contentType: string | undefined): boolean {
  return !isSpecificType(contentType) || isReadableType(contentType)
}

/**
 * True if a body with these first bytes can be extracted.
 *
 * @param head - the first bytes, at least 1,445 unless the body is shorter.
 */
export function isReadableBody(head: Uint8Array, contentType: string | undefined, url: string): boolean {
  if (contentType === undefined || contentType.trim() === '' || isSpecificType(contentType)) return true
  return head.length > 0 && bodyKind(contentType, url, head) !== undefined
}
