import { readXml } from '../html/xml-reader.ts'
import type { ZipArchive } from './zip-archive.ts'

/** A reference from a part of an Office document to another part or to the web. */
export interface Relationship {
  /** The last part of the relationship's type in lower case, such as `slide`, `hyperlink` or `notesslide`. */
  kind: string
  /** A path in the archive, or a URL. */
  target: string
}

/** Resolves a reference in the file `from` to a path in the archive. Paths have no leading slash. */
export function pathFrom(from: string, reference: string): string {
  const url = URL.parse(reference, `zip:///${from}`)
  if (!url) return ''
  try {
    return decodeURIComponent(url.pathname.slice(1))
  } catch {
    // A stray percent sign shows that the name is not percent-encoded.
    return url.pathname.slice(1)
  }
}

/** Returns the relationships of a part, by id (ECMA-376 part 2, 6.5). */
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
