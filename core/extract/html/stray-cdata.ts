const cdata = '<![CDATA['
/** Replaces `<![CDATA[` and has the same length. HTML reads it as a bogus comment, which ends at the next `>`. */
const declaration = '<!?CDATA['

const marks = /<(\/?)(script|style|textarea|title|xmp|iframe|noembed|noframes|svg|math)(?![\w-])|<!--|-->|<!\[CDATA\[/gi

/**
 * Replaces each `<![CDATA[` outside of SVG and MathML. HTML reads it there as a comment up to the next `>` (HTML 13.2.5.42). The tokenizer
 * does not know the context and would skip everything up to `]]>` or the end of the page. Takes one pass. Positions, and the content of
 * scripts and comments, do not change.
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
