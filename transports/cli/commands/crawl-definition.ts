import type { z } from 'zod'
import { type Corpus, corpusSchema } from '../../../crawler/index.ts'
import { UsageError } from '../command-failure.ts'

/** The flags of `asof crawl` that define what is crawled and how. */
export interface DefinitionFlags {
  /** The `--header` flags, each `Name: value`. If a name is given twice, the last value is used. */
  header?: string[]
  include?: string[]
  exclude?: string[]
  userAgent?: string
}

/**
 * Returns a corpus with what the flags define. Headers replace headers of the corpus that have the same names; everything else replaces
 * what the corpus has.
 *
 * @throws UsageError - a value is not one that a corpus file may have; the message names the flag, but no value of a header.
 */
export function withFlags(corpus: Corpus, flags: DefinitionFlags): Corpus {
  const { include, exclude, userAgent } = flags
  const scope = { ...corpus.scope }
  const { shape } = corpusSchema.shape.scope.unwrap()
  if (include) scope.include = checked('--include', shape.include, include)
  if (exclude) scope.exclude = checked('--exclude', shape.exclude, exclude)
  const headers = headersOf(flags.header)
  return {
    ...corpus,
    scope,
    userAgent:
      userAgent === undefined ? corpus.userAgent : checked('--user-agent', corpusSchema.shape.userAgent, userAgent),
    headers: headers ? { ...corpus.headers, ...headers } : corpus.headers,
  }
}

/** Returns a value that a field of a corpus may have. @throws UsageError */
function checked<T>(flag: string, field: z.ZodType<T>, value: unknown): T {
  const result = field.safeParse(value)
  if (result.success) return result.data
  throw new UsageError(`${flag}: ${reasonOf(result.error)}`)
}

/** Returns the values of the `--header` flags by name in lower case. @throws UsageError */
function headersOf(given: readonly string[] = []): Record<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const text of given) {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`--header: expected "Name: value", such as "Authorization: Bearer abc"`)
    // The value may be a secret, so the message has only the name.
    checked(`--header ${name}`, corpusSchema.shape.headers, { [name]: value })
    headers.set(name.toLowerCase(), value)
  }
  return headers.size === 0 ? undefined : Object.fromEntries(headers)
}

function reasonOf({ issues }: { issues: readonly { message: string; issues?: { message: string }[] }[] }): string {
  const [issue] = issues
  return issue?.issues?.[0]?.message ?? issue?.message ?? 'cannot be used'
}
