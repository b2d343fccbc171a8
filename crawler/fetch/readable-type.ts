const readableTypes =
  /^(?:text\/(?!css|javascript|calendar)|application\/(?:xhtml\+xml|xml|json|pdf|epub\+zip|vnd\.openxmlformats-officedocument\.|(?:[\w.-]+\+)?(?:xml|json)\b)|message\/rfc822)/i

/** Whether content of a type can be read as a page, by its `Content-Type`. */
export function isReadableType(contentType: string): boolean {
  return readableTypes.test(contentType.trim())
}

/** Whether a `Content-Type` is what servers send that don't know any. */
export function saysNothing(contentType: string): boolean {
  return /^application\/octet-stream\s*(?:;|$)/i.test(contentType.trim())
}

/** Whether bytes begin as a PDF does (WHATWG MIME Sniffing, 7.1): the one document that servers so send. */
export function isPdf(head: Uint8Array): boolean {
  return Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 5)).toString('latin1') === '%PDF-'
}
