/** What the tools of ../shared/tools ask of a module that extracts. */
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

/** Who can be measured: one module each in `extractors/`. */
export const extractorNames = ['asof', 'readability', 'defuddle', 'article-extractor'] as const
export type ExtractorName = (typeof extractorNames)[number]

export const extractorModule = (name: ExtractorName): string => `${import.meta.dirname}/extractors/${name}.ts`
