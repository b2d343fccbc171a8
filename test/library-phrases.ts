/**
 * Words that libraries and the system write into messages, and that no caller should read: of zod, undici, Node, OpenSSL,
 * LevelDB, V8's JSON parser, and the engine's names of fields that the wire writes otherwise.
 */
export const libraryPhrases: readonly RegExp[] = [
  /Too (?:big|small)|Invalid (?:input|key|option|string|number|URL)|Unrecognized key|\bexpected \w+, received\b/i,
  /\bZod\w*|invalid_(?:type|value|union|format)|unrecognized_keys/,
  /UND_ERR_|undici|\bfetch failed\b/i,
  /\bE(?:CONN|NOTFOUND|AI_|ACCES|NOENT|PIPE|HOST|NET|PERM|INVAL|ISDIR|EXIST|NOSPC)\w*/,
  /\b(?:syscall|getaddrinfo|errno)\b|\bERR_[A-Z]/,
  /openssl|SSL routines|ssl\/record|:SSL|DEPTH_ZERO|SELF_SIGNED|unable to verify/i,
  /LEVEL_|leveldb|IO error:|Corruption:/i,
  /Unexpected token|in JSON at position|is not valid JSON at|Unexpected end of/i,
  /Cannot read propert|is not a function|\[object Object\]|\bundefined\b|\bNaN\b/,
  /\b(?:queryTime|maxResults|snippetMaxLength|acquiredAfter|acquiredBefore|publishedAfter|publishedBefore|maxChars)\b/,
  /\n {4}at |node_modules|\.ts:\d/,
]

/** The phrases of libraries in a text. */
export function libraryPhrasesIn(text: string): string[] {
  return libraryPhrases.flatMap(phrase => phrase.exec(text)?.[0] ?? [])
}
