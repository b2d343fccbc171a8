import { type FieldProblem, refusedFields } from '../../../../service/index.ts'
import type { DialectWarning } from './warning.ts'

/**
 * Returns the entries of `sites` or `exclude_sites` for the domains of a vendor, which may have a scheme, a path and the wildcard `*.` before them.
 * Returns undefined if there are none.
 *
 * @param path - the name of the field.
 * @throws ServiceError invalid_request - a wildcard stands elsewhere, or before a top-level domain.
 */
export function siteEntries(
  path: string,
  given: readonly string[] | undefined,
  warnings: DialectWarning[],
): string[] | undefined {
  const problems: FieldProblem[] = []
  const sites = (given ?? []).flatMap((text, i) => {
    const entry = text
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/\/\*?$/, '')
    if (entry === '') return []
    const domain = entry.replace(/^\*\./, '')
    const hasWildcard = domain !== entry
    if (domain.includes('*') || (hasWildcard && !domain.includes('.')))
      problems.push({
        path: `${path}[${i}]`,
        reason: 'has a * that is not before a domain; expected example.com or *.example.com',
      })
    else if (hasWildcard) warnings.push({ path, message: `*.${domain} also means ${domain} itself` })
    return [domain]
  })
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
  return sites.length === 0 ? undefined : sites
}
