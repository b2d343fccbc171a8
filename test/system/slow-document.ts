/**
 * A PDF of about 2 KB whose text takes longer to extract than any limit allows: forms that each draw the next one ten times.
 */
export function slowDocument(): Buffer {
  const LEVELS = 9
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> /XObject << /X 6 0 R >> >> /Contents 5 0 R >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    stream('', '/X Do'),
  ]
  for (let level = 1; level <= LEVELS; level++) {
    const isLast = level === LEVELS
    const resources = isLast ? '/Font << /F1 4 0 R >>' : `/XObject << /X ${objects.length + 2} 0 R >>`
    const drawn = isLast ? 'BT /F1 9 Tf 9 9 Td (a) Tj ET' : '/X Do '.repeat(10)
    const dictionary = `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${resources} >>`
    objects.push(stream(dictionary, drawn))
  }
  let file = '%PDF-1.4\n'
  const offsets = objects.map((body, at) => {
    const offset = file.length
    file += `${at + 1} 0 obj\n${body}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = file.length
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(
    `${file}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    'latin1',
  )
}

function stream(dictionary: string, content: string): string {
  return `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`
}
