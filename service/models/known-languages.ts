/** Models by their names, in lower case and without a publisher, and the languages that they were trained for. The first match counts. */
const known: readonly (readonly [name: RegExp, languages: readonly string[] | 'all'])[] = [
  // Multilingual models whose names begin like those of English models.
  [/multilingual|^nomic-embed-text-v2|^(snowflake-)?arctic-embed(2|-[lm]-v2)|^gte-qwen|^granite-embedding:278m/, 'all'],
  [/^all-(minilm|mpnet|distilroberta)/, ['en']],
  [/^(multi-qa|msmarco|paraphrase)-/, ['en']],
  [/^nomic-embed-text/, ['en']],
  [/^mxbai-embed-(large|xsmall)/, ['en']],
  [/^(snowflake-)?arctic-embed/, ['en']],
  [/^granite-embedding/, ['en']],
  [/^(bge|gte)-(small|base|large)(-en|$|:)/, ['en']],
  [/^(bge|gte)-(small|base|large)-zh/, ['zh']],
  [/^e5-(small|base|large)(-v2)?$/, ['en']],
  [/^embed-english-/, ['en']],
  [/^jina-embeddings?-v2-(small|base)-en/, ['en']],
  [/^jina-embeddings?-v2-base-de/, ['de', 'en']],
  [/^jina-embeddings?-v2-base-es/, ['en', 'es']],
  [/^jina-embeddings?-v2-base-zh/, ['en', 'zh']],
]

/**
 * The languages that a model was trained for, as its publisher states them.
 *
 * @param model - its name at an endpoint, such as `all-minilm`, `sentence-transformers/all-MiniLM-L6-v2` or `bge-small-en-v1.5:latest`.
 * @returns ISO 639-1 codes; undefined for all languages, and for a model that is not in the list.
 */
export function knownLanguages(model: string): readonly string[] | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const languages = known.find(([pattern]) => pattern.test(name))?.[1]
  return languages === 'all' ? undefined : languages
}
