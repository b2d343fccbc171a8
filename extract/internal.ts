/**
 * `@asof/extract/internal`: steps of extraction that the engine and the crawler run themselves. Applications should not use them, because
 * any release may change them.
 */
export { decodeHTML } from 'entities'
export { decodeBody } from './encoding/charset.ts'
export { CharsetDecoder } from './encoding/charset-decoder.ts'
export { detectEncoding } from './encoding/charset-detection.ts'
export { isEncodingLabel } from './encoding/charset-prescan.ts'
export { bodyKind, isSpecificType } from './encoding/media-type.ts'
export { replacedCharacters } from './encoding/replaced-characters.ts'
export { stoppedError } from './extract-limits.ts'
export { extractPage } from './extract-page.ts'
export { kindOfData } from './facts/page-kind.ts'
export { parseRefresh } from './facts/page-refresh.ts'
export { MAX_BODY_BYTES } from './kind-of-body.ts'
export { readMarkdownSource } from './markdown-source/markdown-source.ts'
export { parseFieldRules } from './page-fields/field-rules.ts'
export { extractText } from './plain-page.ts'
export { isItem } from './structured/json-ld.ts'
export { xmlDocumentKind } from './xml-document.ts'
