import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserServer, BrowserType } from 'playwright-core'
import { CrawlError } from '../errors.ts'

const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/snap/bin/chromium']
const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv']
/** The user and group `nobody` (Linux Standard Base, 18.2). */
const NOBODY = 65534
const LAUNCH_TIMEOUT_MS = 30_000

const flags = [
  // No name is resolved and no proxy is found, so requests that are not intercepted fail.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--js-flags=--max-old-space-size=512',
]

/** Starts Chromium in its sandbox, without access to the network. */
export class Chromium {
  readonly #type: BrowserType
  readonly #executablePath: string
  /** The folder with the script that starts Chromium as `nobody`. Undefined if no script is needed. */
  readonly #folder: string | undefined

  private constructor(type: BrowserType, executablePath: string, folder: string | undefined) {
    this.#type = type
    this.#executablePath = executablePath
    this.#folder = folder
  }

  /**
   * Finds Chromium. For root, whose processes Chromium's sandbox rejects, prepares to start it as the user `nobody`
   * with setpriv(1) of util-linux.
   *
   * @param path - the executable. Default: the first existing one of the usual paths of Chromium and Chrome.
   * @throws ASOF_RENDERER_MISSING - `playwright-core` or Chromium is not installed, or the process runs as root and
   *   `setpriv` is not installed.
   */
  static async find(path?: string): Promise<Chromium> {
    const playwright = await import('playwright-core').catch((cause: unknown) => {
      throw rendererMissing('the package playwright-core is not installed; run: npm install playwright-core@1', cause)
    })
    const executablePath = path ?? usualPaths.find(existsSync)
    if (executablePath === undefined)
      throw rendererMissing('Chromium was not found; install it, or set the path of its executable')
    if (process.getuid?.() !== 0) return new Chromium(playwright.chromium, executablePath, undefined)
    const setpriv = setprivPaths.find(existsSync)
    if (setpriv === undefined)
      throw rendererMissing(
        "Chromium's sandbox does not work for root; run asof as another user, or install setpriv (package util-linux)",
      )
    const folder = await mkdtemp(join(tmpdir(), 'asof-chromium-'))
    const script = join(folder, 'chromium')
    await writeFile(script, asNobody(setpriv, executablePath), { mode: 0o700 })
    return new Chromium(playwright.chromium, script, folder)
  }

  /**
   * Starts a browser.
   *
   * @throws ASOF_RENDERER_MISSING - Chromium does not start.
   */
  async start(): Promise<RunningChromium> {
    let server: BrowserServer | undefined
    try {
      server = await this.#type.launchServer({
        executablePath: this.#executablePath,
        chromiumSandbox: true,
        args: flags,
        // Playwright would turn off Chromium's popup blocker with this argument.
        ignoreDefaultArgs: ['--disable-popup-blocking'],
        proxy: { server: 'http://127.0.0.1:9' },
        // The browser is controlled through a socket on loopback, at a path that other programs cannot guess.
        host: '127.0.0.1',
        timeout: LAUNCH_TIMEOUT_MS,
      })
      return new RunningChromium(server, await this.#type.connect(server.wsEndpoint()))
    } catch (cause) {
      await server?.kill()
      throw rendererMissing(`${this.#executablePath} does not start`, cause)
    }
  }

  /** Deletes the temporary files of {@link find}. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }
}

/** A running browser. */
export class RunningChromium {
  readonly browser: Browser
  readonly #server: BrowserServer

  constructor(server: BrowserServer, browser: Browser) {
    this.#server = server
    this.browser = browser
  }

  /** Kills all processes of the browser. */
  async kill(): Promise<void> {
    await this.#server.kill()
  }
}

/** Returns a shell script that gives the profile folder to `nobody` and starts Chromium as that user. */
function asNobody(setpriv: string, executablePath: string): string {
  return `#!/bin/sh
for argument in "$@"; do
  case "$argument" in --user-data-dir=*) chown ${NOBODY}:${NOBODY} "\${argument#*=}" || exit 1 ;; esac
done
exec ${quote(setpriv)} --reuid=${NOBODY} --regid=${NOBODY} --clear-groups ${quote(executablePath)} "$@"
`
}

/** Quotes a word for the shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function rendererMissing(why: string, cause?: unknown): CrawlError {
  return new CrawlError('ASOF_RENDERER_MISSING', `pages cannot be rendered: ${why}`, { cause })
}
