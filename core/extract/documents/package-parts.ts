import { readXml } from '../html/xml-reader.ts'
import type { ZipArchive } from './zip-archive.ts'

/** What a part of an Office document refers to, by the id of the relationship. */
export interface Relationship {
  /** The last word of its type: `slide`, `hyperlink`, `notesslide`; lower case. */
  kind: string
  /** A path in the archive, or an address on the web. */
  target: string
}

/** The path that a reference in the file `from` leads to; both without a leading slash. */
export function pathFrom(from: string, reference: string): string {
  const url = URL.parse(reference, `zip:///${from}`)
  if (!url) return ''
  try {
    return decodeURIComponent(url.pathname.slice(1))
  } catch {
    // A stray percent sign: the name as it stands is the best guess.
    return url.pathname.slice(1)
  }
}

/** The relationships of a part (ECMA-376 part 2, 6.5). */
export function relationshipsOf(archive: ZipArchive, part: string): Map<string, Relationship> {
  const slash = part.lastIndexOf('/') + 1
  const found = new Map<string, Relationship>()
  readXml(archive.text(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`) ?? '', {
    open: (name, { id, type = '', target, targetmode }) => {
      if (name !== 'relationship' || id === undefined || target === undefined) return
      const kind = type.slice(type.lastIndexOf('/') + 1).toLowerCase()
      found.set(id, { kind, target: targetmode === 'External' ? target : pathFrom(part, target) })
    },
  })
  return found
}
