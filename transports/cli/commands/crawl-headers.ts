import { corpusSchema } from '../../../crawler/index.ts'
import { UsageError } from '../command-failure.ts'

/**
 * Reads the `--header` flags of a crawl, each `Name: value`. If a name is given twice, the last value is used.
 *
 * @returns the values by name in lower case, or undefined if there is no flag.
 * @throws UsageError - a flag has another form, or the crawler cannot send the header; the message names it.
 */
export function crawlHeaders(given: readonly string[] = []): Record<string, string> | undefined {
  const headers = new Map<string, string>()
  for (const text of given) {
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/s.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new UsageError(`--header: expected "Name: value", such as "Authorization: Bearer abc"`)
    const checked = corpusSchema.shape.headers.safeParse({ [name]: value })
    // The value may be a secret, so the message has only the name.
    if (!checked.success) throw new UsageError(`--header ${name}: ${reasonOf(checked.error)}`)
    headers.set(name.toLowerCase(), value)
  }
  return headers.size === 0 ? undefined : Object.fromEntries(headers)
}

function reasonOf({ issues }: { issues: readonly { message: string; issues?: { message: string }[] }[] }): string {
  const [issue] = issues
  return issue?.issues?.[0]?.message ?? issue?.message ?? 'cannot be sent'
}
