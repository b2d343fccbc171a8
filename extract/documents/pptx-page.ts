import { type ExtractedPage, type ExtractOptions, type ExtractWarning, withWarnings } from '../extracted-page.ts'
import { readXml } from '../html/xml-reader.ts'
import { dublinCore, fieldsFrom } from './document-properties.ts'
import { drawingParagraphs, unreadDrawings } from './drawing-text.ts'
import { htmlOf, markedUpPage } from './marked-up-page.ts'
import { texOf } from './omml-tex.ts'
import { type Relationship, relationshipsOf } from './package-parts.ts'
import { joinPages } from './page-parts.ts'
import type { ZipArchive } from './zip-archive.ts'

const MAX_SLIDES = 2000
const MAX_LEVEL = 8
/** Types of placeholders that are no content: slide number, date, footer, header, picture of the slide. */
const emptyPlaceholders = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg'])

/**
 * Reads a presentation: its slides in order, with their notes, separated by rules. Titles become headings.
 *
 * @param presentation - the path of the main part in the archive.
 */
export function readPptx(archive: ZipArchive, presentation: string, { latestAt }: ExtractOptions): ExtractedPage {
  const slides = slidesOf(archive, presentation).slice(0, MAX_SLIDES)
  const warnings: ExtractWarning[] = []
  const pages = slides.map(slide => {
    const relations = relationshipsOf(archive, slide)
    const notes = [...relations.values()].find(({ kind }) => kind === 'notesslide')
    const noteText = notes ? new SlideWriter('p').write(archive.text(notes.target) ?? '', new Map()) : ''
    const diagrams = [...relations.values()].flatMap(({ kind, target }) =>
      kind === 'diagramdata' ? drawingParagraphs(archive.text(target) ?? '') : [],
    )
    warnings.push(...unreadDrawings(relations.values()))
    const points = diagrams.map(text => `<li>${htmlOf(text)}</li>`).join('')
    const shown = `${new SlideWriter('li').write(archive.text(slide) ?? '', relations)}${points && `<ul>${points}</ul>`}`
    return markedUpPage(noteText === '' ? shown : `${shown}<blockquote>${noteText}</blockquote>`)
  })
  const page = withWarnings(joinPages(pages), warnings)
  return { ...page, ...fieldsFrom(dublinCore(archive.text('docProps/core.xml') ?? ''), page.markdown, latestAt) }
}

/** Returns the paths of the slides in the order of the presentation. */
function slidesOf(archive: ZipArchive, presentation: string): string[] {
  const relations = relationshipsOf(archive, presentation)
  const slides: string[] = []
  readXml(archive.text(presentation) ?? '', {
    open: (name, attributes) => {
      const slide = name === 'p:sldid' ? relations.get(attributes['r:id'] ?? '') : undefined
      if (slide) slides.push(slide.target)
    },
  })
  return slides
}

/** Converts the DrawingML of one slide to HTML. */
class SlideWriter {
  readonly #body: 'li' | 'p'
  readonly #html: string[] = []
  #placeholder: string | undefined
  #paragraph: string[] = []
  #level = 0
  #lists = 0
  #isText = false
  #isLinked = false
  /** The element for the text of a run that is raised or lowered; '' for other runs. */
  #script = ''
  #isCell = false
  /** The source of the equation that is open; empty if none is. */
  #formula: string[] = []

  /** @param body - the element for each paragraph in the body of the slide. */
  constructor(body: 'li' | 'p') {
    this.#body = body
  }

  write(source: string, relations: ReadonlyMap<string, Relationship>): string {
    readXml(source, {
      open: (name, attributes) => this.#open(name, attributes, relations),
      close: name => this.#close(name),
      text: text => {
        if (this.#formula.length > 0) this.#formula.push(htmlOf(text))
        else if (this.#isText) this.#paragraph.push(htmlOf(text))
      },
    })
    this.#leaveLists(0)
    return this.#html.join('')
  }

  #open(
    name: string,
    attributes: Readonly<Record<string, string>>,
    relations: ReadonlyMap<string, Relationship>,
  ): void {
    if (name === 'm:omath' || this.#formula.length > 0) {
      const value = attributes['m:val']
      this.#formula.push(`<${name}${value === undefined ? '' : ` m:val="${htmlOf(value)}"`}>`)
      return
    }
    switch (name) {
      case 'p:sp':
        this.#placeholder = undefined
        break
      case 'p:ph':
        this.#placeholder = attributes.type ?? 'body'
        break
      case 'a:p':
        this.#level = 0
        break
      case 'a:ppr':
        this.#level = Math.min(MAX_LEVEL, Math.max(0, Math.trunc(Number(attributes.lvl)) || 0))
        break
      case 'a:hlinkclick': {
        const link = relations.get(attributes['r:id'] ?? '')
        if (link?.kind === 'hyperlink' && !this.#isLinked) {
          this.#paragraph.push(`<a href="${htmlOf(link.target)}">`)
          this.#isLinked = true
        }
        break
      }
      case 'a:r':
      case 'a:fld':
        this.#script = ''
        break
      case 'a:rpr': {
        const baseline = Number.parseInt(attributes.baseline ?? '', 10) || 0
        this.#script = baseline > 0 ? 'sup' : baseline < 0 ? 'sub' : ''
        break
      }
      case 'a:br':
        this.#paragraph.push('<br>')
        break
      case 'a:t':
        if (this.#script !== '') this.#paragraph.push(`<${this.#script}>`)
        this.#isText = true
        break
      case 'a:tbl':
        this.#leaveLists(0)
        this.#html.push('<table>')
        break
      case 'a:tr':
        this.#html.push('<tr>')
        break
      case 'a:tc':
        this.#isCell = true
        this.#html.push('<td>')
        break
    }
  }

  #close(name: string): void {
    if (this.#formula.length > 0) {
      this.#formula.push(`</${name}>`)
      if (name === 'm:omath') {
        const tex = htmlOf(texOf(this.#formula.join('')))
        this.#paragraph.push(`<math><annotation encoding="application/x-tex">${tex}</annotation></math>`)
        this.#formula = []
      }
      return
    }
    switch (name) {
      case 'a:t':
        if (this.#isText && this.#script !== '') this.#paragraph.push(`</${this.#script}>`)
        this.#isText = false
        break
      case 'a:r':
        if (this.#isLinked) this.#paragraph.push('</a>')
        this.#isLinked = false
        break
      case 'a:p':
        this.#endParagraph()
        break
      case 'a:tc':
        this.#isCell = false
        this.#html.push('</td>')
        break
      case 'a:tr':
        this.#html.push('</tr>')
        break
      case 'a:tbl':
        this.#html.push('</table>')
        break
      case 'p:sp':
        this.#leaveLists(0)
        this.#placeholder = undefined
        break
    }
  }

  #endParagraph(): void {
    const text = this.#paragraph.join('')
    this.#paragraph = []
    if (text.trim() === '' || emptyPlaceholders.has(this.#placeholder ?? '')) return
    if (this.#isCell) this.#html.push(`<p>${text}</p>`)
    else if (/^(?:ctrT|t)itle$/.test(this.#placeholder ?? '')) this.#html.push(`<h2>${text}</h2>`)
    else if (this.#body === 'p' || this.#placeholder === undefined || /itle$/.test(this.#placeholder))
      this.#html.push(`<p>${text}</p>`)
    else {
      this.#leaveLists(this.#level + 1)
      while (this.#lists <= this.#level) {
        this.#html.push('<ul>')
        this.#lists++
      }
      this.#html.push(`<li>${text}`)
    }
  }

  #leaveLists(down: number): void {
    while (this.#lists > down) {
      this.#html.push('</ul>')
      this.#lists--
    }
  }
}
