/** A part of a request that was answered in another way than the vendor would. */
export interface DialectWarning {
  /** The field as the vendor names it, such as `contents.summary`. Empty if the warning is about the answer. */
  path: string
  message: string
}

/** Returns warnings as texts, each after the name of its field. */
export function warningTexts(warnings: readonly DialectWarning[]): string[] {
  return warnings.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
}
