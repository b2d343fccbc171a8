import type { CrawlPreview } from '../api/wire.ts'
import { count, span } from '../numbers.ts'
import { texts } from '../texts.ts'
import { Table } from './table.tsx'

/** What a crawl would fetch first. */
export function CrawlPreviewView({ preview }: { preview: CrawlPreview }) {
  const { crawls } = texts
  const { names, verdicts } = crawls
  return (
    <section class="card crawl" aria-label={crawls.preview}>
      <h3>{crawls.found(preview.pages, span(preview.duration_ms))}</h3>
      {!preview.complete && <p class="faint">{crawls.incomplete}</p>}
      <Table
        label={names.seeds}
        rows={preview.seeds}
        keyOf={({ url }) => url}
        columns={[
          { name: names.seeds, cell: ({ url }) => <span class="url">{url}</span> },
          {
            name: names.verdict,
            cell: ({ verdict, error }) => (
              <span class={verdict === 'fetched' ? undefined : 'bad'}>{error ?? verdicts[verdict]}</span>
            ),
          },
          { name: names.links, isNumber: true, cell: ({ links }) => count(links) },
          { name: names.inScope, isNumber: true, cell: ({ in_scope: inScope }) => count(inScope) },
          { name: names.pause, isNumber: true, cell: ({ delay_ms: ms }) => `${ms / 1_000} s` },
          { name: names.examples, cell: ({ examples }) => <Examples urls={examples} /> },
        ]}
      />
      {preview.sitemaps.length > 0 && (
        <Table
          label={names.sitemaps}
          rows={preview.sitemaps}
          keyOf={({ url }) => url}
          columns={[
            { name: names.sitemaps, cell: ({ url }) => <span class="url">{url}</span> },
            { name: names.listed, isNumber: true, cell: ({ pages }) => count(pages) },
            { name: names.inScope, isNumber: true, cell: ({ in_scope: inScope }) => count(inScope) },
            { name: names.examples, cell: ({ examples, error }) => error ?? <Examples urls={examples} /> },
          ]}
        />
      )}
    </section>
  )
}

function Examples({ urls }: { urls: readonly string[] }) {
  return (
    <ul class="examples">
      {urls.map(url => (
        <li key={url} class="url">
          {url}
        </li>
      ))}
    </ul>
  )
}
