import { describe, expect, it } from 'vitest'
import { bodyKind, isSpecificType } from '../../../extract/encoding/media-type.ts'

const kind = (type: string, body: string, url = 'https://a.org/') =>
  bodyKind(type, url, new Uint8Array(Buffer.from(body, 'latin1')))
const page = '<!doctype html><html><body><p>A page</body></html>'

describe('the format of a body', () => {
  it.each([
    'application/x-httpd-php',
    'application/x-httpd-php5; charset=utf-8',
    'application/x-php',
    'application/php',
    'text/php',
    'application/x-asp',
    'application/x-cgi',
    'application/x-httpd-cgi',
    'application/x-www-form-urlencoded',
    'application/x-trash',
    'application/html',
    'application/msword',
    'application/vnd.ms-excel',
  ])('is sniffed if the type is %s', type => {
    expect(isSpecificType(type)).toBe(false)
    expect(kind(type, page)).toBe('html')
    expect(kind(type, '%PDF-1.7\n')).toBe('pdf')
    expect(kind(type, '<?xml version="1.0"?><rss version="2.0"/>')).toBe('xml')
    expect(kind(type, 'PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0[Content_Types].xml word/document.xml')).toBe('zip')
    expect(kind(type, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0')).toBeUndefined()
  })
  it('is none for programs, settings and certificates with such a type', () => {
    expect(kind('application/x-sh', '#!/bin/sh\necho\n')).toBeUndefined()
    expect(kind('application/x-x509-ca-cert', '-----BEGIN CERTIFICATE-----\n')).toBeUndefined()
    expect(kind('application/x-javascript', 'var a = 1 < 2\n')).toBeUndefined()
  })
  it.each([
    '<rss version="2.0"><channel/></rss>',
    '\xef\xbb\xbf<?xml version="1.0"?>\n<?xml-stylesheet href="a.xsl"?>\n<!-- made by -->\n<rss version="2.0"/>',
    '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"/>',
    '<rdf:RDF xmlns="http://purl.org/rss/1.0/"/>',
  ])('is XML for a feed that is declared as HTML: %s', feed => {
    expect(kind('text/html; charset=utf-8', feed)).toBe('xml')
  })
  it('is HTML for other XML that is declared as HTML, and for pages about feeds', () => {
    for (const body of ['<?xml version="1.0"?><html><body/></html>', '<p>&lt;rss></p><rss>', '<!-- <rss> ', '<feed>x'])
      expect(kind('text/html', body)).toBe('html')
  })
  it('is that of the type if it says what the body is', () => {
    expect(kind('text/plain', page)).toBe('text')
    expect(kind('application/javascript', page)).toBeUndefined()
    expect(kind('image/png', page)).toBeUndefined()
    expect(kind('application/octet-stream', 'Some text')).toBe('text')
  })
})
