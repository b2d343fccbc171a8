import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

function published(html: string) {
  const page = `<title>The town plan</title><main><h1>The town plan</h1>${html}<p>The harbor of the old town was busy
    in the morning, and visitors came by boat to see the new tower.</p></main>`
  return extractPage(page, { url: 'https://a.example/plan', contentType: 'text/html' }).publishedAt
}

describe('the dates of events', () => {
  it.each([
    '<p>Deadline: 12 March 2024</p>',
    '<p>Application deadline: <time datetime="2024-03-12">12 March 2024</time></p>',
    '<p>Opens: March 12, 2024</p>',
    '<p>Since <time datetime="2019-05-01">May 2019</time></p>',
    '<p>Valid until 2024-03-12</p>',
    '<p>Registration closes <time>12 March 2024</time></p>',
    '<p>Anmeldeschluss: 12. März 2024</p>',
    '<p>Date limite : 12 mars 2024</p>',
    '<p>Fecha límite: 12 de marzo de 2024</p>',
    '<p class=event-date>12 March 2024</p>',
    '<dl><dt>Deadline</dt><dd>12 March 2024</dd></dl>',
    '<table><tr><td>Deadline</td><td>12 March 2024</td></tr></table>',
    '<ul><li>12 March 2024: Spring fair</li><li>15 April 2024: Concert</li></ul>',
    '<ul><li><time datetime="2024-03-12">12 March</time> Fair</li><li><time datetime="2024-04-12">12 April</time> Ball</li></ul>',
    '<table><tr><td>Spring fair<td>12 March 2024</tr><tr><td>Concert<td>15 April 2024</tr></table>',
    '<table><tr><th>Date<th>Price</tr><tr><td>12 March 2024<td>5</tr></table>',
    '<table><thead><tr><th>Ship<th>Date</thead><tbody><tr><td>Anna<td><time datetime="2024-03-12">12 March</time></table>',
  ])('do not date the page: %s', html => {
    expect(published(html)).toBeUndefined()
  })

  it.each([
    '<p>Published: 5 September 2023</p>',
    '<p class=date>5 September 2023</p>',
    '<p>Donnerstag, 5. September 2023</p>',
    '<p>Anna Weber Do 5 Sep 2023</p>',
    '<dl><dt>Published</dt><dd>5 September 2023</dd></dl>',
    '<table><tr><th>Published</th><td>5 September 2023</td></tr></table>',
    '<table><tr><th>Date</th><td>5 September 2023</td></tr></table>',
    '<table><tr><th>Version<th>Date</tr><tr><td>1.0<td>5 September 2023</tr></table>',
    '<table><tr><th>Author<th>Date</tr><tr><td>Anna Weber<td>5 September 2023</tr></table>',
    '<table><tr><th>Published<th>Pages</tr><tr><td>5 September 2023<td>7</tr></table>',
    '<ul><li>By Anna Weber</li><li>5 September 2023</li></ul>',
  ])('are told from that of the page: %s', html => {
    expect(published(html)).toMatch('2023-09-05')
  })
})
