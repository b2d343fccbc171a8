import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../service/index.ts'
import { acceptsGzip, varyBy } from '../../negotiation/negotiation.ts'
import type { ConsoleFiles, ServedFile } from './console-files.ts'

/**
 * Scripts and styles come from this server alone, none may stand in the page, and no text becomes markup (Trusted Types). The page
 * loads no images but its own, so that a page of a stranger that the console shows cannot call home.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const securityHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  // The address of an answer has the query in it, which is nobody else's business.
  'referrer-policy': 'no-referrer',
  // Nor are the hosts of results: a browser would ask its name server for each link that it shows.
  'x-dns-prefetch-control': 'off',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The answer where the files of the console are missing, as after `npm ci --ignore-scripts`. */
const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>asof</title>
<p>The console is not built. Run <code>npm run build:console</code> and start the server again.
<p>The API answers meanwhile: see <a href="/openapi.json">/openapi.json</a>.`

function send(request: FastifyRequest, reply: FastifyReply, file: ServedFile, cacheControl: string): FastifyReply {
  reply.headers({ ...securityHeaders, 'cache-control': cacheControl, etag: file.etag })
  if (file.compressed) varyBy(reply, 'accept-encoding')
  const known = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, ''))
  // The page of a 404 has no earlier version that a browser could keep.
  if (reply.statusCode === 200 && known?.some(tag => tag === '*' || tag === file.etag)) return reply.code(304).send()
  reply.type(file.contentType)
  if (!file.compressed || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.body)
  return reply.header('content-encoding', 'gzip').send(file.compressed)
}

/** Asked for again each time, and sent only if it changed. */
const REVALIDATED = 'no-cache'
/** A year: the name of the file changes with its content. */
const FOREVER = 'public, max-age=31536000, immutable'

/**
 * Returns a function that sends the page of the console, which reads from its address what to show.
 *
 * @param mayCompress - false if the page is sent as it is, whatever a client accepts.
 */
function pageSender({ page }: ConsoleFiles, mayCompress: boolean) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    if (page) return send(request, reply, mayCompress ? page : { ...page, compressed: undefined }, REVALIDATED)
    // After the console is built, the same address shows it.
    return reply
      .code(503)
      .headers({ ...securityHeaders, 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(notBuilt)
  }
}

/**
 * Returns a function that sends the page of the console with status 404: it says that there is nothing at its address.
 *
 * @param mayCompress - like that of {@link addConsoleRoutes}.
 */
export function missingPageSender(files: ConsoleFiles, mayCompress = true) {
  const sendPage = pageSender(files, mayCompress)
  return (request: FastifyRequest, reply: FastifyReply) => sendPage(request, reply.code(404))
}

/**
 * Adds the console: its page at `/`, `/page`, `/crawls`, `/access`, `/health`, `/sign-in` and `/docs`, the files that the page loads, the documents as
 * Markdown with a list of them at `/llms.txt`, and their pictures.
 *
 * @param mayCompress - false if the files are sent as they are, whatever a client accepts.
 */
export function addConsoleRoutes(app: FastifyInstance, files: ConsoleFiles, mayCompress = true): void {
  const { assets, documents, pictures } = files
  const byName = new Map(documents.map(document => [document.name, document]))
  const sendFile: typeof send = (request, reply, file, cacheControl) =>
    send(request, reply, mayCompress ? file : { ...file, compressed: undefined }, cacheControl)
  const sendPage = pageSender(files, mayCompress)
  const sendMissing = missingPageSender(files, mayCompress)
  for (const path of ['/', '/page', '/crawls', '/access', '/health', '/sign-in', '/docs']) app.get(path, sendPage)
  app.get('/docs/index.json', (_request, reply) =>
    reply
      .headers({ ...securityHeaders, 'cache-control': REVALIDATED })
      .send({ documents: documents.map(({ name, title }) => ({ name, title })) }),
  )
  app.get('/llms.txt', (request, reply) => sendFile(request, reply, files.llmsTxt, REVALIDATED))
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const path = request.params['*']
    const picture = pictures.get(path)
    if (picture) return sendFile(request, reply, picture, REVALIDATED)
    if (path === '' || byName.has(path)) return sendPage(request, reply)
    if (!path.endsWith('.md')) return sendMissing(request, reply)
    const document = byName.get(path.slice(0, -'.md'.length))
    if (!document) throw new ServiceError('not_found', 'There is no such document.')
    return sendFile(request, reply, document, REVALIDATED)
  })
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const asset = assets.get(request.params['*'])
    if (!asset) throw new ServiceError('not_found', 'There is no such file.')
    return sendFile(request, reply, asset, FOREVER)
  })
}
