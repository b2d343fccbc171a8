import { hostileAnswers, orderPattern } from '../../hostile-answers.ts'
import type { Attack } from '../attack.ts'
import { ask, repeat } from '../call.ts'

const paths = Object.keys(hostileAnswers)
const headers = { accept: 'application/json, text/event-stream' }

/** Fetches pages of a site that puts orders to agents into headers, addresses and names of files. */
export const attack: Attack = {
  name: 'orders to agents in the answers of a site',
  run: ({ url, site, localAddress, signal, note, breach }) =>
    repeat(signal, 2, async turn => {
      const target = site + paths[turn % paths.length]
      const [name, given] =
        turn % 2 === 0 ? ['fetch_page_content', { url: target, live: true }] : ['search_web_pages', { query: target }]
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }
      const body = JSON.stringify(message)
      const { status, text } = await ask({ url: `${url}/mcp`, method: 'POST', headers, body, localAddress, signal })
      note(status)
      const own = text
        .replace(/<web-content-([0-9a-f]{12})>.*?<\/web-content-\1>/g, '')
        .replace(/"said":\{[^}]*\}/g, '')
      if (orderPattern.test(own)) breach(`a site spoke as asof to an agent: ${target}`)
    }),
}
