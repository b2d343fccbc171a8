import type { HistoryPart } from '../engine.ts'
import { invalidOption } from '../options.ts'
import type { CaptureInput, ObservationInput } from '../page.ts'
import { aliasKey } from '../store/keys.ts'
import { decodeAliasRecord } from '../store/records/alias-record.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { type CurrentCapture, visibleRecord } from './current-capture.ts'
import { versionPage } from './version-page.ts'

/** Where a part of the export ended: all URLs before `url`, and the first `given` observations of `url`, were exported. */
export interface ExportCursor {
  url: string
  given: number
}

/** @throws ASOF_INVALID_OPTION */
export function readExportCursor(text: string): ExportCursor {
  const [, given, url] = /^(\d{1,16}) (.+)$/s.exec(text) ?? []
  if (url === undefined) throw invalidOption('after', 'is not a cursor; pass `next` of the previous part')
  return { url, given: Number(given) }
}

/** What is exported in one part. */
export interface ExportRange {
  after: ExportCursor | undefined
  limit: number
  /** The aliases of each URL. */
  aliases: ReadonlyMap<string, readonly string[]>
}

/** A part ends after this many UTF-16 units of Markdown. */
const PART_CHARS = 4 * 1024 * 1024

/**
 * Returns one part of the observations of all pages, URL by URL.
 *
 * @param urls - in order, from the URL of the cursor on: `limit` of them, and one more if there are more.
 */
export function exportPart(
  urls: readonly string[],
  { after, limit, aliases }: ExportRange,
  snapshot: Snapshot,
): HistoryPart {
  const observations: ObservationInput[] = []
  let chars = 0
  for (const url of urls) {
    const exported = url === after?.url ? after.given : 0
    let given = 0
    for (const read of observationsOfUrl(url, aliases.get(url) ?? [], snapshot)) {
      if (given++ < exported) continue
      if (observations.length === limit) return { observations, next: `${given - 1} ${url}` }
      const observation = read()
      const size = 'markdown' in observation ? (observation.markdown?.length ?? 0) : 0
      if (chars > 0 && chars + size > PART_CHARS) return { observations, next: `${given - 1} ${url}` }
      observations.push(observation)
      chars += size
    }
  }
  // At the end of the last URL, only the number of URLs indicates whether there are more.
  if (urls.length > limit) return { observations, next: `${Number.MAX_SAFE_INTEGER} ${urls.at(-1)}` }
  return { observations }
}

/** Aliases of one observation: as many as `Engine.add` accepts. */
const ALIASES_AT_ONCE = 100

/** Every observation of one URL up to the snapshot's instant, oldest first. Content is read only when it is called for. */
function* observationsOfUrl(
  url: string,
  aliases: readonly string[],
  snapshot: Snapshot,
): Generator<() => ObservationInput> {
  const claims = new Claims(url, aliases, snapshot)
  let version: CurrentCapture | undefined
  for (const { at, ...observation } of visibleRecord(url, snapshot)) {
    if (at > snapshot.instant) break
    yield* claims.before(at)
    const { kind } = observation
    if (kind === 'removal') {
      version = undefined
      yield () => ({ url, removedAt: at })
      continue
    }
    if (kind === 'capture') version = { captureId: observation.captureId, at, lastSeenAt: at }
    else if (kind === 'revision' && version) version = { ...version, revision: { id: observation.revisionId, at } }
    const names = claims.at(at)
    if (kind === 'seen') yield () => ({ url, seenAt: at, ...names })
    // The content of a batch that is not visible yet.
    else if (!version) continue
    else {
      const content = version
      const since = content.revision?.at ?? content.at
      if (kind === 'sighting') yield () => ({ url, seenAt: at, unchangedSince: since, ...names })
      else yield () => ({ ...contentInput(content, snapshot), acquiredAt: at, ...names })
    }
  }
  yield* claims.before(Number.POSITIVE_INFINITY)
}

/** The content of a version, in the form that `Engine.add` accepts. */
function contentInput(version: CurrentCapture, snapshot: Snapshot): CaptureInput {
  const { acquiredAt: _, revisedAt: __, lastSeenAt: ___, ...content } = versionPage(version, snapshot)
  return content
}

/** The aliases of one URL by the instant of their claims. */
class Claims {
  readonly #url: string
  readonly #byInstant: [at: number, aliases: string[]][]

  constructor(url: string, aliases: readonly string[], { store, instant }: Snapshot) {
    const byInstant = new Map<number, string[]>()
    for (const alias of aliases) {
      const stored = store.get(aliasKey(alias))
      if (!stored) continue
      for (const { at, url: target } of decodeAliasRecord(stored)) {
        if (target !== url || at > instant) continue
        const others = byInstant.get(at)
        if (others) others.push(alias)
        else byInstant.set(at, [alias])
      }
    }
    this.#url = url
    // Latest first, so that the next one is taken from the end.
    this.#byInstant = [...byInstant].sort(([a], [b]) => b - a)
  }

  /** Takes up to {@link ALIASES_AT_ONCE} claims of an instant, as the field of an observation that was made then. */
  at(instant: number): { aliases?: string[] } {
    const [next, aliases] = this.#byInstant.at(-1) ?? []
    if (next !== instant || !aliases) return {}
    const taken = aliases.splice(0, ALIASES_AT_ONCE)
    if (aliases.length === 0) this.#byInstant.pop()
    return { aliases: taken }
  }

  /** Takes all claims before an instant. */
  *before(instant: number): Generator<() => ObservationInput> {
    for (let next = this.#byInstant.at(-1); next && next[0] < instant; next = this.#byInstant.at(-1)) {
      const [at] = next
      const { aliases = [] } = this.at(at)
      yield () => ({ url: this.#url, aliasedAt: at, aliases })
    }
  }
}
