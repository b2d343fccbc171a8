/** The function that the scoring tools expect from the module of an extractor. */
export type BenchExtract = (
  html: Buffer,
  url: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<{
  title?: string | undefined
  author?: string | undefined
  publishedAt?: string | undefined
  markdown: string
}>

/** The extractors that can be measured; each is a module in `extractors/`. */
export const extractorNames = ['asof', 'readability', 'defuddle', 'article-extractor'] as const
export type ExtractorName = (typeof extractorNames)[number]

/** Returns the path of an extractor's module. */
export const extractorModule = (name: ExtractorName): string => `${import.meta.dirname}/extractors/${name}.ts`
