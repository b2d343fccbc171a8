import { describe, expect, it } from 'vitest'
import { placeIn } from '../../../../core/search/terms/compound-part.ts'
import { stemTerm } from '../../../../core/text/terms/term-interner.ts'

const index = new Set(['strasse', 'haltestell', 'kind', 'garten', 'fest', 'finanz', 'land'])
const isWord = (word: string): boolean => index.has(word)

describe('the place of a word in a compound', () => {
  it.each([
    ['strassenbahnhaltestell', 'haltestell', 'haltestelle', 'last'],
    ['krankenversicher', 'versicher', 'versicherung', 'last'],
    ['donaudampfschifffahrt', 'schifffahrt', 'schifffahrt', 'last'],
    ['strassenbahn', 'bahn', 'bahn', 'last'],
    ['kindergarten', 'gart', 'garten', 'last'],
    ['krankenversicherung', 'versicher', 'versicherung', 'last'],
    ['ziektekostenverzek', 'verzekeer', 'verzekering', 'last'],
    ['apfelkuchen', 'kuch', 'kuchen', 'last'],
    ['kaffeeautomat', 'kaff', 'kaffee', 'first'],
    ['kindergart', 'gart', 'garten', 'last'],
    ['strassenbahnhaltestell', 'strassenbahn', 'strassenbahn', 'first'],
    ['versicherungsvertret', 'versicher', 'versicherung', 'first'],
    ['kindergartenfest', 'gart', 'garten', 'middle'],
    ['landhaus', 'haus', 'haus', 'last'],
  ])('%s, %s (%s): %s', (term, stem, word, place) => {
    expect(placeIn(term, { stem, word, written: stemTerm(word) }, isWord)).toBe(place)
  })

  it.each([
    ['gegenwart', 'wart', 'wart'],
    ['politiker', 'polit', 'politik'],
    ['versicherungen', 'versicher', 'versicherung'],
    ['bahn', 'bahn', 'bahn'],
    ['prhaltestell', 'haltestell', 'haltestelle'],
    ['xyzzhaus', 'haus', 'haus'],
  ])('%s has no part %s (%s)', (term, stem, word) => {
    expect(placeIn(term, { stem, word, written: stemTerm(word) }, isWord)).toBe(undefined)
  })

  it('of a short word needs what is left to be a word of the index', () => {
    expect(placeIn('finanzamt', { stem: 'samt', word: 'samt', written: 'samt' }, isWord)).toBe(undefined)
    expect(placeIn('dorfhaus', { stem: 'haus', word: 'haus', written: 'haus' }, () => false)).toBe(undefined)
    expect(placeIn('dorfhaus', { stem: 'haus', word: 'haus', written: 'haus' }, word => word === 'dorf')).toBe('last')
  })
})
