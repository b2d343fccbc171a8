const cdata = '<![CDATA['
/** Takes the place of `<![CDATA[` and has the same length. In HTML it is a comment that ends at the next `>`. */
const declaration = '<!?CDATA['

const marks = /<(\/?)(script|style|textarea|title|xmp|iframe|noembed|noframes|svg|math)(?![\w-])|<!--|-->|<!\[CDATA\[/gi

/**
 * Replaces each `<![CDATA[` outside of SVG and MathML. HTML reads it as a comment up to the next `>` (HTML 13.2.5.42), but the tokenizer
 * would read a CDATA section, and skip the text up to `]]>` or the end of the page. Offsets and the content of scripts and comments stay
 * the same.
 */
export function closeStrayCdata(source: string): string {
  const parts: string[] = []
  let written = 0
  let inside = ''
  let foreign = 0
  for (const { 0: mark, 1: slash, 2: name, index } of source.matchAll(marks)) {
    const tag = name?.toLowerCase() ?? ''
    if (inside !== '') {
      if (mark === inside || (slash === '/' && tag === inside)) inside = ''
    } else if (mark === '<!--') inside = '-->'
    else if (tag === 'svg' || tag === 'math') foreign = Math.max(0, foreign + (slash === '/' ? -1 : 1))
    else if (tag !== '') inside = slash === '/' ? '' : tag
    else if (mark === cdata && foreign === 0) {
      parts.push(source.slice(written, index), declaration)
      written = index + cdata.length
    }
  }
  return parts.length === 0 ? source : parts.join('') + source.slice(written)
}
