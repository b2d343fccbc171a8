import { texts } from '../texts.ts'

/** Shown at an address that leads to nothing: says why, and leads to the search. */
export function DeadEnd({ title, url, text }: { title: string; url?: string; text: string }) {
  return (
    <div class="state">
      <h1>{title}</h1>
      {url !== undefined && <p class="url">{url}</p>}
      <p>{text}</p>
      <a class="button" href="/">
        {texts.frame.toSearch}
      </a>
    </div>
  )
}
