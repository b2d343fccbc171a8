/**
 * Returns the element of a formula.
 *
 * @param tex - escaped for HTML.
 */
export function mathOf(tex: string, isBlock: boolean): string {
  return `<math alttext="${tex}"${isBlock ? ' display="block"' : ''}></math>`
}

/** Returns the formula in a TeX source, which may be a whole document around it. */
export function texOf(source: string): string {
  const begin = source.indexOf('\\begin{document}')
  const end = source.lastIndexOf('\\end{document}')
  const body = begin < 0 ? source : source.slice(begin + '\\begin{document}'.length, end < begin ? undefined : end)
  return body
    .trim()
    .replace(/^(?:\\\(|\\\[|\$+)|(?:\\\)|\\\]|\$+)$/g, '')
    .trim()
}
