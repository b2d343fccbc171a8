import { useEffect } from 'preact/hooks'
import { texts } from '../texts.ts'
import { visibleUrl } from '../visible-text.ts'

/** Shown at an address that leads to nothing: says why, and leads to the search. */
export function DeadEnd({ title, url, text }: { title: string; url?: string; text: string }) {
  useEffect(() => {
    document.title = `${title} · asof`
  }, [title])
  return (
    <div class="state">
      <h1>{title}</h1>
      {url !== undefined && (
        <p class="url">
          <bdi dir="ltr">{visibleUrl(url)}</bdi>
        </p>
      )}
      <p>{text}</p>
      <a class="button" href="/">
        {texts.frame.toSearch}
      </a>
    </div>
  )
}
