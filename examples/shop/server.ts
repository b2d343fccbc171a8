import { readFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type Engine, isAsofError } from '@asof/core'
import { DAYS } from './products.ts'
import { answerChoices, BUCKET, priceHistory, readChoices } from './questions.ts'

const files: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/shop.css': ['shop.css', 'text/css; charset=utf-8'],
  '/shop.mjs': ['shop.mjs', 'text/javascript; charset=utf-8'],
}

const headers = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:",
  'X-Content-Type-Options': 'nosniff',
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

/**
 * Creates the server of the shop.
 *
 * @param today - midnight UTC of the last day of the history, epoch ms.
 */
export function createShop(engine: Engine, today: number): Server {
  async function respond(path: string, parameters: URLSearchParams, response: ServerResponse): Promise<void> {
    const file = files[path]
    if (file) {
      const [name, type] = file
      response.writeHead(200, { ...headers, 'Content-Type': type })
      response.end(await readFile(join(import.meta.dirname, 'public', name)))
    } else if (path === '/api/shop') sendJson(response, 200, { today, days: DAYS, bucket: BUCKET })
    else if (path === '/api/search') sendJson(response, 200, await answerChoices(engine, readChoices(parameters)))
    else if (path === '/api/prices') {
      const history = await priceHistory(engine, parameters.get('url') ?? '')
      sendJson(response, history ? 200 : 404, history ?? { message: 'There is no such product.' })
    } else sendJson(response, 404, { message: 'There is no such path.' })
  }
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop.example')
    respond(pathname, searchParams, response).catch((error: unknown) => {
      // A wrong day or price in the address is the visitor's error.
      const isRefused = isAsofError(error) && error.statusCode === 400
      if (!isRefused) console.error(error)
      sendJson(response, isRefused ? 400 : 500, { message: isRefused ? error.message : 'The shop failed to answer.' })
    })
  })
}
