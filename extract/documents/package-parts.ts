import { localName, readXml } from '../html/xml-reader.ts'
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
      if (localName(name) !== 'relationship' || id === undefined || target === undefined) return
      const kind = type.slice(type.lastIndexOf('/') + 1).toLowerCase()
      found.set(id, { kind, target: targetmode === 'External' ? target : pathFrom(part, target) })
    },
  })
  return found
}

/** The formats of Office documents, by a word in the media type of the main part. */
const officeFormats = { wordprocessingml: 'docx', spreadsheetml: 'xlsx', presentationml: 'pptx' } as const
type OfficeFormat = (typeof officeFormats)[keyof typeof officeFormats]
const usualParts: readonly (readonly [OfficeFormat, string])[] = [
  ['docx', 'word/document.xml'],
  ['xlsx', 'xl/workbook.xml'],
  ['pptx', 'ppt/presentation.xml'],
]

/**
 * Returns the main part of an Office document and its format. Some programs give it another path than usual. Undefined if
 * the archive is no such document.
 */
export function mainPartOf(archive: ZipArchive): { format: OfficeFormat; path: string } | undefined {
  const relations = [...relationshipsOf(archive, '').values()]
  const declared = relations.find(({ kind, target }) => kind === 'officedocument' && archive.has(target))?.target
  const usual = usualParts.find(([, path]) => (declared === undefined ? archive.has(path) : path === declared))
  if (usual) return { format: usual[0], path: usual[1] }
  if (declared === undefined) return undefined
  let format: OfficeFormat | undefined
  readXml(archive.text('[Content_Types].xml') ?? '', {
    open: (name, { partname = '', contenttype = '' }) => {
      if (localName(name) !== 'override' || partname.toLowerCase() !== `/${declared}`.toLowerCase()) return
      for (const [word, known] of Object.entries(officeFormats)) if (contenttype.includes(word)) format = known
    },
  })
  return format && { format, path: declared }
}
