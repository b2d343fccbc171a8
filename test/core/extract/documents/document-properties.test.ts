import { describe, expect, it } from 'vitest'
import { dublinCore } from '../../../../core/extract/documents/document-properties.ts'

const properties = (elements: Readonly<Record<string, string>>) =>
  dublinCore(
    `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties">${Object.entries(
      elements,
    )
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join('')}</cp:coreProperties>`,
  )

describe('the date of Dublin Core properties', () => {
  it.each([
    ['Excel 97', '1996-10-14T23:33:28Z'],
    ['PowerPoint 2007', '2006-08-16T00:00:00Z'],
    ['Excel 2007', '2006-09-16T00:00:00Z'],
    ['python-pptx', '2013-01-27T09:14:16Z'],
    ['python-docx', '2013-12-23T23:15:00Z'],
    ['python-docx, written in another zone', '2013-12-24T00:15:00+01:00'],
    ['Excel 2016', '2015-06-05T18:19:34Z'],
  ])('is not the creation date of the template of %s', (_program, created) => {
    expect(properties({ 'dcterms:created': created, 'dcterms:modified': '2024-03-01T09:00:00Z' }).date).toBeUndefined()
  })

  it('is not a creation date after the last change', () => {
    const created = '2024-03-05T10:00:00Z'
    expect(properties({ 'dcterms:created': created, 'dcterms:modified': '2024-03-01T09:00:00Z' }).date).toBeUndefined()
    expect(properties({ 'dcterms:created': created, 'dcterms:modified': created }).date).toBe(created)
    expect(properties({ 'dcterms:created': created }).date).toBe(created)
  })

  it('is the date or the issue of the document, whatever its creation date', () => {
    expect(properties({ 'dc:date': '2013-12-23T23:15:00Z' }).date).toBe('2013-12-23T23:15:00Z')
    expect(properties({ 'dcterms:issued': '2024-03-05', 'dcterms:created': '2013-12-23T23:15:00Z' }).date).toBe(
      '2024-03-05',
    )
  })
})
