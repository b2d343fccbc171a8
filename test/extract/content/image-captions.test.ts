import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const content = (html: string) => extractPage(html, { url: 'https://a.example/x', contentType: 'text/html' }).markdown
const prose = `<p>${'The tale of it, as told by those who saw it, goes on for a while. '.repeat(5)}</p>`

describe('captions of images', () => {
  it.each([
    ['a figcaption', '<figure><img src=a.png alt=x><figcaption>Two men</figcaption></figure>', 'Two men'],
    [
      'a caption and a credit by class',
      '<div><img src=a.png><div><p class=wp-caption-text>Two men</p><span class=photo-credit>Ann Lee</span></div></div>',
      'Two men Ann Lee',
    ],
    ['a caption above the image', '<figure><figcaption>Two men</figcaption><img src=a.png></figure>', 'Two men'],
    [
      'an image that loads late',
      '<figure><img src="data:x" data-src=a.png><figcaption>Two men</figcaption></figure>',
      'Two men',
    ],
    [
      'an image with several sizes',
      '<figure><img srcset="a.png 1x, b.png 2x"><figcaption>Two men</figcaption></figure>',
      'Two men',
    ],
  ])('become the text of the image: %s', (_rule, html, text) => {
    const markdown = content(`<article>${prose}${html}${prose}</article>`)
    expect(markdown).toContain(`![${text}](https://a.example/a.png)`)
    expect(markdown.match(/Two men/g)).toHaveLength(1)
  })

  it('stay text without an image, for example under a table or a video', () => {
    const video = '<figure><video src=v.mp4></video><figcaption>Two men</figcaption></figure>'
    expect(content(`<article>${prose}${video}${prose}</article>`)).toContain('\n\nTwo men\n\n')
  })
})
