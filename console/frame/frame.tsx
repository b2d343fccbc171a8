import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { texts } from '../texts.ts'
import { IconButton } from './icon-button.tsx'
import { useShortcuts } from './shortcuts.ts'
import { useTheme } from './theme.ts'

/** The sections of the console, in the order of the navigation. A new section is a line here and a route in `app.tsx`. */
const sections = [
  { href: '/', name: texts.frame.search, holds: (path: string) => path === '/' || path === '/page' },
  { href: '/crawls', name: texts.crawls.title, holds: (path: string) => path === '/crawls' },
  { href: '/access', name: texts.access.title, holds: (path: string) => path === '/access' },
  { href: '/health', name: texts.health.title, holds: (path: string) => path === '/health' },
  { href: '/docs', name: texts.frame.docs, holds: (path: string) => path.startsWith('/docs') },
]

/** What surrounds every view: the name, the sections, the theme, and the list of keys. */
export function Frame({ path, children }: { path: string; children: ComponentChildren }) {
  const [theme, changeTheme] = useTheme()
  const keys = useRef<HTMLDialogElement>(null)
  useShortcuts({ '?': () => keys.current?.showModal() })
  return (
    <>
      <a class="skip" href="#content">
        {texts.frame.skip}
      </a>
      <header class="frame">
        <a class="home" href="/" aria-label={texts.frame.home}>
          <svg class="mark" viewBox="0 0 32 20" aria-hidden="true">
            <path class="past" d="M3 16v-4m6 4V8m14 8V6m6 10v-6" />
            <path class="moment-line" d="M16 1v18" />
          </svg>
          <span>asof</span>
        </a>
        <nav aria-label={texts.frame.sections}>
          {sections.map(({ href, name, holds }) => (
            <a key={href} href={href} aria-current={holds(path) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div class="tools">
          <IconButton
            icon="keyboard"
            label={texts.frame.shortcuts}
            class="keys-button"
            onClick={() => keys.current?.showModal()}
          />
          <IconButton icon={theme} label={texts.frame.theme(texts.frame.themes[theme])} onClick={changeTheme} />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <dialog ref={keys} aria-labelledby="keys-title">
        <h2 id="keys-title">{texts.frame.shortcuts}</h2>
        <dl class="keys">
          {texts.keys.map(([key, meaning]) => (
            <div key={key}>
              <dt>
                {key.split(' ').map(each => (
                  <kbd key={each}>{each}</kbd>
                ))}
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <form method="dialog">
          <button type="submit" class="button">
            {texts.frame.close}
          </button>
        </form>
      </dialog>
    </>
  )
}
