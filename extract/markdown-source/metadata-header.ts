/** The values of a header by their names in lower case without spaces, and the rest of the file. */
export interface MetadataHeader {
  values: Readonly<Record<string, string>>
  body: string
}

/** Maximum number of lines of a header. */
const MAX_LINES = 60
const MAX_LINE_UNITS = 4000
/** Names that headers of MultiMarkdown and Pelican have, without spaces. A header that begins with another name is text. */
const names = new Set(
  (
    'title subtitle author authors date modified category tags slug summary status keywords language lang copyright affiliation ' +
    'abstract comment comments format css htmlheader baseheaderlevel quoteslanguage latexmode latexinput bibtex template email'
  ).split(' '),
)

/**
 * Splits a Markdown file that begins with lines such as `Title: My paper`, up to an empty line. A line that begins with a blank
 * continues the value before it.
 *
 * @returns undefined for a paragraph with colons: its first name is not known, or it has no title, or no text follows it.
 */
export function splitHeader(text: string): MetadataHeader | undefined {
  const values: Record<string, string> = Object.create(null)
  let name = ''
  let at = 0
  for (let lines = 0; at < text.length; lines++) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end < 0 ? text.length : end)
    at = end < 0 ? text.length : end + 1
    if (line.trim() === '') break
    if (lines === MAX_LINES || line.length > MAX_LINE_UNITS) return undefined
    const [, written, value = ''] = /^([A-Za-z][\w -]{0,40}):(?:[ \t]+(.*))?$/.exec(line) ?? []
    if (written !== undefined) {
      name = written.toLowerCase().replaceAll(/[ _-]/g, '')
      if (lines === 0 && !names.has(name)) return undefined
      values[name] ??= value.trim()
    } else if (/^[ \t]/.test(line) && name !== '') values[name] = `${values[name]} ${line.trim()}`.trim()
    else return undefined
  }
  const body = text.slice(at)
  return values.title && body.trim() !== '' ? { values, body } : undefined
}
