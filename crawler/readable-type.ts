const readableTypes =
  /^(?:text\/(?!css|javascript|calendar)|application\/(?:xhtml\+xml|xml|json|pdf|epub\+zip|vnd\.openxmlformats-officedocument\.|(?:[\w.-]+\+)?(?:xml|json)\b)|message\/rfc822)/i

/** Whether content of a type can be read as a page, by its `Content-Type`. */
export function isReadableType(contentType: string): boolean {
  return readableTypes.test(contentType.trim())
}
