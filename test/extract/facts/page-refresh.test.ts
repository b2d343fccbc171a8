import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import { parseRefresh } from '../../../extract/facts/page-refresh.ts'

const refresh = (html: string) =>
  extractPage(html, { url: 'https://a.example/dir/x', contentType: 'text/html' }).refresh

describe('the refresh of a page', () => {
  it('has the seconds and the absolute URL', () => {
    expect(refresh('<meta content="0; url=./en/latest/" http-equiv="Refresh">')).toEqual({
      url: 'https://a.example/dir/en/latest/',
      seconds: 0,
    })
    expect(refresh('<base href=/b/><meta http-equiv=refresh content="5;URL=c?d=1&amp;e=2#f">')).toEqual({
      url: 'https://a.example/b/c?d=1&e=2',
      seconds: 5,
    })
    expect(refresh('<p>x<meta http-equiv=" REFRESH " content="300;url=x">')).toEqual({
      url: 'https://a.example/dir/x',
      seconds: 300,
    })
  })
  it('is absent if a browser would ignore the element, or stay on the page', () => {
    for (const html of [
      '<noscript><meta http-equiv=refresh content="0;url=/no"></noscript>',
      '<template><meta http-equiv=refresh content="0;url=/no"></template>',
      '<meta http-equiv=refresh content="30">',
      '<meta http-equiv=refresh content="0;url=">',
      '<meta http-equiv=refresh content="url=/no">',
      '<meta http-equiv=refresh content="0;url=javascript:x()">',
      '<meta name=refresh content="0;url=/no">',
    ])
      expect(refresh(html)).toBeUndefined()
  })
  it.each([
    ['0;url=/a', '/a', 0],
    ["0; URL='/a'", '/a', 0],
    ['0; url="/a" trailing', '/a', 0],
    ['0;/a', '/a', 0],
    ['1 /a', '/a', 1],
    ['1,url=/a', '/a', 1],
    ['  2.5 ; url = /a b ', '/a b', 2],
    ['.5;url=/a', '/a', 0],
    ['0;URL =/a', '/a', 0],
    ["0;'/a'", '/a', 0],
    ["0;url='/a", '/a', 0],
    ['0;url/a', 'url/a', 0],
    ['0\n;\turl=/a', '/a', 0],
    ['3600;url=/a;b', '/a;b', 3600],
  ])('reads %s as HTML says', (content, reference, seconds) => {
    expect(parseRefresh(content)).toEqual({ reference, seconds })
  })
  it.each(['', ';url=/a', 'now;url=/a', '0url=/a', '0', '0;', '-1;url=/a'])('ignores %s', content => {
    expect(parseRefresh(content)).toBeUndefined()
  })
})
