const readableTypes =
  /^(?:text\/(?!css|javascript|calendar)|application\/(?:xhtml\+xml|xml|json|pdf|epub\+zip|vnd\.openxmlformats-officedocument\.|(?:[\w.-]+\+)?(?:xml|json)\b)|message\/rfc822)/i

/** True if a body with this `Content-Type` can be extracted. */
export function isReadableType(contentType: string): boolean {
  return readableTypes.test(contentType.trim())
}

/** True for `application/octet-stream`, which servers send when they do not know the type. */
export function isGenericType(contentType: string): boolean {
  return /^application\/octet-stream\s*(?:;|$)/i.test(contentType.trim())
}

/** True for bytes that begin like a PDF (WHATWG MIME Sniffing, 7.1). Servers often send a PDF with a wrong type. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 5)).toString('latin1') === '%PDF-'
}
