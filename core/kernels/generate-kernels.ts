/**
 * Compiles each C source of this folder to WebAssembly and writes it to `<name>.generated.ts`, so that nobody needs a C
 * compiler to run asof. Run: `npm run build:kernels`. It needs {@link compiler} with `wasm-ld` (Debian 12: `apt-get install clang lld`),
 * because another release generates other code.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { BLOCK } from '../bytes/bit-packing.ts'
import { VarintCursor } from '../bytes/varint-cursor.ts'
import { UNDATED } from '../segment/columns/publish-days.ts'
import { INLINE_POSTINGS, STANDING_STORED_FROM } from '../segment/dictionary/dictionary-format.ts'
import { MAX_COUNT_BITS } from '../segment/positions/escaped-counts.ts'
import { MAX_RUN_BITS, WITHOUT_ZEROS, ZERO_BITS } from '../segment/positions/packed-run.ts'
import { WINDOW, WINDOWS_STORED_FROM } from '../segment/postings/window-impacts.ts'
import { IMPACT_STEPS, SATURATION_BASE } from '../segment/ranking-model.ts'
import { ENDING_BITS } from '../text/languages/english-endings.ts'
import { kernelLimits, viewFlags } from './query-record.ts'

/** The release of clang that compiles the kernels: the end of the first line that `clang --version` prints. */
export const compiler = 'clang version 14.0.6'

/** Numbers that the C sources share with TypeScript: macros of the compiler. */
const shared = {
  BLOCK,
  WINDOW,
  WINDOWS_STORED_FROM,
  INLINE_POSTINGS,
  UNDATED,
  SATURATION_BASE,
  IMPACT_STEPS,
  STANDING_STORED_FROM,
  MAX_COUNT_BITS,
  MAX_RUN_BITS,
  ZERO_BITS,
  WITHOUT_ZEROS,
  PLACE_BITS: ENDING_BITS,
  ...kernelLimits,
  ...viewFlags,
}

const flags = [
  '--target=wasm32',
  '-std=c11',
  '-O3',
  '-msimd128',
  '-mbulk-memory',
  '-ffp-contract=off', // a multiplication and an addition are rounded one after the other, as in JavaScript
  '-fno-builtin',
  '-nostdlib',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-Wl,--no-entry',
  '-Wl,--import-memory',
  '-Wl,--export=__heap_base', // the first byte that no variable of the kernel takes
  '-Wl,-z,stack-size=65536',
  '-Wl,--strip-all',
  ...Object.entries(shared).map(([name, value]) => `-D${name}=${value}`),
]

/** Ends the names of kernels whose memory several threads share. */
const SHARED = '-shared'

/**
 * The flags of a kernel. One for a shared memory is position-independent: its imports say where its variables and its stack begin. Clang
 * compiles such code only for Emscripten, and requires `-matomics`, though no kernel has an atomic instruction.
 */
function flagsOf(name: string): string[] {
  if (!name.endsWith(SHARED)) return flags
  const position = ['-matomics', '-fPIC', '-fvisibility=hidden', '-Wl,-shared', '-Wl,--experimental-pic']
  const memory = ['-Wl,--shared-memory', `-Wl,--max-memory=${2 ** 32}`]
  const others = flags.filter(flag => !flag.includes('__heap_base') && !flag.includes('stack-size'))
  return [...others, '--target=wasm32-unknown-emscripten', '-ffreestanding', ...position, ...memory]
}

const folder = import.meta.dirname

/** True if the release of clang that compiles the kernels is installed. */
export function hasCompiler(): boolean {
  try {
    const [version = ''] = execFileSync('clang', ['--version'], { encoding: 'utf8' }).split('\n')
    return version.trim().endsWith(compiler)
  } catch {
    return false
  }
}

/** The names of the kernels: those of the C sources in this folder. */
export function kernelNames(): string[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.c'))
    .map(file => parse(file).name)
    .sort()
}

export function generatedFile(name: string): string {
  return join(folder, `${name}.generated.ts`)
}

/** Returns a hash of all that decides how a kernel is compiled: its source, the headers it includes, the compiler and its flags. */
export function sourceHash(name: string): string {
  const hash = createHash('sha256').update([compiler, ...flagsOf(name)].join('\n'))
  const files = new Set([`${name}.c`])
  // The loop also visits the headers that it adds to the set.
  for (const file of files) {
    const source = readFileSync(join(folder, file), 'utf8')
    hash.update(`\n${file}\n${source}`)
    for (const [, header] of source.matchAll(/^#include "(.+)"/gm)) files.add(header!)
  }
  return hash.digest('hex')
}

/** Compiles a C file and returns the WebAssembly module. */
export function compileKernel(source: string): Buffer {
  const output = mkdtempSync(join(tmpdir(), 'asof-kernel-'))
  try {
    const module = join(output, 'kernel.wasm')
    execFileSync('clang', [...flagsOf(parse(source).name), '-o', module, source], { stdio: 'pipe' })
    return readFileSync(module)
  } finally {
    rmSync(output, { recursive: true })
  }
}

/** Returns the least number of 64 KiB pages that the memory of a module must have: that of its import `env.memory`. */
function leastPages(module: Buffer): number {
  const name = Buffer.from('\x03env\x06memory\x02')
  // After the kind of import, a byte says whether there is a maximum; then comes the minimum in LEB128.
  const varints = new VarintCursor(module)
  varints.at = module.indexOf(name) + name.length + 1
  return varints.next()
}

/** Returns the number of bytes that the variables of a position-independent module take: the first number after those of its section `dylink.0`. */
function variableBytes(module: Buffer): number {
  const name = Buffer.from('\x08dylink.0')
  const varints = new VarintCursor(module)
  // The kind of the subsection is one byte; then comes its length in LEB128.
  varints.at = module.indexOf(name) + name.length + 1
  varints.next()
  return varints.next()
}

/** Returns the source of the generated module of a kernel. */
export function generateKernel(name: string): string {
  const module = compileKernel(join(folder, `${name}.c`))
  return `// Generated by generate-kernels.ts with ${compiler}. Do not edit.

/** SHA-256 of the source, the compiler's release and its flags. */
export const sourceHash = '${sourceHash(name)}'
/** SHA-256 of the module. */
export const moduleHash = '${createHash('sha256').update(module).digest('hex')}'
${
  name.endsWith(SHARED)
    ? `/** The number of bytes that its variables take. */
export const variableBytes = ${variableBytes(module)}`
    : `/** The least size of its memory, in pages of 64 KiB. */
export const leastPages = ${leastPages(module)}`
}
/** The WebAssembly module in base64. */
export const base64 =
  '${module.toString('base64')}'
`
}

if (import.meta.main) {
  if (!hasCompiler()) throw new Error(`the kernels are compiled by ${compiler}, which is not installed`)
  for (const name of kernelNames()) writeFileSync(generatedFile(name), generateKernel(name))
}
