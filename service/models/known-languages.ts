/**
 * The languages that models were trained for. A model is matched by its name in lower case, without publisher. The
 * first match counts.
 */
const known: readonly (readonly [name: RegExp, languages: readonly string[] | 'all'])[] = [
  // Multilingual models come first, because their names may begin like those of English models.
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
 * Returns the languages that a model was trained for, according to its publisher.
 *
 * @param model - the model's name at an endpoint, such as `all-minilm`, `sentence-transformers/all-MiniLM-L6-v2` or
 *   `bge-small-en-v1.5:latest`.
 * @returns ISO 639-1 codes; undefined for all languages, and for unknown models.
 */
export function knownLanguages(model: string): readonly string[] | undefined {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const languages = known.find(([pattern]) => pattern.test(name))?.[1]
  return languages === 'all' ? undefined : languages
}
