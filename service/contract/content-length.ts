import { limits } from './schema-parts.ts'

/** The fields of a search that decide how much of each page its results have. */
export interface ContentFields {
  mode: string
  include?: readonly string[] | undefined
  content_max_chars?: number | undefined
}

/** Returns the maximum number of code points of the content of each result; 0 if the request asks for no content. */
export function contentChars({ mode, include, content_max_chars }: ContentFields): number {
  const isContentMode = mode === 'realtime_content'
  if (!isContentMode && !include?.includes('content')) return 0
  return content_max_chars ?? (isContentMode ? limits.contentChars.defaultOfMode : limits.contentChars.default)
}
