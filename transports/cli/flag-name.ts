/** The flag of a field or setting: that of `max_results` is `--max-results`. */
export function flagName(field: string): string {
  return `--${field.replaceAll('_', '-')}`
}

/** The key under which commander stores the flag of a field or setting: that of `max_results` is `maxResults`. */
export function flagKey(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
