import { defineConfig } from 'vite'

/** Builds the console into `console/built`, from where `transports/http/console` serves it. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: 'built',
    emptyOutDir: true,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The polyfill would be one more script; all of these browsers preload modules.
    modulePreload: { polyfill: false },
    // A file in a `data:` URL would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // The licenses of the packages in the scripts, which minifying strips.
    license: { fileName: 'third-party-notices.md' },
  },
  server: { proxy: { '^/(v1|docs/.*[.]md|docs/index[.]json|healthz)': 'http://127.0.0.1:8787' } },
})
