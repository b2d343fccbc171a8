import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { VarintCursor } from '../core/bytes/varint-cursor.ts'

/** The release of clang that compiles the kernels: the end of the first line that `clang --version` prints. */
export const compiler = 'clang version 14.0.6'

const commonFlags = [
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
]

/** Flags of kernels with variables and a stack: each instance has a memory of its own. */
export const ownMemory = [
  '-Wl,--export=__heap_base', // the first byte that no variable of the kernel takes
  '-Wl,-z,stack-size=65536',
  '-Wl,--strip-all',
]

/** Ends the names of kernels with variables and a stack whose memory several threads share. */
const IN_SHARED_MEMORY = '-shared'

/**
 * Flags of such kernels. They are position-independent: their imports say where their variables and their stack begin. Clang compiles such
 * code only for Emscripten, and requires `-matomics`, though no kernel has an atomic instruction.
 */
const positionIndependent = [
  '--target=wasm32-unknown-emscripten',
  '-ffreestanding',
  '-matomics',
  '-fPIC',
  '-fvisibility=hidden',
  '-Wl,-shared',
  '-Wl,--experimental-pic',
  '-Wl,--shared-memory',
  `-Wl,--max-memory=${2 ** 32}`,
  '-Wl,--strip-all',
]

/** Flags of kernels whose memory is shared by threads. They have no variables, and the first use of a stack would trap. */
export const sharedMemory = [
  '-matomics',
  '-Wl,--shared-memory',
  '-Wl,--max-memory=4294967296',
  '-Wl,-z,stack-size=0',
  '-Wl,--strip-all',
]

/** True if the release of clang that compiles the kernels is installed. */
export function hasCompiler(): boolean {
  try {
    const [version = ''] = execFileSync('clang', ['--version'], { encoding: 'utf8' }).split('\n')
    return version.trim().endsWith(compiler)
  } catch {
    return false
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

/** Returns the number of bytes that the variables of a position-independent module take: the first number of its section `dylink.0`. */
function variableBytes(module: Buffer): number {
  const name = Buffer.from('\x08dylink.0')
  const varints = new VarintCursor(module)
  // The kind of the subsection is one byte; then comes its length in LEB128.
  varints.at = module.indexOf(name) + name.length + 1
  varints.next()
  return varints.next()
}

/**
 * The C sources of a folder, each of which becomes a WebAssembly module in `<name>.generated.ts`, so that nobody needs a C compiler to run
 * asof. They need {@link compiler} with `wasm-ld` (Debian 12: `apt-get install clang lld`), because another release generates other code.
 */
export class KernelSources {
  readonly #folder: string
  readonly #flags: readonly string[]
  readonly #macros: readonly string[]

  /**
   * @param flags - {@link ownMemory} or {@link sharedMemory}.
   * @param macros - numbers that the sources share with TypeScript.
   */
  constructor(folder: string, flags: readonly string[], macros: Readonly<Record<string, number>>) {
    this.#folder = folder
    this.#flags = flags
    this.#macros = Object.entries(macros).map(([name, value]) => `-D${name}=${value}`)
  }

  #flagsOf(name: string): string[] {
    const flags = name.endsWith(IN_SHARED_MEMORY) ? positionIndependent : this.#flags
    return [...commonFlags, ...flags, ...this.#macros]
  }

  /** The names of the kernels: those of the C sources in the folder. */
  names(): string[] {
    return readdirSync(this.#folder)
      .filter(file => file.endsWith('.c'))
      .map(file => parse(file).name)
      .sort()
  }

  generatedFile(name: string): string {
    return join(this.#folder, `${name}.generated.ts`)
  }

  /** Returns a hash of all that decides how a kernel is compiled: its source, the headers it includes, the compiler and its flags. */
  sourceHash(name: string): string {
    const hash = createHash('sha256').update([compiler, ...this.#flagsOf(name)].join('\n'))
    const files = new Set([`${name}.c`])
    // The loop also visits the headers that it adds to the set.
    for (const file of files) {
      const source = readFileSync(join(this.#folder, file), 'utf8')
      hash.update(`\n${file}\n${source}`)
      for (const [, header = ''] of source.matchAll(/^#include "(.+)"/gm)) files.add(header)
    }
    return hash.digest('hex')
  }

  /** Compiles a C file and returns the WebAssembly module. */
  compile(source: string): Buffer {
    const output = mkdtempSync(join(tmpdir(), 'asof-kernel-'))
    try {
      const module = join(output, 'kernel.wasm')
      execFileSync('clang', [...this.#flagsOf(parse(source).name), '-o', module, source], { stdio: 'pipe' })
      return readFileSync(module)
    } finally {
      rmSync(output, { recursive: true })
    }
  }

  /** Returns the source of the generated module of a kernel. */
  generated(name: string): string {
    const module = this.compile(join(this.#folder, `${name}.c`))
    return `// Generated by generate-kernels.ts with ${compiler}. Do not edit.

/** SHA-256 of the source, the compiler's release and its flags. */
export const sourceHash = '${this.sourceHash(name)}'
/** SHA-256 of the module. */
export const moduleHash = '${createHash('sha256').update(module).digest('hex')}'
${
  name.endsWith(IN_SHARED_MEMORY)
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

  /** Compiles all kernels of the folder. */
  generate(): void {
    if (!hasCompiler()) throw new Error(`the kernels are compiled by ${compiler}, which is not installed`)
    for (const name of this.names()) writeFileSync(this.generatedFile(name), this.generated(name))
  }
}
