import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part of a README between two headings. */
export interface Section {
  url: string
  /** Its heading. */
  title: string
  markdown: string
}

/** Minimum number of characters in a section. Shorter ones say next to nothing. */
const MIN_CHARS = 80
const MAX_CHARS = 20_000

/**
 * Splits the README files below some folders at their headings. Sections with equal headings and texts are taken once, because packages are
 * installed several times.
 *
 * @param most - maximum number of sections, taken evenly over all files.
 */
export function readmeSections(folders: readonly string[], most: number): Section[] {
  const files = folders.flatMap((folder, number) =>
    globSync('**/{README,readme}.md', { cwd: folder }).map(file => ({
      name: `${number}/${file}`,
      path: join(folder, file),
    })),
  )
  const sections = new Map<string, Section>()
  for (const { name, path } of files)
    for (const [number, section] of sectionsOf(readFileSync(path, 'utf8')).entries()) {
      const url = `https://readme.example/${encodeURI(name)}/${number}`
      sections.set(`${section.title}\n${section.markdown}`, { url, ...section })
    }
  const all = [...sections.values()]
  const step = Math.max(1, all.length / most)
  return Array.from({ length: Math.min(most, all.length) }, (_, i) => all[Math.floor(i * step)]!)
}

function sectionsOf(markdown: string): Pick<Section, 'title' | 'markdown'>[] {
  const sections: { title: string; lines: string[] }[] = []
  let inCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode
    const title = inCode ? undefined : /^#{1,4} (.*)$/.exec(line)?.[1]
    if (title === undefined) sections.at(-1)?.lines.push(line)
    else sections.push({ title: plainHeading(title), lines: [] })
  }
  return sections
    .map(({ title, lines }) => ({ title, markdown: lines.join('\n').slice(0, MAX_CHARS) }))
    .filter(({ title, markdown }) => title !== '' && markdown.length >= MIN_CHARS)
}

function plainHeading(heading: string): string {
  return heading
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]*>|[`*_#]/g, '')
    .trim()
}
